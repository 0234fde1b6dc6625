"""Outcomes of a trial run: what two conflicting definitions would do, compared by their effects."""

from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.levels import LEVELS

#: Fields that place an event, name its cause, or describe it for people.
_NOT_EFFECTS = {"period", "received_at", "recorded_at", "cause", "rules", "source", "why"}


class TrialOutcome(msgspec.Struct, frozen=True):
    """What one of several conflicting definitions would do.

    Attributes:
        returned: the value that the definition returns; None if it was refused.
        events: the events that it would emit.
        refused: the reasons, if it was refused.
    """

    returned: Any = None
    events: tuple[e.Event, ...] = ()
    refused: tuple[str, ...] = ()

    def effects(self, level: int) -> Any:
        """Return a value that is equal for outcomes that are equal in a game of *level*."""
        displayed = LEVELS[level].compares_displayed_effects
        compare = _displayed_effects if displayed else _effects
        return self.refused, self.returned, [compare(event) for event in self.events]


def _effects(event: e.Event) -> Any:
    names = (name for name in event.__struct_fields__ if name not in _NOT_EFFECTS)
    return type(event), {name: getattr(event, name) for name in names}


def _displayed_effects(event: e.Event) -> Any:
    fields = _DISPLAYED_FIELDS.get(type(event))
    return type(event), fields and fields(event)


def _created(event: e.EntityCreated) -> Any:
    entity = None if event.entity.startswith(event.kind) else event.entity
    return event.kind, entity, [(name, str(value)) for name, value in event.attributes.items()]


def _posted(event: e.Posted) -> Any:
    return sorted(event.postings, key=lambda posting: posting.amount > 0), event.why


#: The fields that people are shown, by type of event: all others are ignored.
_DISPLAYED_FIELDS: dict[type[e.Event], Callable[[Any], Any]] = {
    e.AttributeSet: lambda event: (
        event.attribute,
        event.entity,
        str(event.value),
        str(event.until),
    ),
    e.Counted: lambda event: event.key,
    e.EntityCreated: _created,
    e.EntityDestroyed: lambda event: event.entity,
    e.GameEnded: lambda event: event.why,
    e.Moved: lambda event: (event.piece, event.left, event.to, event.passed),
    e.Posted: _posted,
    e.RuleAmended: lambda event: (event.rule.number, event.source),
    e.RuleEnacted: lambda event: (event.rule.number, event.rule.title, event.source),
    e.RuleRenumbered: lambda event: (event.number, event.to, event.source),
    e.RuleRepealed: lambda event: (event.number, event.source),
    e.Scheduled: lambda event: (event.operation, [str(value) for value in event.arguments]),
    e.Unscheduled: lambda event: event.attempt,
}
