"""Display text within events: recorded, but never part of a comparison or a digest.

Text that comes from rule code is data (`pay(..., "rent on 4")`) and is kept, because other rules
may read it. Text that the engine composes may differ between versions.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from nomoledger.events.consequences import (
    AttemptRefused,
    CheckSuspended,
    GameEnded,
    OrderLapsed,
    Posted,
    QuestionRaised,
    Reason,
    RuleRepealed,
)
from nomoledger.events.event import Event
from nomoledger.events.fact_outcomes import FactUnexplained, RecordPrevailed

#: How the reason begins for refusing an attempt in which the code of a rule fails.
CODE_FAILED = "the code of this rule failed"
#: How the reason begins for refusing an attempt because of a state-based check.
CHECK_REFUSED = "a check after every request refuses"
#: Questions whose text the engine composes. The text of all others comes from rule code.
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
    """Blank the reason of an event that does not come from a rule."""
    author = (*event.rules, "engine")[0]
    is_by_rule = author != "engine" and not author.startswith("ruling:")
    return event if is_by_rule else replace(event, why="")


def _reason(event: Any) -> Any:
    return replace(event, why="")


def _repeal(event: RuleRepealed) -> Event:
    return replace(event, skipped="") if event.skipped else event


def _divergence(event: RecordPrevailed) -> Event:
    """Blank the outcome of an attempt: a refusal, or a question that play waited for."""
    is_outcome = event.recorded in (None, "done") and isinstance(event.by_rules, str)
    return replace(event, by_rules="") if is_outcome else event


_BLANKS: dict[type[Event], Callable[[Any], Any]] = {
    AttemptRefused: _refusal,
    CheckSuspended: _reason,
    FactUnexplained: _reason,
    GameEnded: _stated,
    OrderLapsed: _reason,
    Posted: _stated,
    QuestionRaised: _question,
    RecordPrevailed: _divergence,
    RuleRepealed: _repeal,
}
