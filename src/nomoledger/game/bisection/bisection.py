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
from nomoledger.engine.statement_check import check_statement
from nomoledger.engine.statement_names import StatementNames
from nomoledger.engine.statements import Statement
from nomoledger.errors import CorruptError, UsageError
from nomoledger.events.rules import Rule
from nomoledger.game.bisection.search import DataRequest, Search, TurningPoint
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.period_reader import PeriodReader
from nomoledger.ledger.snapshots import StoredSnapshots, load_nearest
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox, stream_from_sandbox
from nomoledger.state.world import World

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
    check_entered(ledger, game, text)
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


def check_entered(ledger: Ledger, game: str, text: str) -> None:
    """Check that *text* is a statement, and that everything it names was in *game* at some time.

    Raises:
        UsageError: it is no statement, no truth value, or names something that never was there.
    """
    names, world = StatementNames(), load_nearest(ledger, game)
    names.add_world(world)
    try:
        _check(text, names, _rules_at_closes(world))
    except UsageError:
        _check(text, _all_names(ledger, game), _all_rules(ledger, game))


def _check(text: str, names: StatementNames, rules: Iterable[Rule]) -> None:
    distinct = list({id(rule): rule for rule in rules}.values())
    call_in_sandbox(_check_in_sandbox, text, names, distinct, kind=None)


def _check_in_sandbox(text: str, names: StatementNames, rules: list[Rule]) -> None:
    names.add_rules(rules)
    names.add_code(rules)
    check_statement(Statement(text), names)


def _rules_at_closes(world: World) -> Iterator[Rule]:
    """Yield the rules in *world*, and at all closes before it."""
    for state in (world.game, *world.past.values()):
        yield from state.get("former", ())
        yield from state["rules"]


def _all_names(ledger: Ledger, game: str) -> StatementNames:
    """Return the names that all things of *game* ever had."""
    names, kinds = StatementNames(), dict[str, str]()
    history = History(ledger, game)
    for body in (entry.body for entry in history.entries()):
        if isinstance(body, e.EntityCreated):
            kinds[body.entity] = body.kind
            names.things.setdefault(body.kind, set()).update((body.entity, *_keys(body.attributes)))
        elif isinstance(body, e.AttributeSet) and body.entity in kinds:
            names.things[kinds[body.entity]].update(_keys({body.attribute: body.value}))
    names.add_world(history.world())
    return names


def _keys(attributes: dict[str, Any]) -> Iterator[Any]:
    """Yield the values of *attributes* by which people may call a thing."""
    return (value for value in attributes.values() if isinstance(value, str | int))


def _all_rules(ledger: Ledger, game: str) -> Iterator[Rule]:
    """Yield every rule that was ever in force."""
    for entry in ledger.read(game):
        body = entry.body
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            yield body.rule
        elif isinstance(body, e.Settled):
            for rules in body.rulesets.values():
                yield from rules
