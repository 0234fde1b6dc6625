"""Checking a rulebook together with the cases that stand beside it."""

from typing import TYPE_CHECKING

from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.rulebook.check import Coverage


def coverage_of(rulebook: str, blank: bool) -> "Coverage":
    """What checking *rulebook* finds; what keeps it from being read is an error like any other.

    Raises:
        UnknownError: there is no such rulebook.
    """
    from nomoledger.errors import RulebookError
    from nomoledger.rulebook.cases import cases_beside
    from nomoledger.rulebook.check import Coverage, check
    from nomoledger.rulebook.loading import find_rulebook, load
    from nomoledger.rulebook.mutants import mutants

    path = find_rulebook(rulebook)
    try:
        rules = load(rulebook)
        cases = cases_beside(rulebook)
    except RulebookError as error:
        return Coverage(
            rulebook=path.stem,
            rules=0,
            executable=0,
            text_only=0,
            by_ruling=0,
            errors=[str(error)],
            unnoticed=[],
        )
    with progress("checking", len(mutants(rules)) if blank else 0) as advance:
        tell = None if advance is None else lambda what: advance(1)
        return check(rules, cases, blank=blank, progress=tell)
