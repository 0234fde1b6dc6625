"""One future of a game after the other, played by bots in a sandbox on one world.

A future period repeats what was done in one of the latest closed periods: the same players do the
same things in the same order, with new dice. What the rules refuse is tried with other arguments, a
few times, and else left out. After each future, everything is rolled back.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from fractions import Fraction
from random import Random
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.oracles import SeededOracle
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Change, Do
from nomoledger.game.engines import new_engine
from nomoledger.game.forecast.play_pattern import (
    DO,
    JUDGE,
    PROPOSE,
    SUBMIT,
    VOTE,
    PatternStep,
    PlayPattern,
)
from nomoledger.game.simulation.bots import Bots
from nomoledger.language.operations import Operation
from nomoledger.state.clock import from_seconds, to_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: With how many other arguments a refused request is tried.
TRIES_MAX = 3
#: How many questions may follow from one request before the future is given up.
QUESTIONS_MAX = 50


class FutureRules(msgspec.Struct, frozen=True):
    """The rules under which futures are played.

    Attributes:
        changes: changes that take force at once.
        voids: a proposal that is taken off the table first; None for none.
    """

    changes: tuple[Change, ...] = ()
    voids: int | None = None


class PlayedFuture(msgspec.Struct, frozen=True):
    """What one future came to.

    Attributes:
        money: for each period, the money of each player at its close, in units.
        acted: the numbers of the rules that acted.
        ended: why the game ended, or None.
        failed: why the future could not be played to its end, or None.
        winner: who won when the game ended, if the rules named somebody.
        periods_won: how many periods there are from that end on, with the one in which it came.
    """

    money: list[dict[str, int]]
    acted: list[str]
    ended: str | None = None
    failed: str | None = None
    winner: str | None = None
    periods_won: int = 0

    def share_of_first(self, player: str, period: int) -> Fraction:
        """Return 1 if only *player* is first at the close of *period*, a part of it in a tie.

        The first is who has won. Before somebody has, it is who has most money.
        """
        if self.winner is not None and period >= len(self.money) - self.periods_won:
            return Fraction(player == self.winner)
        money = self.money[period]
        most = max(money.values(), default=0)
        if money.get(player) != most:
            return Fraction(0)
        return Fraction(1, sum(other == most for other in money.values()))


class Futures:
    """The futures of a game under some rules.

    Attributes:
        world: the state of the game now; it is the same again after each future.
    """

    def __init__(self, world: World, patterns: list[PlayPattern], periods: int, seed: int) -> None:
        """Play *periods* periods of each future; *seed* decides all that is drawn."""
        self.world = world
        self._patterns = patterns
        self._periods = periods
        self._seed = seed

    def play(self, number: int, rules: FutureRules) -> PlayedFuture:
        """Return what future *number* comes to under *rules*."""
        mark = self.world.mark()
        try:
            return _Future(self.world, self._patterns, f"{self._seed} {number}").play(
                self._periods, rules
            )
        finally:
            self.world.rollback(mark)


class _Future:
    """One future being played."""

    def __init__(self, world: World, patterns: list[PlayPattern], seed: str) -> None:
        secret = hashlib.sha256(f"future {seed}".encode()).digest()
        self.world = world
        self.patterns = patterns
        self.seed = seed
        self.engine = new_engine(world, SeededOracle(secret), secret)
        self.bots = Bots(self.engine, Random(seed), {})
        self.at = from_seconds(world.game["now"])
        self.count = 0
        self.acted: set[str] = set()

    def play(self, periods: int, rules: FutureRules) -> PlayedFuture:
        money: list[dict[str, int]] = []
        failed = None
        try:
            self._take_force(rules)
            for _ in range(periods):
                self._period()
                money.append(self._money())
                if self.world.game["ended"] is not None:
                    break
        except RuleFault as fault:
            failed = str(fault)
        to_come = periods - len(money)
        money += [money[-1] if money else self._money()] * to_come
        game, acted = self.world.game, sorted(self.acted)
        if game["ended"] is None or not game["winners"]:
            return PlayedFuture(money, acted, game["ended"], failed)
        return PlayedFuture(money, acted, game["ended"], failed, game["winners"][0], to_come + 1)

    def _take_force(self, rules: FutureRules) -> None:
        """Let the changes of *rules* take force.

        Raises:
            RuleFault: the rules refuse the changes.
        """
        if rules.voids is not None:
            self._rule("void", voids=(f"proposal {rules.voids}",))
        if rules.changes:
            refused = self._rule("correct", changes=rules.changes)
            if refused:
                raise RuleFault(f"the change is refused: {refused}")
        self.acted.clear()

    def _rule(self, kind: str, /, **fields: Any) -> str | None:
        number = self.world.game.get("rulings", 0) + 1
        about = {"number": number, "kind": kind, "text": "forecast"}
        return self._play(e.RulingMade, **about, **fields)

    def _period(self) -> None:
        begin, period = self.at, self.world.period
        pattern = self._chance(period, "pattern").choice(self.patterns)
        for place, step in enumerate(self._steps(pattern)):
            self.at = max(self.at, from_seconds(to_seconds(begin) + step.after))
            self._request(step, self._chance(period, str(place)))
            if self.world.game["ended"] is not None:
                return
        self.at = max(self.at, from_seconds(to_seconds(begin) + pattern.seconds))
        refused = self._play(e.CloseAsked)
        if refused is not None:
            raise RuleFault(f"period {period} cannot be closed: {refused}")

    def _chance(self, period: int, what: str) -> Random:
        """Return choices of their own for one step, so that steps do not disturb each other."""
        return Random(f"{self.seed} {period} {what}")

    def _steps(self, pattern: PlayPattern) -> Iterator[PatternStep]:
        """Yield the steps of *pattern*, and those of somebody in it for each newcomer."""
        players = set(self.world.kinds.get("player", ()))
        known = sorted({step.by for step in pattern.steps} & players)
        newcomers = sorted(players - set(known)) if known else []
        models = {name: known[place % len(known)] for place, name in enumerate(newcomers)}
        for step in pattern.steps:
            if step.by in players or step.by == "admin":
                yield step
            for name, model in models.items():
                if step.by == model:
                    yield _done_by(step, name)

    def _request(self, step: PatternStep, chance: Random) -> None:
        """Try what *step* did; else the same with other arguments."""
        if step.kind == PROPOSE:
            number = max(self.world.proposals, default=0) + 1
            self._play(e.ProposalMade, by=step.by, number=number, text="a proposal", changes=())
        elif step.kind in (VOTE, JUDGE):
            self._decide(step)
        elif step.kind == DO:
            self._do(step, chance)
        elif step.kind == SUBMIT:
            self._submit(step, chance)

    def _decide(self, step: PatternStep) -> None:
        for proposal in list(self.world.proposals)[-8:]:
            if step.kind == JUDGE:
                refused = self._play(e.ProposalJudged, proposal=proposal, verdict=step.what)
            else:
                audience = self.bots.audience(step.by, "vote")
                fields = {"by": step.by, "proposal": proposal, "choice": step.what}
                refused = self._play(e.VoteCast, audience=audience, **fields)
            if refused is None:
                return

    def _do(self, step: PatternStep, chance: Random) -> None:
        """Carry out the operation that a fact started; of a choice, with other arguments too."""
        arguments = step.arguments[""]
        operation = self._operation(step.what)
        if operation is None:
            return
        names = [*operation.names][: len(arguments)]
        for named in self._variants(step, dict(zip(names, arguments, strict=False)), chance):
            do = Do(step.what, named)
            if self._rule("correct", changes=(do,)) is None:
                return

    def _submit(self, step: PatternStep, chance: Random) -> None:
        audience = self.bots.audience(step.by, step.what)
        for arguments in self._variants(step, step.arguments, chance):
            fields = {"by": step.by, "action": step.what, "arguments": arguments}
            if self._play(e.SubmissionReceived, audience=audience, **fields) is None:
                return

    def _variants(
        self, step: PatternStep, recorded: dict[str, Any], chance: Random
    ) -> Iterator[dict[str, Any]]:
        """Yield the recorded arguments, then others of the types that the rules state."""
        operation = self._operation(step.what)
        if operation is None:
            return
        yield recorded
        if len(recorded) <= (step.kind == DO):
            return  # Only the player is named: there is nothing to choose.
        self.bots.samples.chance = self.bots.chance = chance
        first = {operation.names[0]: step.by} if step.kind == DO else {}
        for _ in range(TRIES_MAX):
            arguments = self.bots.samples.arguments(operation, step.by)
            if arguments is None:
                return
            yield first | arguments

    def _operation(self, name: str) -> Operation | None:
        return self.engine.link(self.world.ruleset).links.operations.get(name)

    # --- inputs

    def _play(self, kind: type[e.Input], /, **fields: Any) -> str | None:
        """Carry out a request; return why it is refused, and then nothing of it stays."""
        mark, count = self.world.mark(), self.count
        try:
            refused, acted = self._carry_out(kind, fields)
        except BaseException as error:
            self.world.rollback(mark)
            if isinstance(error, RuleFault) and kind is not e.CloseAsked:
                return str(error)
            raise
        if refused is None:
            self.world.release(mark)
            self.acted |= acted
        else:
            self.world.rollback(mark)
            self.count = count
        return refused

    def _carry_out(
        self, kind: type[e.Input], fields: dict[str, Any]
    ) -> tuple[str | None, set[str]]:
        acted: set[str] = set()
        refused = _refusal(self._batches(kind, fields, acted))
        for _ in range(QUESTIONS_MAX):
            question = self.world.waiting
            if refused is not None or question is None:
                return refused, acted
            if question.asks in ("dice", "draw"):
                apply(self.world, self._event(e.Unscheduled, attempt=self.world.agenda[0].id))
                batches: Iterable[Batch] = self.engine.run()
            else:
                batches = self._batches(*self.bots.answer(question), acted)
            refused = _refusal(batches)
        raise RuleFault(f"more than {QUESTIONS_MAX} questions follow from one request")

    def _batches(
        self, kind: type[e.Input], fields: dict[str, Any], acted: set[str]
    ) -> Iterator[Batch]:
        self.count += 1
        event = self._event(kind, id=f"f{self.count}", **fields)
        assert isinstance(event, e.Input)
        for batch in self.engine.process(event):
            acted |= {rule.partition("@")[0] for item in batch for rule in item.rules}
            yield batch

    def _event(self, kind: type[e.Event], /, **fields: Any) -> e.Event:
        at: datetime = self.at
        return kind(period=self.world.period, received_at=at, recorded_at=at, **fields)

    def _money(self) -> dict[str, int]:
        commodity = next(iter(self.world.commodities()), "")
        players = self.world.kinds.get("player", ())
        return {player: self.world.balance(player, commodity) for player in players}


def _refusal(batches: Iterable[Batch]) -> str | None:
    """Take all *batches*; return the reasons if the request itself is refused."""
    refused, is_first = None, True
    for batch in batches:
        for event in batch:
            if isinstance(event, e.AttemptRefused) and is_first:
                refused = "; ".join(reason.text for reason in event.reasons)
            if isinstance(event, e.AttemptDone | e.AttemptRefused):
                is_first = False
    return refused


def _done_by(step: PatternStep, name: str) -> PatternStep:
    """Return *step* as *name* would do it."""
    arguments = step.arguments
    if step.kind == DO:
        arguments = {"": [name, *step.arguments[""][1:]]}
    return msgspec.structs.replace(step, by=name, arguments=arguments)
