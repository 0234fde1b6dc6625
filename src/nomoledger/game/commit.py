"""Takes an input in, has the rules carry it out, and stores what follows.

One attempt is one transaction. The rules run in a worker process (`nomoledger.sandbox.child`), so whatever
a rule does, the ledger holds whole attempts only. Two may write into one game: whoever is late
reads on and tries again.
"""

import secrets as random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.batches import stream_batches
from nomoledger.engine.oracles import seeded_oracle
from nomoledger.errors import ConflictError, RuleFault, StoreError, UsageError
from nomoledger.game.engines import new_engine
from nomoledger.language.host import ask_people
from nomoledger.ledger.as_of import only_game, world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.snapshots import store_snapshot
from nomoledger.sandbox.child import Limits
from nomoledger.state.reducer import SETTLE, apply, to_seconds
from nomoledger.state.world import World

if TYPE_CHECKING:
    from nomoledger.proof.seal_keeper import SealKeeper

TRIES_MAX = 50
#: A ruling that reaches back may run a long game again.
RERUN_LIMITS = Limits(cpu_seconds=900.0, wall_seconds=1_800.0)


class Outcome(msgspec.Struct, frozen=True):
    """What came of a request: every event that was stored because of it, in order."""

    events: tuple[e.Event, ...]

    @property
    def refusals(self) -> list[e.AttemptRefused]:
        """What the game said no to."""
        return [each for each in self.events if isinstance(each, e.AttemptRefused)]

    @property
    def questions(self) -> list[e.QuestionRaised]:
        """What has to be answered before play goes on."""
        return [each for each in self.events if isinstance(each, e.QuestionRaised)]


class GameWriter:
    """One game in one ledger, and how its inputs are taken in."""

    def __init__(
        self,
        ledger: Ledger,
        game: str | None = None,
        *,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.ledger = ledger
        self.game = game or only_game(ledger)
        self.limits = limits
        self.clock = clock
        self.world = world_of(ledger, self.game)

    def take(
        self,
        kind: type[e.Input],
        /,
        *,
        at: datetime | None = None,
        id: str | None = None,
        **fields: Any,
    ) -> Outcome:
        """Record an input of *kind* and everything that follows from it."""
        id = id or random.token_hex(6)
        stored: list[e.Event] = []
        for _ in range(TRIES_MAX):
            try:
                self.catch_up()
                if not fields.get("urgent"):
                    self.resume()
                event = self._input(kind, at, id, fields)
                self._run(partial(_taking, event), stored, self._tape(event))
                return Outcome(tuple(stored))
            except ConflictError:
                if stored:  # ours is in; somebody else goes on with what follows from it
                    self.catch_up()
                    return Outcome((*stored, *self.resume().events))
        raise ConflictError(f"{self.game}: too many others are writing; nothing was recorded")

    def again(self, id: object) -> Outcome | None:
        """What came of the request of that *id* when it was first made, if it was."""
        number = self.ledger.find_input(self.game, id) if isinstance(id, str) else None
        return None if number is None else self._told_before(number)

    def _told_before(self, number: int) -> Outcome:
        """What came of the input of that *number* when it was first received."""
        first, *rest = (entry.body for entry in self.ledger.read(self.game, after=number - 1))
        following = takewhile(lambda event: not isinstance(event, e.Input), rest)
        return Outcome((first, *following))

    def _input(
        self,
        kind: type[e.Input],
        at: datetime | None,
        id: str,
        fields: dict[str, Any],
    ) -> e.Input:
        if set(id) & {"|", ">"} or not id.isprintable():
            raise UsageError(f"{id!r} cannot be an id: no | or >, and nothing unprintable")
        clock = self.clock().replace(microsecond=0)
        at = (at or max(clock, _moment(self.world))).replace(microsecond=0)
        if to_seconds(at) < self.world.game["now"]:
            raise UsageError(
                f"{self.game}: received {at:%Y-%m-%d %H:%M:%S}, but what came at "
                f"{_moment(self.world):%Y-%m-%d %H:%M:%S} is already carried out:"
                " a ruling can take it in (nomoledger ruling --take-in)"
            )
        if kind is e.ProposalMade:
            fields["number"] = max(self.world.proposals, default=0) + 1
        elif kind is e.RulingMade:
            fields["number"] = self.world.game.get("rulings", 0) + 1
        elif kind is e.DisputeOpened:
            fields["number"] = max(self.world.disputes, default=0) + 1
        period = self.world.period
        return kind(id=id, period=period, received_at=at, recorded_at=clock, **fields)

    def catch_up(self) -> None:
        """Read what others have appended."""
        for entry in self.ledger.read(self.game, after=self.world.head):
            apply(self.world, entry.body)

    def resume(self) -> Outcome:
        """Go on with what an interrupted command left on the agenda."""
        stored: list[e.Event] = []
        if self._pending():
            head = self.world.agenda[0].operation if self.world.agenda else ""
            tape = list(self.ledger.read(self.game)) if head == SETTLE else []
            self._run(Engine.run, stored, tape)
        return Outcome(tuple(stored))

    def _tape(self, event: e.Input) -> list[e.Entry]:
        """What is recorded so far, where *event* reaches back to it."""
        reaches_back = isinstance(event, e.RulingMade) and event.effective is not None
        return list(self.ledger.read(self.game)) if reaches_back else []

    def _run(
        self,
        follow: Callable[[Engine], Iterator[Batch]],
        stored: list[e.Event],
        tape: list[e.Entry],
    ) -> None:
        secret = self.ledger.secret(self.game)
        oracle = seeded_oracle(secret) if self.world.game["dice"] == "seeded" else ask_people
        engine = new_engine(self.world, oracle, secret, tape=tape)
        limits = RERUN_LIMITS if tape and self.limits is None else self.limits
        try:
            for batch in stream_batches(follow, engine, limits):
                self.ledger.append(self.game, batch, expected=self.world.head)
                for event in batch:
                    apply(self.world, event)
                    if isinstance(event, e.PeriodClosed):
                        store_snapshot(self.ledger, self.game, self.world)
                stored.extend(batch)
                if any(isinstance(event, e.PeriodClosed) for event in batch):
                    self._seal()
        except RuleFault as fault:
            raise RuleFault(f"{fault}; {_so_far(stored)}", rule=fault.rule) from None

    def _seal(self) -> None:
        """Seal the period that has closed; where the database fails, the next close does it."""
        try:
            self._seals.keep_up()
        except StoreError:
            vars(self).pop("_seals", None)

    @cached_property
    def _seals(self) -> "SealKeeper":
        from nomoledger.proof.seal_keeper import SealKeeper  # only who closes needs it

        return SealKeeper(self.ledger, self.game)

    def _pending(self) -> bool:
        world = self.world
        due = any(t.attempt.at <= world.game["now"] for t in world.timers.values())
        return world.waiting is None and (bool(world.agenda) or due)


def _taking(event: e.Input, engine: Engine) -> Iterator[Batch]:
    return engine.take(event)


def _so_far(stored: list[e.Event]) -> str:
    if not stored:
        return "nothing was recorded"
    return "what came before it is recorded, and play stands still until a ruling changes the rule"


def _moment(world: World) -> datetime:
    return datetime.fromtimestamp(world.game["now"], UTC)
