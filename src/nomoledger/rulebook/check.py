"""How much of a rulebook is carried out, what is wrong with it, and what no case notices."""

import msgspec

from nomoledger.errors import NomoledgerError
from nomoledger.rulebook.cases import Case, run_case
from nomoledger.rulebook.lint import find_faults
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.mutants import Progress, find_unnoticed


class Coverage(msgspec.Struct, frozen=True):
    """What `rules check` says.

    Attributes:
        rulebook: its name. rules: how many there are.
        executable: how many have code; once blanked, only those whose loss some case notices.
        text_only, by_ruling: how many say that nothing is executed, or that the admin decides.
        errors: what is wrong, as `file:line: rule N: what`; failing cases too.
        unnoticed: rules, hooks and parameters that could be altered without a case failing.
    """

    rulebook: str
    rules: int
    executable: int
    text_only: int
    by_ruling: int
    errors: list[str]
    unnoticed: list[str]


def check(
    rulebook: Rulebook,
    cases: list[Case],
    *,
    blank: bool = False,
    progress: Progress | None = None,
) -> Coverage:
    """The coverage of *rulebook*, whose examples are *cases*.

    With *blank*, each rule's code, each hook and each parameter is altered in turn, on all
    processors; *progress* is told of each.
    """
    errors = find_faults(rulebook)
    if not errors:
        errors = [text for case in cases if (text := _failure(case, rulebook)) is not None]
    missed = find_unnoticed(rulebook, cases, progress) if blank and not errors else []
    executable = [rule.number for rule in rulebook.rules if rule.code]
    return Coverage(
        rulebook=rulebook.name,
        rules=len(rulebook.rules),
        executable=len(set(executable) - set(missed)),
        text_only=sum(rule.text_only is not None for rule in rulebook.rules),
        by_ruling=sum(rule.by_ruling is not None for rule in rulebook.rules),
        errors=errors,
        unnoticed=missed,
    )


def _failure(case: Case, rulebook: Rulebook) -> str | None:
    try:
        result = run_case(case, rulebook=rulebook)
    except NomoledgerError as error:
        return str(error)
    return None if result.ok else f"{case.file}:{case.line}: {result.difference}"
