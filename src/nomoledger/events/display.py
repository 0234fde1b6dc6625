"""Text for people within events: recorded, but never part of a comparison or a digest.

Text that rules state is data (`pay(..., "rent on 4")`) and stays: other rules may read it. Text that
the engine composes may be worded differently by every version.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from nomoledger.events.consequences import (
    AttemptRefused,
    FactUnexplained,
    GameEnded,
    OrderLapsed,
    Posted,
    QuestionRaised,
    Reason,
    RecordPrevailed,
)
from nomoledger.events.event import Event

#: Questions whose text the engine composes; all others are put by rules in their own words.
_COMPOSED = ("conflict", "dice", "draw")


def without_display_text(event: Event) -> Any:
    """Return *event* with the text that the engine composed for people left out."""
    blank = _BLANKS.get(type(event))
    return event if blank is None else blank(event)


def _question(event: QuestionRaised) -> Event:
    return replace(event, text="") if event.asks in _COMPOSED else event


def _refusal(event: AttemptRefused) -> Event:
    return replace(event, reasons=tuple(Reason(reason.rule, "") for reason in event.reasons))


def _stated(event: Any) -> Any:
    """Leave out the reason of an event that no rule is behind."""
    author = (*event.rules, "engine")[0]
    is_by_rule = author != "engine" and not author.startswith("ruling:")
    return event if is_by_rule else replace(event, why="")


def _reason(event: Any) -> Any:
    return replace(event, why="")


def _divergence(event: RecordPrevailed) -> Event:
    """Leave out the outcome of an attempt: a refusal, or a question that play waited for."""
    is_outcome = event.recorded in (None, "done") and isinstance(event.by_rules, str)
    return replace(event, by_rules="") if is_outcome else event


_BLANKS: dict[type[Event], Callable[[Any], Any]] = {
    AttemptRefused: _refusal,
    FactUnexplained: _reason,
    GameEnded: _stated,
    OrderLapsed: _reason,
    Posted: _stated,
    QuestionRaised: _question,
    RecordPrevailed: _divergence,
}
