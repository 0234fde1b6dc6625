"""Events in public terms: numbers that count sealed things become public numbers."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.levels import LEVELS
from nomoledger.proof.addresses import Addresses
from nomoledger.proof.public_numbering import SEALED, PublicNumbers
from nomoledger.state.reducer import SETTLE

_CITE = re.compile(r"#([0-9]{1,18})")
#: The event that a ruling collides with: see `nomoledger.engine.settlement.ruling_attempt`.
_COLLISION = re.compile(r"^(later play does not fit: )#([0-9]{1,18})")
_RULING = re.compile(r"^(ruling[ :]|settling ruling )([0-9]{1,18})")
#: Keys with event numbers in the report of a replay or a what-if.
_EVENT_KEYS = frozenset({"event", "first", "fact", "after", "about", "cause"})


def map_event_numbers(value: Any, number_of: Callable[[int], int], key: str = "") -> Any:
    """Return the report *value*, under *key*, with `number_of(number)` for each event number."""
    if isinstance(value, dict):
        return {name: map_event_numbers(field, number_of, name) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [map_event_numbers(item, number_of, key) for item in value]
    is_number = key in _EVENT_KEYS and isinstance(value, int) and not isinstance(value, bool)
    return number_of(value) if is_number else value


def without_totals(body: e.Event) -> e.Event:
    """Return *body* without what depends on the whole state, with its secrets.

    This is the digest in a close, and what an attempt used of the limits.
    """
    if isinstance(body, e.PeriodClosed):
        return msgspec.structs.replace(body, digest="")
    if isinstance(body, e.AttemptDone | e.AttemptRefused) and body.used is not None:
        return msgspec.structs.replace(body, used=None)
    return body


def cited_events(body: e.Event) -> set[int]:
    """Return the numbers of the events in the ledger that a dispute or ruling *body* refers to."""
    numbers: set[int] = set()
    if (about := getattr(body, "about", None)) is not None:
        numbers.add(about)
    if isinstance(body, e.RulingMade):
        numbers |= {int(cite[1:]) for cite in body.cites if _CITE.fullmatch(cite)}
        numbers |= {
            edit.after if isinstance(edit, e.TakenIn) else edit.event
            for edit in body.edits
            if not isinstance(edit, e.Answered)
        }
    elif isinstance(body, e.DisputeArgued):

        def collect(number: int) -> int:
            numbers.add(number)
            return number

        map_event_numbers(body.evidence, collect)
    return numbers


class Terms:
    """Translates events to public terms.

    Attributes:
        events: the public numbers of events.
        rulings: the public numbers of rulings.
        disputes: the public numbers of disputes.
        level: the level of the game.
        addresses: the addresses that were given in public events so far.
    """

    def __init__(self) -> None:
        """Begin with nothing sealed."""
        self.events = PublicNumbers()
        self.rulings = PublicNumbers()
        self.disputes = PublicNumbers()
        self.level = LEVELS[0]
        self.addresses = Addresses()

    def seal(self, number: int, body: e.Event) -> None:
        """Mark event *number* as sealed, and the ruling or dispute that it begins."""
        self.events.seal(number)
        if isinstance(body, e.RulingMade):
            self.rulings.seal(body.number)
        elif isinstance(body, e.DisputeOpened):
            self.disputes.seal(body.number)

    def of(self, body: e.Event) -> e.Event:
        """Return *body* in public terms, without digests and counts that depend on secrets.

        From level 4 on, addresses are withheld, too.
        """
        body = without_totals(body)
        if self.level.withholds_addresses:
            body = self.addresses.withheld(body)
        if self.events.is_plain:
            return body
        fields: dict[str, Any] = {}
        if body.cause is not None:
            fields["cause"] = self.events.of(body.cause)
        if any(rule.startswith("ruling:") for rule in body.rules):
            fields["rules"] = tuple(map(self._with_ruling, body.rules))
            for name in ("why", "source"):
                if isinstance(text := getattr(body, name, None), str):
                    fields[name] = self._with_ruling(text)
        more = _FIELDS.get(type(body))
        if more is not None:
            fields |= more(self, body)
        return msgspec.structs.replace(body, **fields)

    # --- fields of events

    def _event(self, number: int | None) -> int | None:
        return None if number is None else self.events.of(number)

    def _with_ruling(self, text: str) -> str:
        """Return *text* with the public number of the ruling that it may begin with."""
        return _RULING.sub(lambda match: f"{match[1]}{self.rulings.of(int(match[2]))}", text)

    def _citation(self, text: str) -> str:
        return _CITE.sub(lambda match: f"#{self.events.of(int(match[1]))}", text)

    def _why(self, text: str) -> str:
        """Return the reason *text* of a refused ruling; people may have written `#17` in it."""
        if not self.level.cites_in_place:
            return self._citation(text)
        return _COLLISION.sub(lambda match: f"{match[1]}#{self.events.of(int(match[2]))}", text)

    def _known_rulings(self, numbers: Any) -> tuple[int, ...]:
        """Return the public numbers of those rulings that are public."""
        return tuple(x for x in map(self.rulings.of, numbers or ()) if x != SEALED)

    def _dispute(self, number: int | None) -> int | None:
        known = None if number is None else self.disputes.of(number)
        return None if known == SEALED else known

    def _fact(self, body: Any) -> dict[str, Any]:
        return {"fact": self.events.of(body.fact)}

    def _not_compared(self, body: e.FactNotCompared) -> dict[str, Any]:
        return {"fact": self.events.of(body.fact), "since": self.events.of(body.since)}

    def _since(self, body: e.MadeUnknown) -> dict[str, Any]:
        return {"since": self.events.of(body.since)}

    def _foreseen(self, body: e.EndForeseen) -> dict[str, Any]:
        return {"since": self._event(body.since)}

    def _prevailed(self, body: e.RecordPrevailed) -> dict[str, Any]:
        return {"fact": self.events.of(body.fact), "follows": self._event(body.follows)}

    def _opened(self, body: e.DisputeOpened) -> dict[str, Any]:
        return {"number": self.disputes.of(body.number), "about": self._event(body.about)}

    def _argued(self, body: e.DisputeArgued) -> dict[str, Any]:
        return {
            "dispute": self.disputes.of(body.dispute),
            "evidence": map_event_numbers(body.evidence, self.events.of),
        }

    def _ruling(self, body: e.RulingMade) -> dict[str, Any]:
        return {
            "number": self.rulings.of(body.number),
            "cites": tuple(self._citation(x) if _CITE.fullmatch(x) else x for x in body.cites),
            "about": self._event(body.about),
            "edits": tuple(map(self._edit, body.edits)),
            "overrules": self._known_rulings(body.overrules),
            "closes": self._dispute(body.closes),
        }

    def _edit(self, edit: e.Edit) -> e.Edit:
        if isinstance(edit, e.TakenIn):
            return msgspec.structs.replace(edit, after=self.events.of(edit.after))
        if isinstance(edit, e.Answered):
            return edit
        return msgspec.structs.replace(edit, event=self.events.of(edit.event))

    def _refused(self, body: e.AttemptRefused) -> dict[str, Any]:
        """Translate reasons that name rulings, and events if a ruling cannot be settled."""
        is_settlement = body.operation == SETTLE
        reasons = (
            e.Reason(self._with_ruling(x.rule), self._why(x.text) if is_settlement else x.text)
            for x in body.reasons
        )
        return {"reasons": tuple(reasons)}

    def _scheduled(self, body: e.Scheduled) -> dict[str, Any]:
        return {"arguments": self._arguments(body.operation, body.arguments)}

    def _arguments(self, operation: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Translate the arguments of *operation*; the end of a status names its first event."""
        if operation != "@expire" or len(arguments) != 3:
            return arguments
        entity, attribute, number = arguments
        return entity, attribute, self.events.of(number)

    def _settled(self, body: e.Settled) -> dict[str, Any]:
        waiting = body.waiting
        return {
            "ruling": self.rulings.of(body.ruling),
            "tables": tuple((path, self._state(path, value)) for path, value in body.tables),
            "waiting": None if waiting is None else tuple(map(self._waiting, waiting)),
        }

    def _waiting(self, waiting: str | e.Waiting) -> str | e.Waiting:
        if isinstance(waiting, str):
            return waiting
        arguments = self._arguments(waiting.operation, waiting.arguments)
        cause = self.events.of(waiting.cause)
        return msgspec.structs.replace(waiting, arguments=arguments, cause=cause)

    def _state(self, path: tuple[Any, ...], value: Any) -> Any:
        """Translate *value*, the new state at *path*, which may contain numbers of rulings."""
        if path[0] == "edges" and isinstance(value, int):
            return self.rulings.of(value)
        if tuple(path) == ("game", "refused") or (path[0] == "past" and path[-1] == "ruled"):
            return value and self._known_rulings(value)
        if path[0] == "precedents" and isinstance(value, dict):
            return value | {"ruling": self.rulings.of(value["ruling"])}
        return value


_FIELDS: dict[type[e.Event], Callable[[Terms, Any], dict[str, Any]]] = {
    e.FactConfirmed: Terms._fact,
    e.FactUnexplained: Terms._fact,
    e.FactNotCompared: Terms._not_compared,
    e.MadeKnown: Terms._fact,
    e.MadeUnknown: Terms._since,
    e.EndForeseen: Terms._foreseen,
    e.RecordPrevailed: Terms._prevailed,
    e.DisputeOpened: Terms._opened,
    e.DisputeArgued: Terms._argued,
    e.RulingMade: Terms._ruling,
    e.AttemptRefused: Terms._refused,
    e.Scheduled: Terms._scheduled,
    e.Settled: Terms._settled,
}
