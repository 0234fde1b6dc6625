"""Carries out inputs: records them, runs the rules in the sandbox, and commits what follows."""

import secrets as random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from typing import Any, Self

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.dice import may_be_secret
from nomoledger.engine.steps import failed_step
from nomoledger.errors import (
    ConflictError,
    CorruptError,
    LostError,
    RuleFault,
    UnconfirmedError,
    UsageError,
)
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Change
from nomoledger.game.commit import Commit
from nomoledger.game.sandboxed_engine import SandboxedEngine
from nomoledger.intake.bounds import FILE, REQUEST, admitted
from nomoledger.ledger.as_of import only_game
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger, other_history
from nomoledger.ledger.stores.scratch import ScratchStore
from nomoledger.sandbox.limits import Limits
from nomoledger.state.clock import from_seconds
from nomoledger.state.reducer import SETTLE, apply
from nomoledger.state.world import World

TRIES_MAX = 50
ID_CHARACTERS_MAX = 200
#: How far ahead of the clock, and of the game's own time, a request may be dated.
AHEAD_MAX = timedelta(days=366)
#: In how many fresh sandboxes a step must fail before it is dropped.
FRESH_TRIES = 2


class StepDropped(Exception):
    """A step that comes before a request failed and is dropped: make the request again.

    Attributes:
        events: what was recorded of that.
    """

    def __init__(self, events: list[e.Event]) -> None:
        """Say that *events* were recorded."""
        super().__init__()
        self.events = events


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a request: every event that was recorded because of it, in order."""

    events: tuple[e.Event, ...]

    def __repr__(self) -> str:
        """Show the number of events, the refusals and the open questions."""
        reasons = [reason for refusal in self.refusals for reason in refusal.reasons]
        refused = "; ".join(f"{reason.text} ({reason.rule})" for reason in reasons)
        asked = "; ".join(f"{question.to} is asked: {question.text}" for question in self.questions)
        notes = [f"{len(self.events)} events", refused and f"refused: {refused}", asked]
        return f"<Outcome: {', '.join(filter(None, notes))}>"

    @property
    def refusals(self) -> list[e.AttemptRefused]:
        """The attempts that the rules refused."""
        return [event for event in self.events if isinstance(event, e.AttemptRefused)]

    @property
    def questions(self) -> list[e.QuestionRaised]:
        """The questions that must be answered before play goes on."""
        return [event for event in self.events if isinstance(event, e.QuestionRaised)]


class GameWriter:
    """One game in one ledger, and how its inputs are recorded and carried out.

    One attempt is one transaction. The rules run in a sandbox, so the ledger holds whole attempts
    only, whatever a rule does. Several writers may write to one game: the writer that comes second
    reads what is new and tries again.
    """

    def __init__(
        self,
        ledger: Ledger,
        game: str | None = None,
        *,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        throwaway: bytes | None = None,
    ) -> None:
        """Open *game* of *ledger* (its only game if None).

        With *throwaway*, a seed, this is a dry run: see `dry_run`.
        """
        self.ledger = ledger
        self.name = game or only_game(ledger)
        self.limits = limits
        self.clock = clock
        self.history = History(ledger, self.name)
        self.world = self.history.world()
        self.history.forget()
        check_secret(self.world, ledger.secret(self.name), self.name)
        self.throwaway = throwaway
        #: Called with each input before it is recorded. If it raises, nothing is recorded.
        self.before_recording: Callable[[e.Input], None] | None = None
        self._tried_on: World | None = None
        self.engine = SandboxedEngine(self.world, ledger.secret(self.name), limits, throwaway)
        self._commit = Commit(ledger, self.name, self.world)
        self._commit.head = ledger.head_at(self.name, self.world.head)

    @contextmanager
    def dry_run(self) -> Iterator[Self]:
        """Yield this game as a scratch copy: all of its requests work, and none is recorded.

        The dice of the open period come from a seed that is thrown away, so nobody learns how the
        real ones will fall. Up to its first draw, a request has the same outcome as in this game.
        """
        scratch = Ledger(ScratchStore(self.ledger.store, self.ledger.store.location))
        seed = random.token_bytes(32)
        game = type(self)(scratch, self.name, limits=self.limits, clock=self.clock, throwaway=seed)
        try:
            yield game
        finally:
            game.engine.close()

    def receive(
        self,
        kind: type[e.Input],
        /,
        *,
        at: datetime | None = None,
        id: str | None = None,
        **fields: Any,
    ) -> Outcome:
        """Record an input of *kind* with *fields*, and everything that follows from it."""
        id = id or random.token_hex(6)
        try:
            return self._receive(kind, at, id, fields)
        except (LostError, UnconfirmedError) as error:
            once = f"repeated under the id {id}, the request is carried out only once"
            raise type(error)(f"{error}; {once}") from error

    def _receive(
        self, kind: type[e.Input], at: datetime | None, id: str, fields: dict[str, Any]
    ) -> Outcome:
        stored: list[e.Event] = []
        for _ in range(TRIES_MAX):
            try:
                self.catch_up()
                if not fields.get("urgent"):
                    self.resume()
                event = self._input(kind, at, id, fields)
                self._carry_out(event, stored, self._input_log(event))
                return Outcome(tuple(stored))
            except StepDropped:
                continue
            except ConflictError:
                if stored:  # the input is recorded; another writer goes on with what follows
                    self.catch_up()
                    return Outcome((*stored, *self.resume().events))
        raise ConflictError(f"{self.name}: too many others are writing; nothing was recorded")

    @contextmanager
    def trying_on(self, world: World) -> Iterator[None]:
        """Try changes of the rules on *world* in this block, before they are recorded.

        Their code can tell of the state in an error. So *world* is what the proposer may know.
        """
        self._tried_on = world
        try:
            yield
        finally:
            self._tried_on = None

    def refuse_misfits(self, changes: tuple[Change, ...], source: str) -> None:
        """Check that *changes* fit the rules, before *source* ("proposal", "ruling") is recorded.

        They are tried on the state of the game, or on that of `trying_on`.

        Raises:
            MisfitError: they do not fit.
        """
        if changes:
            # Imported late: few requests change rules.
            from nomoledger.game.proposal_check import refuse_misfits

            self.catch_up()
            refuse_misfits(self._tried_on or self.world, changes, source, self.limits)

    def again(self, id: object) -> Outcome | None:
        """Return the outcome of the request of that *id*, if it was made before.

        It is safe then: on the standby of the server, too, if there is one.
        """
        number = self.ledger.find_input(self.name, id) if isinstance(id, str) else None
        if number is None:
            return None
        outcome = self._recorded_outcome(number)
        self.ledger.confirm()
        return outcome

    def finished(self, outcome: Outcome) -> Outcome:
        """Carry out what an interrupted process left of the request with that *outcome*.

        Returns:
            The outcome with what was carried out now; *outcome* if nothing was left.
        """
        for _ in range(TRIES_MAX):
            try:
                self.catch_up()
                if not self.resume().events:
                    return outcome
                recorded = outcome.events[0]
                assert isinstance(recorded, e.Input)
                return self.again(recorded.id) or outcome
            except ConflictError:
                continue  # another writer goes on with it
        raise ConflictError(f"{self.name}: too many others are writing; try again")

    def _recorded_outcome(self, number: int) -> Outcome:
        """Return the outcome of input *number* when it was first received."""
        first, *rest = (entry.body for entry in self.ledger.read(self.name, after=number - 1))
        following = takewhile(_is_of_request, rest)
        return Outcome((first, *following))

    def _input(
        self,
        kind: type[e.Input],
        at: datetime | None,
        id: str,
        fields: dict[str, Any],
    ) -> e.Input:
        is_fit = not set(id) & {"|", ">"} and id.isprintable() and id[:1] != "-"
        if not is_fit or not 0 < len(id) <= ID_CHARACTERS_MAX:
            raise UsageError(
                f"{id!r:.60} cannot be an id: 1 to {ID_CHARACTERS_MAX} characters, no | or >, no -"
                " at the start, and nothing unprintable"
            )
        clock = self.clock().replace(microsecond=0)
        at = (at or max(clock, _game_time(self.world))).replace(microsecond=0)
        check_not_far_ahead(at, max(clock, _game_time(self.world)), self.name)
        if at < (earliest := self._earliest(kind, fields)):
            raise UsageError(
                f"{self.name}: received {at:%Y-%m-%d %H:%M:%S}, but what came at "
                f"{earliest:%Y-%m-%d %H:%M:%S} is already carried out:"
                " a ruling can take it in (nomoledger ruling --take-in)"
            )
        if kind is e.ProposalMade:
            fields["number"] = max(self.world.proposals, default=0) + 1
        elif kind is e.RulingMade:
            fields["number"] = self.world.game.get("rulings", 0) + 1
        elif kind is e.DisputeOpened:
            fields["number"] = max(self.world.disputes, default=0) + 1
        period = self.world.period
        event = kind(id=id, period=period, received_at=at, recorded_at=clock, **fields)
        bounds = FILE if kind is e.DisputeArgued else REQUEST  # evidence is computed by us
        event = admitted(event, "the request", bounds, normalizes=self.is_normal)
        if self.before_recording is not None:
            self.before_recording(event)
        return event

    def _earliest(self, kind: type[e.Input], fields: dict[str, Any]) -> datetime:
        """Return the time before which no input of *kind* with *fields* can be received."""
        return _game_time(self.world)

    @property
    def is_normal(self) -> bool:
        """Whether texts are recorded in Unicode's normal form C."""
        return LEVELS[self.world.level].is_normal

    def catch_up(self) -> None:
        """Fold what other writers have appended.

        Raises:
            StoreError: the game is not the one that was read before.
        """
        head, known = self.ledger.head(self.name), self._commit.head
        if head == known:
            return
        if known is not None and not self.ledger.had_head(self.name, known):
            raise other_history(self.name, self.ledger.store.location)
        for entry in self.ledger.read(self.name, after=self.world.head, upto=head.number):
            apply(self.world, entry.body)
            self.engine.follow(entry.body)
        self._commit.head = head

    def resume(self) -> Outcome:
        """Carry out what an interrupted process left on the agenda."""
        stored: list[e.Event] = []
        if self.is_pending():
            operation = self.world.agenda[0].operation if self.world.agenda else ""
            log = self.history.entries() if operation == SETTLE else []
            self._carry_out(None, stored, log)
        return Outcome(tuple(stored))

    def is_pending(self) -> bool:
        """Return whether something is due or on the agenda, and no question suspends it."""
        world = self.world
        due = any(timer.attempt.at <= world.game["now"] for timer in world.timers.values())
        return world.waiting is None and (bool(world.agenda) or due)

    def _input_log(self, event: e.Input) -> list[e.Entry]:
        """Return all that is recorded, if *event* is a ruling that reaches back."""
        reaches_back = isinstance(event, e.RulingMade) and event.effective is not None
        return self.history.entries() if reaches_back else []

    def _carry_out(
        self, job: e.Input | None, stored: list[e.Event], log: list[e.Entry] | None = None
    ) -> None:
        """Carry out *job*, or what is on the agenda if it is None; add the events to *stored*.

        A step that takes too much time or memory is tried in two fresh sandboxes, then dropped (see
        `StepFailed`). If that step is what *job* asks for, nothing is recorded.

        Raises:
            RuleFault: what *job* asks for fails, or the rules cannot be run at all.
            StepDropped: a step that comes before *job* failed. It is dropped; *job* is not
                recorded, and is to be made again.
        """
        failures = 0
        alike: dict[str, set[str]] = {}
        while True:
            head = self.world.head
            try:
                self._commit_all(self._batches(job, log or []), stored)
                return
            except RuleFault as fault:
                if self.world.head == head:
                    failures += 1
                else:  # The rest of the job failed, in a sandbox that was used before.
                    job, log, failures = None, None, 0
                failed = failed_step(self.world, fault, job, alike)
                if failed is None:
                    raise fault.restated(f"{fault}; {_so_far(stored)}") from None
                if failures < FRESH_TRIES:
                    continue
            at = _game_time(self.world) if job is None else job.received_at
            step = self._input(e.StepFailed, at, random.token_hex(6), failed)
            if job is not None:
                dropped: list[e.Event] = []
                self._carry_out(step, dropped)
                raise StepDropped(dropped)
            job, failures = step, 0

    def _batches(self, job: e.Input | None, log: list[e.Entry]) -> Iterator[Batch]:
        return self.engine.run(log) if job is None else self.engine.process(job, log)

    def _commit_all(self, batches: Iterator[Batch], stored: list[e.Event]) -> None:
        """Commit *batches* one by one as the rules make them; they are added to *stored*."""
        for batch in batches:
            self._commit.append(batch)
            self.history.add(batch)
            stored.extend(batch)
            if isinstance(batch[-1], e.PeriodClosed):
                self.history.forget()


