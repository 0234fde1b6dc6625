"""Mutation testing of a rulebook: which alterations does no case notice?

Each mutant is tried on the cases in the order in which they are likely to notice it, until one
fails. Cases that reach the altered code come first, the quick ones of them before the slow ones;
a mutant counts as unnoticed only after every case has passed.
"""

import multiprocessing
import os
from collections.abc import Callable
from functools import partial

import msgspec

from nomoledger.language.program import Program, link_as
from nomoledger.rulebook.cases import Case
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.mutants import Mutant, mutants
from nomoledger.rulebook.partial_program import NotCompiledError, PartialProgram
from nomoledger.rulebook.reach import Reach, failure_of

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


_running: MutationTest | None = None


def find_unnoticed(
    rulebook: Rulebook, cases: list[Case], reaches: list[Reach], progress: Progress | None = None
) -> list[str]:
    """Return what of *rulebook* can be altered without any of *cases* failing, in rulebook order.

    *reaches* is what each case reaches when nothing is altered. The work is spread over all
    processors; *progress* is called with each mutant.
    """
    global _running
    _running = MutationTest(rulebook, cases, reaches)
    unnoticed: list[str] = []
    with multiprocessing.get_context("fork").Pool(os.cpu_count()) as pool:
        for what, is_noticed in pool.imap(_try, range(len(_running.mutants))):
            if progress is not None:
                progress(what)
            if not is_noticed and not any(what.startswith(f"{rule}.") for rule in unnoticed):
                unnoticed.append(what)
    _running = None
    return unnoticed


def _try(place: int) -> tuple[str, bool]:
    assert _running is not None
    mutant = _running.mutants[place]
    return mutant.what, _running.is_noticed(mutant)
