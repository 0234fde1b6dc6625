"""Outcomes of a trial run: what two conflicting definitions would do, compared by their effects."""

from collections.abc import Callable
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.levels import LEVELS

#: Fields that say where an event stands, who caused it, and what people are told about it.
_NOT_EFFECTS = {"period", "received_at", "recorded_at", "cause", "rules", "source", "why"}


class TrialOutcome(msgspec.Struct, frozen=True):
    """What one definition would do.

    Attributes:
        returned: the value that it returns; None where it was refused.
        events: what it would record.
        refused: the reasons, where it was refused.
    """

    returned: Any = None
    events: tuple[e.Event, ...] = ()
    refused: tuple[str, ...] = ()

    def effects(self, level: int) -> Any:
        """Return a value that is equal for outcomes that count as equal in a game of *level*."""
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


#: The fields that people were shown in level 0, by type of event: all others are ignored.
_DISPLAYED_FIELDS: dict[type[e.Event], Callable[[Any], Any]] = {
    e.AttributeSet: lambda x: (x.attribute, x.entity, str(x.value), str(x.until)),
    e.Counted: lambda x: x.key,
    e.EntityCreated: _created,
    e.EntityDestroyed: lambda x: x.entity,
    e.GameEnded: lambda x: x.why,
    e.Moved: lambda x: (x.piece, x.left, x.to, x.passed),
    e.Posted: _posted,
    e.RuleAmended: lambda x: (x.rule.number, x.source),
    e.RuleEnacted: lambda x: (x.rule.number, x.rule.title, x.source),
    e.RuleRenumbered: lambda x: (x.number, x.to, x.source),
    e.RuleRepealed: lambda x: (x.number, x.source),
    e.Scheduled: lambda x: (x.operation, [str(each) for each in x.arguments]),
    e.Unscheduled: lambda x: x.attempt,
}