def _is_of_request(event: e.Event) -> bool:
    """Return whether *event* belongs to the outcome of the request before it."""
    return isinstance(event, e.StepFailed) or not isinstance(event, e.Input)


def check_secret(world: World, secret: bytes, game: str) -> None:
    """Check that *secret* is that of *game*, as far as its state commits to the secret.

    Raises:
        CorruptError: it is not, so that its dice would be those of another game.
    """
    committed = world.game.get("commitment") or ""
    if not may_be_secret(secret, world.period, world.game["dice"], committed):
        raise CorruptError(
            f"{game}: the secret in this ledger is not that of the game: with it, no die of period"
            f" {world.period} can be drawn, no record checked, and no sealed event opened; import"
            " an export, or copy a ledger, that still has the right secret"
        )


def check_not_far_ahead(at: datetime, now: datetime, what: str) -> None:
    """Refuse the time *at* if it is so far after *now* that it must be a slip.

    A game whose time is far ahead could not be played until then.

    Raises:
        UsageError: it is; the message begins with *what* it is the time of.
    """
    if at > now and at - now > AHEAD_MAX:
        raise UsageError(
            f"{what}: {at:%Y-%m-%d %H:%M:%S} is more than a year ahead: check the date; if time is"
            " to pass, advance by a year at most"
        )


def _so_far(stored: list[e.Event]) -> str:
    if not stored:
        return "nothing was recorded"
    return "what came before it is recorded, and play stands still until a ruling changes the rule"


def _game_time(world: World) -> datetime:
    return from_seconds(world.game["now"])
