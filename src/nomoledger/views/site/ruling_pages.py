"""The page of a ruling: what was decided, by whom and why, and what it changed for whom."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.rules import Commodity
from nomoledger.language.values import from_units
from nomoledger.prose.descriptions import describe_request
from nomoledger.prose.labels import format_cell
from nomoledger.prose.names import Names
from nomoledger.prose.teller import Teller
from nomoledger.views.site.corrections import Corrections, RuledStanding, ThingChange
from nomoledger.views.site.event_log import EventLine
from nomoledger.views.site.figures import NOTHING, PlayerLink
from nomoledger.views.site.rule_pages import Link
from nomoledger.views.site.site_paths import Ref

#: The event with a public number, if there is one.
FindEvent = Callable[[int], e.Event | None]


class FieldChange(msgspec.Struct, frozen=True):
    """A value as recorded (*before*) and as ruled (*after*). *name* is empty for the only one."""

    name: str
    before: str
    after: str


class EditOnPage(msgspec.Struct, frozen=True):
    """An edit of what was recorded: the event, in words, and what becomes of it."""

    event: Link | None
    text: str
    verdict: str
    fields: tuple[FieldChange, ...] = ()


class RulingPayment(msgspec.Struct, frozen=True):
    """A payment that settled a ruling *for* a period: who pays what, and who gets what."""

    ref: Ref
    period: int | None
    pays: tuple[str, ...]
    gets: tuple[str, ...]


class PlayerEffect(msgspec.Struct, frozen=True):
    """The standing of a player before and after a ruling. *gain* is the difference in money."""

    period: int | None
    before: RuledStanding | None
    after: RuledStanding | None
    gain: str


class RulingConsequences(msgspec.Struct, frozen=True):
    """What came of a ruling that reached back.

    Attributes:
        players: What changed for each player, by period; the present comes last.
        things: What changed in other things, in closed periods.
        periods: The closed periods that were corrected.
        is_settled: Whether the ruling was carried out.
    """

    players: tuple[tuple[str, PlayerLink | None, tuple[PlayerEffect, ...]], ...]
    things: tuple[ThingChange, ...]
    periods: tuple[int, ...]
    is_settled: bool

    @property
    def now(self) -> tuple[tuple[str, PlayerLink | None, str], ...]:
        """How much money each player had more or less at once."""
        return tuple(
            (name, person, row.gain)
            for name, person, rows in self.players
            for row in rows
            if row.period is None and row.gain not in ("", "0")
        )


class RulingTrail:
    """What rulings led to at once: payments, and the other events, by number of the ruling."""

    def __init__(self) -> None:
        self.payments: dict[int, list[RulingPayment]] = {}
        self.lines: dict[int, list[EventLine]] = {}
        self._rulings: dict[int, int] = {}

    def ruling_behind(self, number: int, body: e.Event) -> int | None:
        """Return the ruling that event *number* follows from at once."""
        if isinstance(body, e.RulingMade):
            self._rulings[number] = body.number
        return None if body.cause is None else self._rulings.get(body.cause)

    def add(self, ruling: int, line: EventLine, body: e.Event, names: Names) -> None:
        """Add an event that *ruling* led to."""
        if isinstance(body, e.Posted):
            self.payments.setdefault(ruling, []).append(_payment(line.ref, body, names))
        elif not line.quiet and not isinstance(body, e.AttemptRefused):
            self.lines.setdefault(ruling, []).append(line)


def edits_on_page(
    ruling: e.RulingMade, find: FindEvent, link: Callable[[int], Link], teller: Teller
) -> Iterator[EditOnPage]:
    """Yield the edits of *ruling*. *link* returns the link to an event."""
    for edit in ruling.edits:
        if isinstance(edit, e.TakenIn):
            labels = {name: teller.label(value) for name, value in edit.arguments.items()}
            text = describe_request(edit.by, edit.action, labels)
            yield EditOnPage(link(edit.after), text, "overlooked, and counts after that event")
        elif isinstance(edit, e.Answered):
            asked = teller.without_identifiers(edit.question)
            yield EditOnPage(None, asked, f"is answered: {_cell(edit.value, teller)}")
        else:
            body = find(edit.event)
            text = "an event that is not public" if body is None else teller.tell(body)
            if isinstance(edit, e.LeftOut):
                yield EditOnPage(link(edit.event), text, "does not count")
            else:
                fields_changed = tuple(_fields(body, edit.value, teller))
                yield EditOnPage(link(edit.event), text, "is replaced", fields_changed)


def _fields(body: e.Event | None, value: Any, teller: Teller) -> Iterator[FieldChange]:
    """Yield what *value* replaces in *body*."""
    if isinstance(value, dict):
        for name, after in value.items():
            yield FieldChange(name, _cell(_recorded(body, name), teller), _cell(after, teller))
        return
    for name in ("values", "value", "verdict", "choice"):
        if hasattr(body, name):
            yield FieldChange("", _cell(getattr(body, name), teller), _cell(value, teller))
            return
    yield FieldChange("", "as recorded", _cell(value, teller))


def _recorded(body: e.Event | None, name: str) -> Any:
    """Return the recorded field *name* of *body*: of a line of a record, or of a request."""
    for fields in (getattr(body, "fields", {}), getattr(body, "arguments", {})):
        if name in fields:
            return fields[name]
    return getattr(body, name, None)


def _cell(value: Any, teller: Teller) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_cell(item, teller) for item in value)
    return format_cell(teller.label(value)) or NOTHING


def _payment(ref: Ref, body: e.Posted, names: Names) -> RulingPayment:
    sides: tuple[list[str], list[str]] = ([], [])
    for posting in body.postings:
        places = names.world.commodities().get(posting.commodity, Commodity()).places
        amount = format_cell(from_units(abs(posting.amount), places))
        sides[posting.amount > 0].append(
            f"{names.label(posting.account)} {amount} {posting.commodity}"
        )
    return RulingPayment(ref, body.effective, tuple(sides[0]), tuple(sides[1]))


def consequences_of(
    number: int, corrections: Corrections, people: Mapping[str, PlayerLink]
) -> RulingConsequences | None:
    """Return what came of ruling *number*; None if it did not reach back.

    *people* are the players who have a page, by id.
    """
    effect = corrections.effects.get(number)
    if effect is None:
        return None
    players: dict[str, tuple[str, list[PlayerEffect]]] = {}
    for change in effect.standings:
        _, rows = players.setdefault(change.player, (change.name, []))
        gain = _gain(change.before, change.after)
        rows.append(PlayerEffect(change.period, change.before, change.after, gain))
    order = [*(player for player in people if player in players), *players]
    return RulingConsequences(
        players=tuple(
            (players[player][0], people.get(player), tuple(players[player][1]))
            for player in dict.fromkeys(order)
        ),
        things=tuple(effect.things),
        periods=effect.periods,
        is_settled=effect.is_settled,
    )


def _gain(before: RuledStanding | None, after: RuledStanding | None) -> str:
    if before is None or after is None or before.money is None or after.money is None:
        return ""
    gain = Decimal(str(after.money)) - Decimal(str(before.money))
    return f"{'+' if gain > 0 else ''}{gain}" if gain else "0"
