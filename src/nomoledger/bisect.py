"""Finds the event after which a statement about a game became true.

The statement is held against the closes of the periods first, in their order; the period at whose
close it holds for the first time is halved, attempt by attempt, and the attempt gone through event
by event. So a statement must hold at a close to be found, unless every attempt is looked at.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.fence import Limits
from nomoledger.known import copied
from nomoledger.ledger import Ledger
from nomoledger.reducer import apply
from nomoledger.rules.rule import Rule
from nomoledger.statements import Statement
from nomoledger.work import in_worker
from nomoledger.world import World

#: After these nothing is half done: the last events of an attempt, and the call for a close.
_ENDS = e.AttemptDone | e.AttemptRefused | e.QuestionRaised | e.CloseAsked | e.PeriodClosed
_CHANGES_RULES = e.RuleEnacted | e.RuleAmended | e.RuleRepealed | e.RuleRenumbered
#: What one stretch of the search may use; it may go over very many events.
LIMITS = Limits(cpu_seconds=300.0, wall_seconds=600.0)


class Turn(msgspec.Struct, frozen=True):
    """Where *statement* became true.

    Attributes:
        event, period, at: the event after which it holds; None where it never came to hold.
        told, rules: that event in words, and the rules behind it.
        because, because_told: the input that led to it.
        from_start: whether it held as soon as the game was open. holds_now: whether it still does.
        looks, events: how often it was held against a world, and how many events there are.
    """

    game: str
    statement: str
    event: int | None
    period: int | None = None
    at: datetime | None = None
    told: str = ""
    rules: tuple[str, ...] = ()
    because: int | None = None
    because_told: str = ""
    from_start: bool = False
    holds_now: bool = False
    looks: int = 0
    events: int = 0


def bisect(
    ledger: Ledger,
    game: str,
    text: str,
    *,
    every: bool = False,
    limits: Limits | None = None,
    done: Callable[[int], Any] = lambda count: None,
) -> Turn:
    """The event of *game* after which the statement *text* became true.

    It is looked for at the closes of the periods and as things stand, or after *every* attempt.
    *done* is told how many events have been gone over.

    Raises:
        UsageError: *text* is no statement, or speaks of what the game never had.
    """
    entries, statement = list(ledger.read(game)), Statement(text)
    check_names(statement, entries)

    def pieces() -> Iterator[bytes]:
        search = _Search(game, entries, statement)
        for at in search.run(every):
            yield str(at).encode()
        yield msgspec.json.encode(search.found)

    before = 0
    for piece in in_worker(pieces, limits or LIMITS):
        if piece.isdigit():
            done(int(piece) - before)
            before = int(piece)
    return msgspec.json.decode(piece, type=Turn)


def check_names(statement: Statement, entries: Sequence[e.Entry]) -> None:
    """Turn down what nothing in the whole game was ever called.

    Raises:
        UsageError: a NAME was at no time an attribute, a commodity or a value of the rules.
    """
    bodies = (each.body for each in entries)
    rules = [body.rule for body in bodies if isinstance(body, e.RuleEnacted | e.RuleAmended)]
    known = Statement.OWN | {name for rule in rules for name in _names(rule)}
    if unknown := sorted(statement.names() - known):
        there = ", ".join(sorted(known))
        raise UsageError(f"nothing in the game was called {unknown[0]!r}; there was: {there}")


def _names(rule: Rule) -> Iterator[str]:
    from nomoledger.rules.code import read

    yield from rule.commodities
    for attributes in rule.declares.values():
        yield from attributes
    yield from (hook.operation for hook in read(rule).hooks if hook.kind == "value")


class _Search:
    """One statement, and a world that goes to and fro over *entries*."""

    def __init__(self, game: str, entries: Sequence[e.Entry], statement: Statement) -> None:
        self.game = game
        self.bodies = [each.body for each in entries]
        self.statement = statement
        self.world = World()
        self.looks = 0
        self._asks: tuple[tuple[Rule, ...], bool] = ((), False)
        self.found = Turn(game, statement.text, None, events=len(entries))

    def run(self, every: bool) -> Iterator[int]:
        """Look; gives how far it has gone over the events."""
        last = len(self.bodies) - 1
        ends = [at for at, body in enumerate(self.bodies) if isinstance(body, _ENDS) or at == last]
        closes = [at for at in ends if isinstance(self.bodies[at], e.PeriodClosed) or at == last]
        for close in dict.fromkeys((ends[0], *closes)):
            opening = self._snapshot(close)
            within = [at for at in ends if opening.head < at <= close]
            if (stop := self._first_stop(within, every)) is not None:
                self.world = opening
                self._found(within[: within.index(stop) + 1], stop == ends[0])
                break
            yield close
        self._go_to(last)
        holds_now = self.found.event is not None and self._holds()
        replaced = {"holds_now": holds_now, "looks": self.looks}
        self.found = msgspec.structs.replace(self.found, **replaced)

    def _snapshot(self, close: int) -> World:
        """The world as it stands, while this one goes on to event *close*."""
        following = self.bodies[self.world.head + 1 : close + 1]
        return copied(self.world, past=any(isinstance(each, e.Settled) for each in following))

    def _first_stop(self, ends: list[int], every: bool) -> int | None:
        """The first of *ends* at which it holds; only the last is looked at, unless *every* is."""
        for stop in ends if every else ends[-1:]:
            self._go_to(stop)
            if self._holds():
                return stop
        return None

    def _go_to(self, stop: int) -> None:
        for at in range(self.world.head + 1, stop + 1):
            apply(self.world, self.bodies[at])

    def _holds(self, rules: tuple[Rule, ...] | None = None) -> bool:
        """Whether it holds here, under *rules* (those in force)."""
        from nomoledger.rules.program import linked

        self.looks += 1
        rules = self.world.rules if rules is None else rules
        if self._asks[0] is not rules:
            self._asks = rules, self.statement.asks(rules)
        return self.statement.holds(self.world, linked(rules) if self._asks[1] else None)

    def _found(self, ends: list[int], from_start: bool) -> None:
        """Take down the event, in the first of the attempts ending at *ends* at which it holds."""
        low, high = -1, len(ends) - 1
        while high - low > 1:
            middle, mark = (low + high) // 2, self.world.mark()
            self._go_to(ends[middle])
            if self._holds():
                high = middle
                self.world.rollback(mark)
            else:
                low = middle
                self.world.release(mark)
        at = ends[high] if from_start else self._within(ends[high])
        self._tell(at, from_start)

    def _within(self, end: int) -> int:
        """The event of the attempt up to *end* from which on it holds.

        A change of rules is in force from the end of the attempt that makes it: where nothing else
        in the attempt made the statement true, that did.
        """
        mark, rules = self.world.mark(), self.world.rules
        first, changed = None, end
        for at in range(self.world.head + 1, end + 1):
            apply(self.world, self.bodies[at])
            if isinstance(self.bodies[at], _CHANGES_RULES) and not self._speaks_of_it(changed):
                changed = at
            if not self._holds(rules):
                first = None
            elif first is None:
                first = at
        self.world.rollback(mark)
        return changed if first is None else first

    def _speaks_of_it(self, at: int) -> bool:
        """Whether event *at* brings in a rule that has to do with what is asked for."""
        rule = getattr(self.bodies[at], "rule", None)
        return isinstance(rule, Rule) and not self.statement.names().isdisjoint(_names(rule))

    def _tell(self, at: int, from_start: bool) -> None:
        from nomoledger.trails import Names

        self._go_to(at - 1)
        names, body = Names(self.world), self.bodies[at]
        apply(self.world, body)
        names.learn([body])
        root = at
        while (cause := self.bodies[root].cause) is not None:
            root = cause
        self.found = Turn(
            self.game,
            self.statement.text,
            at,
            period=body.period,
            at=body.received_at,
            told=names.said(body),
            rules=body.rules,
            because=None if root == at else root,
            because_told="" if root == at else names.said(self.bodies[root]),
            from_start=from_start,
            events=len(self.bodies),
        )
