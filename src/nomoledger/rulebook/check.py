"""The report of `rules check`: faults of a rulebook, its coverage, and what no case notices."""

import msgspec

from nomoledger.parallel import Pool
from nomoledger.parallel.serial_pool import SerialPool
from nomoledger.rulebook.cases import Case
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.mutation_testing import Progress, find_unnoticed
from nomoledger.rulebook.reach import run_and_record
from nomoledger.sandbox.sandbox import call_in_sandbox


class Coverage(msgspec.Struct, frozen=True):
    """What `rules check` reports.

    Attributes:
        rulebook: the name of the rulebook.
        rules: how many rules there are, without common definitions.
        executable: how many rules have code; with `blank`, only those whose loss is noticed.
        text_only, by_ruling: how many state that nothing is executed, or that the admin decides.
        errors: faults as `file:line: rule N: what`, and failing cases.
        unnoticed: rules, hooks and parameters that can be altered without a case failing.
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
    pool: Pool | None = None,
    progress: Progress | None = None,
) -> Coverage:
    """Return the coverage of *rulebook* by *cases*.

    With *blank*, alter each rule's code, each hook and each parameter in turn, in *pool* (default:
    in this process); *progress* is called with the name of each.
    """
    errors = call_in_sandbox(find_faults, rulebook, kind=list[str])
    unnoticed: list[str] = []
    if not errors:
        reaches = run_and_record(cases, rulebook)
        errors = [reach.failure for reach in reaches if reach.failure is not None]
        if blank and not errors:
            unnoticed = find_unnoticed(rulebook, cases, reaches, pool or SerialPool(), progress)
    rules = [rule for rule in rulebook.rules if not rule.common]
    executable = {rule.number for rule in rules if rule.code or rule.uses}
    return Coverage(
        rulebook=rulebook.name,
        rules=len(rules),
        executable=len(executable - set(unnoticed)),
        text_only=sum(rule.text_only is not None for rule in rules),
        by_ruling=sum(rule.by_ruling is not None for rule in rules),
        errors=errors,
        unnoticed=unnoticed,
    )
