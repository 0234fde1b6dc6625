"""Bisection: find the event after which a statement about a game became true.

The statement is checked at the closes of the periods first, in order. In the first period at whose
close it is true, the attempts are bisected, and the events of the attempt are checked one by one. A
statement that is true only between two closes is therefore found only if every attempt is checked.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.batches import encode_batch
from nomoledger.engine.statements import Statement
from nomoledger.errors import CorruptError, UsageError
from nomoledger.events.rules import Rule
from nomoledger.game.bisection.search import (
    DataRequest,
    Search,
    TurningPoint,
    names_in_rules,
)
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.period_reader import PeriodReader
from nomoledger.ledger.snapshots import StoredSnapshots, load_nearest
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox, stream_from_sandbox

__all__ = ["TurningPoint", "bisect"]

#: The limits of one step of the search, which may apply very many events.
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
    """Find the event of *game* after which the statement *text* became true.

    The statement is checked at the closes of periods and at the end, or after *every* attempt.
    *done* is called with the number of events that were applied.

    Raises:
        UsageError: *text* is not a statement, or names something that the game never had.
    """
    last = ledger.head(game).number
    check_names(ledger, game, text)
    stored = StoredSnapshots(ledger, game)
    supply = _Supply(ledger, game, stored, last, done)
    found = TurningPoint(game, text, None, events=last + 1)
    (result,) = stream_from_sandbox(
        _search, found, stored.places, last, every, limits=limits or LIMITS, answer=supply.answer
    )
    return msgspec.msgpack.decode(result, type=TurningPoint)


def _search(
    found: TurningPoint, snapshots: dict[int, int], last: int, every: bool
) -> Iterator[bytes]:
    """Yield the result of a search, which asks the parent for data. This runs in a sandbox."""
    yield Search(found, snapshots).run(last, every)


class _Supply:
    """Answers the requests of a search from *ledger*, and reports its progress to *done*."""

    def __init__(
        self,
        ledger: Ledger,
        game: str,
        stored: StoredSnapshots,
        last: int,
        done: Callable[[int], Any],
    ) -> None:
        """Answer requests about *game* up to event *last*."""
        self._ledger = ledger
        self._game = game
        self._stored = stored
        self._done = done
        self._reached = 0
        self._periods = PeriodReader(ledger, game, last)

    def answer(self, request: bytes) -> bytes:
        """Return the answer to *request*, an encoded `DataRequest`."""
        wanted = msgspec.msgpack.decode(request, type=DataRequest)
        if wanted.what == "snapshot":
            self._report_progress(wanted.number)
            try:
                return msgspec.msgpack.encode(self._stored.content(wanted.number))
            except CorruptError:  # an unreadable snapshot counts as missing
                return msgspec.msgpack.encode(None)
        if wanted.what == "event":
            entries = self._ledger.read(self._game, wanted.number - 1, wanted.number)
        else:
            entries = self._periods.after(wanted.after)
        bodies = [entry.body for entry in entries]
        self._report_progress(wanted.after + len(bodies))
        return encode_batch(bodies)

    def _report_progress(self, number: int) -> None:
        if number > self._reached:
            self._done(number - self._reached)
            self._reached = number


def check_names(ledger: Ledger, game: str, text: str) -> None:
    """Check that *text* is a statement, and that all names in it occur in *game*.

    Raises:
        UsageError: a name was never an attribute, a commodity or a value of the rules.
    """
    unknown, _ = _names(text, _latest_rules(ledger, game))
    if not unknown:
        return
    unknown, known = _names(text, _all_rules(ledger, game))
    if unknown:
        names = ", ".join(sorted(known))
        raise UsageError(f"the game never had the name {min(unknown)!r}; it had: {names}")


def _names(text: str, rules: Iterable[Rule]) -> tuple[set[str], set[str]]:
    """Return the names in the statement *text* that *rules* do not declare, and those they do."""
    distinct = list({id(rule): rule for rule in rules}.values())
    return call_in_sandbox(_compare_names, text, distinct, kind=tuple[set[str], set[str]])


def _compare_names(text: str, rules: list[Rule]) -> tuple[set[str], set[str]]:
    known = names_in_rules(rules) | Statement.OWN
    return Statement(text).names() - known, known


def _latest_rules(ledger: Ledger, game: str) -> Iterator[Rule]:
    """Yield the rules at all closes up to the last snapshot."""
    world = load_nearest(ledger, game)
    for state in (world.game, *world.past.values()):
        yield from state["rules"]


def _all_rules(ledger: Ledger, game: str) -> Iterator[Rule]:
    """Yield every rule that was ever in force."""
    for entry in ledger.read(game):
        body = entry.body
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            yield body.rule
        elif isinstance(body, e.Settled):
            for rules in body.rulesets.values():
                yield from rules
