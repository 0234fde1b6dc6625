"""Repeal testing of a rulebook: after which changes of its rules does a game get stuck?

Each change is tried in the middle of a simulated game. Workers share the changes.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger.errors import RuleFault
from nomoledger.game.simulation.control_game import PERIODS, ControlGame, play_control_game
from nomoledger.game.simulation.repeal_trial import Finding, RepealTrials
from nomoledger.game.simulation.rule_changes import SORTS, TriedChange, drawn, rule_changes
from nomoledger.game.simulation.samples import examples_of
from nomoledger.parallel import Pool
from nomoledger.parallel.serial_pool import SerialPool
from nomoledger.rulebook.loading import Rulebook, load
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.prepared import PreparedSandbox
from nomoledger.sandbox.sandbox import call_in_sandbox

Progress = Callable[[str], None]
#: What one trial may use, and the control game.
LIMITS = Limits(cpu_seconds=120.0, wall_seconds=600.0)
#: The numbers of players, in the order in which they are tried: with more, games last longer.
PLAYERS_TRIED = (4, 6, 8)
#: How many seasons are tried with each number of players until one does not end early.
SEASONS_TRIED_MAX = 3


class Stuck(msgspec.Struct, frozen=True):
    """A change after which a game cannot go on.

    Attributes:
        change: the change, such as "VI.1" or "V.1.dollars_per_number=11".
        reason: the request, the rule and the message.
    """

    change: str
    reason: str


class Tally(msgspec.Struct, frozen=True):
    """What became of the changes of one sort.

    Attributes:
        tried: how many were tried.
        playable: how many of these leave a game that goes on.
        essential: changes that repeal a rule without which, it says, there is no game.
        stuck: the changes after which a game cannot go on.
    """

    tried: int = 0
    playable: int = 0
    essential: list[str] = []
    stuck: list[Stuck] = []


class RepealReport(msgspec.Struct, frozen=True):
    """What `rules check --repeal` reports.

    Attributes:
        rules: each rule repealed.
        parameters: each number amended up and down, and each list by one entry less.
        chapters: each chapter repealed whole.
        renumberings: each rule moved to a free number.
    """

    rules: Tally = Tally()
    parameters: Tally = Tally()
    chapters: Tally = Tally()
    renumberings: Tally = Tally()

    def tallies(self) -> dict[str, Tally]:
        """Return the tally of each sort of changes."""
        return {sort: getattr(self, sort) for sort in SORTS}


def changes_of(rulebook: str, sample: int | None = None, seed: int = 1) -> list[TriedChange]:
    """Return the changes of *rulebook* to be tried: *sample* of each sort, or all if it is None."""
    return drawn(rule_changes(load(rulebook).rules), sample, seed)


def find_stuck(
    rulebook: str,
    changes: list[TriedChange],
    *,
    seed: int = 1,
    pool: Pool | None = None,
    progress: Progress | None = None,
) -> RepealReport:
    """Try *changes* of *rulebook* in the middle of games, and return what became of each.

    *seed* decides all random choices. The changes are tried in *pool* (default: in this process).
    *progress* is called with the name of each change.

    Raises:
        UnknownError: there is no such rulebook.
        RuleFault: the game fails even if no rule changes.
    """
    book, examples = load(rulebook), examples_of(rulebook)
    control = _control_game(book, examples, seed)
    findings: dict[int, Finding | None] = {}
    shared = control, examples, seed
    for place, finding in (pool or SerialPool()).map(_Trials, shared, changes):
        findings[place] = finding
        if progress is not None:
            progress(changes[place].name)
    tried = [(change, findings[place]) for place, change in enumerate(changes)]
    return RepealReport(**{sort: _tally(sort, tried) for sort in SORTS})


def _control_game(book: Rulebook, examples: Any, seed: int) -> ControlGame:
    for players in PLAYERS_TRIED:
        for attempt in range(SEASONS_TRIED_MAX):
            test = book, examples, seed + attempt, players
            game = call_in_sandbox(_play, *test, kind=ControlGame | None, limits=LIMITS)
            if game is not None:
                return game
    raise RuleFault(f"{book.name}: every simulated game ends within {PERIODS} periods")


def _play(book: Rulebook, examples: Any, seed: int, players: int) -> ControlGame | None:
    return play_control_game(book.rules, book.name, examples, seed, players)


def _tally(sort: str, tried: list[tuple[TriedChange, Finding | None]]) -> Tally:
    """Return the tally of the changes of *sort* among those that were *tried*."""
    of_sort = [(change, finding) for change, finding in tried if change.sort == sort]
    essential = [change.name for change, _ in of_sort if change.essential]
    stuck = [
        Stuck(change.name, finding.reason)
        for change, finding in of_sort
        if finding is not None and (finding.is_fault or not change.essential)
    ]
    not_playable = {*essential, *(one.change for one in stuck)}
    return Tally(len(of_sort), len(of_sort) - len(not_playable), essential, stuck)


class _Trials:
    """Makes trials in one sandbox, which is prepared once."""

    def __init__(self, control: ControlGame, examples: Any, seed: int) -> None:
        self._sandbox = PreparedSandbox(_prepared_trials, (control, examples, seed), LIMITS)

    def __call__(self, change: TriedChange) -> Finding | None:
        """Return why a game cannot go on after *change*, or None.

        A game that uses up its time or its memory cannot go on.
        """
        try:
            found: Finding | None = self._sandbox.call(change, kind=Finding | None)
        except RuleFault as fault:
            return Finding(str(fault), is_fault=True)
        return found


def _prepared_trials(
    control: ControlGame, examples: Any, seed: int
) -> Callable[[TriedChange], Finding | None]:
    return RepealTrials(control, examples, seed).finding
