"""Mutation testing of a rulebook: which alterations does no case notice?

Each mutant is tried on the cases in the order in which they are likely to notice it, until one
fails. Cases that reach the altered code come first, the quick ones of them before the slow ones;
a mutant counts as unnoticed only after every case has passed.
"""

from collections.abc import Callable
from functools import partial

import msgspec

from nomoledger.errors import RuleFault
from nomoledger.language.program import Program, link_as
from nomoledger.parallel import Pool
from nomoledger.rulebook.cases import Case
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.mutants import Mutant, mutants
from nomoledger.rulebook.partial_program import NotCompiledError, PartialProgram
from nomoledger.rulebook.reach import Reach, failure_of
from nomoledger.sandbox.prepared import PreparedSandbox
from nomoledger.sandbox.sandbox import call_in_sandbox

Progress = Callable[[str], None]


class MutationTest:
    """A rulebook, its cases with what each reaches, and its mutants."""

    def __init__(self, rulebook: Rulebook, cases: list[Case], reaches: list[Reach]) -> None:
        """Prepare the test; *reaches* has what each of *cases* reaches."""
        self.rulebook = rulebook
        self.cases = list(zip(cases, reaches, strict=True))
        self.mutants = mutants(rulebook)
        self.unchanged = {rule.number: rule for rule in rulebook.rules}

    def is_noticed(self, mutant: Mutant) -> bool:
        """Return whether a case fails under the rules of *mutant*."""
        rulebook = msgspec.structs.replace(self.rulebook, rules=mutant.rules)
        return any(
            self.fails(case, rulebook, reach) for case, reach in self.in_likely_order(mutant)
        )

    def in_likely_order(self, mutant: Mutant) -> list[tuple[Case, Reach]]:
        """Return all cases, those first that are likely to notice *mutant* soon."""

        def rank(run: tuple[Case, Reach]) -> tuple[bool, bool, int]:
            case, reach = run
            is_reached = not reach.places.isdisjoint(mutant.places)
            return not is_reached, mutant.number not in case.source, reach.weight

        return sorted(self.cases, key=rank)

    def fails(self, case: Case, rulebook: Rulebook, reach: Reach) -> bool:
        """Return whether *case*, which reached *reach* without the alteration, fails now."""
        part = partial(PartialProgram, reach.operations, self.unchanged)
        try:
            with link_as(part):
                return failure_of(case, rulebook) is not None
        except NotCompiledError:
            with link_as(Program):
                return failure_of(case, rulebook) is not None


def find_unnoticed(
    rulebook: Rulebook,
    cases: list[Case],
    reaches: list[Reach],
    pool: Pool,
    progress: Progress | None = None,
) -> list[str]:
    """Return what of *rulebook* can be altered without any of *cases* failing, in rulebook order.

    *reaches* is what each case reaches when nothing is altered. The workers of *pool* share the
    mutants; *progress* is called with the name of each mutant.
    """
    names = names_of_mutants(rulebook)
    noticed: dict[int, bool] = {}
    for place, is_noticed in pool.map(_Tries, (rulebook, cases, reaches), range(len(names))):
        noticed[place] = is_noticed
        if progress is not None:
            progress(names[place])
    unnoticed: list[str] = []
    for place, what in enumerate(names):
        if not noticed[place] and not any(what.startswith(f"{rule}.") for rule in unnoticed):
            unnoticed.append(what)
    return unnoticed


def names_of_mutants(rulebook: Rulebook) -> list[str]:
    """Return what can be altered in *rulebook*, in rulebook order."""
    return call_in_sandbox(_names_of_mutants, rulebook, kind=list[str])


def _names_of_mutants(rulebook: Rulebook) -> list[str]:
    return [mutant.what for mutant in mutants(rulebook)]


class _Tries:
    """Tries mutants in one sandbox, which is prepared once."""

    def __init__(self, rulebook: Rulebook, cases: list[Case], reaches: list[Reach]) -> None:
        self._sandbox = PreparedSandbox(_prepared_tries, (rulebook, cases, reaches))

    def __call__(self, place: int) -> bool:
        """Return whether a case notices the mutant at *place*.

        A mutant that uses up its time or its memory is noticed.
        """
        try:
            return bool(self._sandbox.call(place, kind=bool))
        except RuleFault:
            return True


def _prepared_tries(
    rulebook: Rulebook, cases: list[Case], reaches: list[Reach]
) -> Callable[[int], bool]:
    test = MutationTest(rulebook, cases, reaches)
    return lambda place: test.is_noticed(test.mutants[place])
