"""Finds the event after which a statement about a game became true.

The statement is held against the closes of the periods first, in their order; the period at whose
close it holds for the first time is halved, attempt by attempt, and the attempt gone through event
by event. So a statement must hold at a close to be found, unless every attempt is looked at.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.statements import Statement
from nomoledger.errors import CorruptError, UsageError
from nomoledger.events.codec import encode, tag_of
from nomoledger.events.rules import Rule
from nomoledger.game.bisection.search import Search, TurningPoint, Wanted, names_in
from nomoledger.game.bisection.world_supply import supply_worlds
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.period_reader import PeriodReader
from nomoledger.ledger.snapshots import StoredSnapshots, load_nearest
from nomoledger.sandbox.child import Limits

__all__ = ["TurningPoint", "bisect"]

#: What one stretch of the search may use; it may go over very many events.
LIMITS = Limits(cpu_seconds=300.0, wall_seconds=600.0)


def bisect(
    ledger: Ledger,
    game: str,
    text: str,
    *,
    every: bool = False,
    limits: Limits | None = None,
    done: Callable[[int], Any] = lambda count: None,
) -> TurningPoint:
    """The event of *game* after which the statement *text* became true.

    It is looked for at the closes of the periods and as things stand, or after *every* attempt.
    *done* is told how many events have been gone over.

    Raises:
        UsageError: *text* is no statement, or speaks of what the game never had.
    """
    statement, last = Statement(text), ledger.head(game).number
    check_names(ledger, game, statement)
    stored = StoredSnapshots(ledger, game)
    supplies = _Supplies(ledger, game, stored, last, done)
    search = Search(
        TurningPoint(game, statement.text, None, events=last + 1), statement, stored.worthwhile
    )
    made = supply_worlds(partial(search.run, last, every), supplies.give, limits or LIMITS)
    return msgspec.msgpack.decode(made, type=TurningPoint)


class _Supplies:
    """What a search asks for, out of *ledger*; *done* is told how far it has come."""

    def __init__(
        self,
        ledger: Ledger,
        game: str,
        stored: StoredSnapshots,
        last: int,
        done: Callable[[int], Any],
    ) -> None:
        self._ledger = ledger
        self._game = game
        self._stored = stored
        self._done = done
        self._reached = 0
        self._stretches = PeriodReader(ledger, game, last)

    def give(self, wanted: bytes) -> bytes:
        """The answer to what is *wanted*."""
        asked = msgspec.msgpack.decode(wanted, type=Wanted)
        if asked.what == "snapshot":
            self._tell(asked.number)
            try:
                return msgspec.msgpack.encode(self._stored.content(asked.number))
            except CorruptError:  # it is as if there were none
                return msgspec.msgpack.encode(None)
        if asked.what == "event":
            entries = self._ledger.read(self._game, asked.number - 1, asked.number)
        else:
            entries = self._stretches.after(asked.after)
        bodies = [each.body for each in entries]
        self._tell(asked.after + len(bodies))
        return msgspec.msgpack.encode([(tag_of(each), encode(each)) for each in bodies])

    def _tell(self, number: int) -> None:
        if number > self._reached:
            self._done(number - self._reached)
            self._reached = number


def check_names(ledger: Ledger, game: str, statement: Statement) -> None:
    """Turn down what nothing in the whole of *game* was ever called.

    Raises:
        UsageError: a NAME was at no time an attribute, a commodity or a value of the rules.
    """
    unknown = statement.names() - Statement.OWN - _called(_latest_rules(ledger, game))
    if not unknown:
        return
    called = _called(_all_rules(ledger, game)) | Statement.OWN
    if unknown := unknown - called:
        there = ", ".join(sorted(called))
        raise UsageError(f"nothing in the game was called {min(unknown)!r}; there was: {there}")


def _latest_rules(ledger: Ledger, game: str) -> Iterator[Rule]:
    """The rules at all closes up to the last snapshot."""
    world = load_nearest(ledger, game)
    for stood in (world.game, *world.past.values()):
        yield from stood["rules"]


def _all_rules(ledger: Ledger, game: str) -> Iterator[Rule]:
    """Every rule that was ever in force."""
    for entry in ledger.read(game):
        body = entry.body
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            yield body.rule
        elif isinstance(body, e.Settled):
            for rules in body.rulesets.values():
                yield from rules


def _called(rules: Iterable[Rule]) -> set[str]:
    """All that *rules* name."""
    different = {id(rule): rule for rule in rules}
    return {name for rule in different.values() for name in names_in(rule)}
