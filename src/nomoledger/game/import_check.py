"""Checks of a game that comes from a file: what does not verify, or was never played, is refused.

The chain alone proves little about a file: whoever changes an event can compute the chain anew. So
each event is folded and audited as `verify` does it, and what play always keeps is checked besides.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.codec import Encoded
from nomoledger.ledger.chain import hash_records, origin
from nomoledger.proof.content_audit import ContentAudit

#: How deep the values of an event may be nested: older versions recorded values almost that deep.
DEPTH_MAX = 1_000
#: The largest number of a period.
PERIOD_MAX = 10**9
#: The last second that a time can have.
TIME_MAX = int(datetime.max.replace(tzinfo=UTC, microsecond=0).timestamp())
#: What events refer to that is neither an entity nor a rule.
_GAME = "game"


class NotPlayed(Exception):
    """An event cannot have been recorded in play; the text says why."""


class ImportCheck:
    """Checks the events of *game*, with its *secret*, in order."""

    def __init__(self, game: str, secret: bytes) -> None:
        """Begin before the first event."""
        self._game = game
        self._secret = secret
        self._audit = ContentAudit(game, secret)
        self._last = origin(game)
        self._number = 0
        self._input: e.Input | None = None
        self._ids: set[str] = set()
        self._entities = {_GAME}
        self._players = {"admin"}
        self._commodities: set[str] = set()

    def check(self, event: e.Event, record: Encoded) -> str | None:
        """Return why the next *event*, encoded as *record*, is not accepted; None if it is."""
        number = self._number
        _, (self._last,) = hash_records(self._secret, self._last, [(number, *record)])
        try:
            self._check(number, event)
        except NotPlayed as error:
            return str(error)
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            return f"its values cannot be read: {error!r:.200}"
        finding = self._audit.check(number, event, self._last)
        self._number += 1
        return None if finding is None else finding[1]

    def _check(self, number: int, event: e.Event) -> None:
        for name in event.__struct_fields__:
            if name not in ("received_at", "recorded_at", "texts"):
                check_value(getattr(event, name))
        self._check_place(number, event)
        if isinstance(event, e.Input):
            self._check_input(event)
            self._input = event
        check = _CHECKS.get(type(event))
        if check is not None:
            check(self, event)

    def _check_place(self, number: int, event: e.Event) -> None:
        """Check the period, the times and the cause of *event*."""
        if isinstance(event, e.GameOpened) != (number == 0):
            raise NotPlayed("a game begins with one event that opens it")
        if isinstance(event, e.GameOpened) and event.game != self._game:
            raise NotPlayed(f"it opens the game {event.game!r:.80}, not {self._game!r:.80}")
        if not 0 <= event.period <= PERIOD_MAX:
            raise NotPlayed(f"there is no period {event.period}")
        if number and event.period != self._audit.world.period:
            raise NotPlayed(f"it is of period {event.period}, not {self._audit.world.period}")
        for time in (event.received_at, event.recorded_at):
            if time.utcoffset() is None or time.utcoffset() != UTC.utcoffset(None):
                raise NotPlayed("a time is not in UTC")
            if time.microsecond:
                raise NotPlayed("a time is not in whole seconds")
        if isinstance(event, e.Input):
            if event.cause is not None:
                raise NotPlayed("an input has no cause")
        elif event.cause is None or not 0 <= event.cause < number:
            raise NotPlayed("its cause is not an earlier event")

    def _check_input(self, event: e.Input) -> None:
        if event.id in self._ids:
            raise NotPlayed(f"the id {event.id!r:.80} is that of an earlier input")
        if set(event.id) & {"|", ">"} or not event.id.isprintable():
            raise NotPlayed(f"{event.id!r:.80} is no id")
        self._ids.add(event.id)
        turns_back = isinstance(event, e.InputWithdrawn) and event.undoes
        if (
            self._input is not None
            and event.received_at < self._input.received_at
            and not turns_back
        ):
            raise NotPlayed("it was received before the input that precedes it")

    # --- kinds of events

    def _check_request(self, event: Any) -> None:
        if event.by not in self._players:
            raise NotPlayed(f"{event.by!r:.80} is no player")

    def _check_proposal(self, event: Any) -> None:
        if event.proposal not in self._audit.world.proposals:
            raise NotPlayed(f"there is no proposal {event.proposal}")

    def _check_vote(self, event: e.VoteCast) -> None:
        self._check_request(event)
        self._check_proposal(event)

    def _check_ruling(self, event: e.RulingMade) -> None:
        if event.number != self._audit.world.game.get("rulings", 0) + 1:
            raise NotPlayed(f"ruling {event.number} does not follow the ruling before it")

    def _check_dispute(self, event: e.DisputeOpened) -> None:
        if event.number != max(self._audit.world.disputes, default=0) + 1:
            raise NotPlayed(f"dispute {event.number} does not follow the dispute before it")

    def _check_argument(self, event: e.DisputeArgued) -> None:
        if event.dispute not in self._audit.world.disputes:
            raise NotPlayed(f"there is no dispute {event.dispute}")

    def _check_answer(self, event: Any) -> None:
        if event.question not in self._audit.world.questions:
            raise NotPlayed(f"there is no open question {event.question!r:.80}")

    def _check_withdrawn(self, event: e.InputWithdrawn) -> None:
        if event.withdrawn not in self._ids:
            raise NotPlayed(f"there is no input {event.withdrawn!r:.80}")

    def _check_rule(self, event: e.RuleEnacted | e.RuleAmended) -> None:
        known = self._audit.world.rule(event.rule.number) if self._number else None
        if (known is None) != isinstance(event, e.RuleEnacted):
            raise NotPlayed(f"rule {event.rule.number!r:.80} is in force already, or is not")
        self._commodities.update(event.rule.commodities)

    def _check_number(self, event: e.RuleRepealed | e.RuleRenumbered) -> None:
        if self._audit.world.rule(event.number) is None:
            raise NotPlayed(f"there is no rule {event.number!r:.80} in force")

    def _check_settled(self, event: e.Settled) -> None:
        if event.ruling not in self._audit.world.rulings:
            raise NotPlayed(f"there is no ruling {event.ruling}")
        for rules in event.rulesets.values():
            self._commodities.update(name for rule in rules for name in rule.commodities)

    def _check_posted(self, event: e.Posted) -> None:
        sums = Counter[str]()
        for posting in event.postings:
            if posting.commodity not in self._commodities:
                raise NotPlayed(f"there is no commodity {posting.commodity!r:.80}")
            sums[posting.commodity] += posting.amount
        if any(sums.values()):
            raise NotPlayed("its postings do not add up to zero")
        world = self._audit.world
        if event.effective is not None and event.effective not in {*world.past, world.period}:
            raise NotPlayed(f"there is no period {event.effective}")

    def _check_created(self, event: e.EntityCreated) -> None:
        if event.entity in self._audit.world.entities:
            raise NotPlayed(f"there is a {event.entity!r:.80} already")
        self._entities.add(event.entity)
        if event.kind == "player":
            self._players.add(event.entity)

    def _check_entity(self, event: Any) -> None:
        if event.entity not in self._entities:
            raise NotPlayed(f"there is no {event.entity!r:.80}")

    def _check_moved(self, event: e.Moved) -> None:
        for entity in (event.piece, event.to):
            if entity not in self._entities:
                raise NotPlayed(f"there is no {entity!r:.80}")

    def _check_due(self, event: e.Scheduled | e.Rescheduled) -> None:
        if event.due is not None and not -TIME_MAX <= event.due <= TIME_MAX:
            raise NotPlayed(f"{event.due} is no time")


_CHECKS: dict[type[e.Event], Any] = {
    e.AttributeSet: ImportCheck._check_entity,
    e.ChoiceAnswered: ImportCheck._check_answer,
    e.DisputeArgued: ImportCheck._check_argument,
    e.DisputeOpened: ImportCheck._check_dispute,
    e.DrawEntered: ImportCheck._check_answer,
    e.EntityCreated: ImportCheck._check_created,
    e.EntityDestroyed: ImportCheck._check_entity,
    e.InputWithdrawn: ImportCheck._check_withdrawn,
    e.LeaveRequested: ImportCheck._check_request,
    e.Moved: ImportCheck._check_moved,
    e.OrderGiven: ImportCheck._check_request,
    e.Posted: ImportCheck._check_posted,
    e.ProposalJudged: ImportCheck._check_proposal,
    e.Rescheduled: ImportCheck._check_due,
    e.RuleAmended: ImportCheck._check_rule,
    e.RuleEnacted: ImportCheck._check_rule,
    e.RuleRenumbered: ImportCheck._check_number,
    e.RuleRepealed: ImportCheck._check_number,
    e.RulingMade: ImportCheck._check_ruling,
    e.Scheduled: ImportCheck._check_due,
    e.Settled: ImportCheck._check_settled,
    e.SubmissionReceived: ImportCheck._check_request,
    e.VoteCast: ImportCheck._check_vote,
}


def check_value(value: Any) -> None:
    """Check that *value*, a field of an event, holds nothing that play cannot record.

    Raises:
        NotPlayed: it holds bytes, a time, a number without end, or is nested too deep.
    """
    level, depth = [value], 0
    while level:
        if depth > DEPTH_MAX:
            raise NotPlayed(f"a value is nested more than {DEPTH_MAX} levels deep")
        level = [inner for item in level for inner in _parts(item)]
        depth += 1


def _parts(value: Any) -> Iterator[Any]:
    """Yield what *value* consists of."""
    kind = type(value)
    if kind in (str, int, bool, type(None)):
        return
    if kind is dict:
        yield from value
        yield from value.values()
    elif kind in (list, tuple):
        yield from value
    elif isinstance(value, msgspec.Struct):
        yield from (getattr(value, name) for name in value.__struct_fields__)
    elif kind is not float or not isfinite(value):
        raise NotPlayed(f"{value!r:.80} cannot be recorded in play")
