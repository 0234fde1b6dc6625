"""Edits of the tape, as rulings make them."""

from typing import Any

import msgspec
from msgspec import field


class Replaced(msgspec.Struct, frozen=True, tag_field="edit", tag="replaced"):
    """Input or draw *event* should have been *value* (dice, a choice, a verdict, or fields)."""

    event: int = field(name="event")
    value: Any = field(name="value")


class LeftOut(msgspec.Struct, frozen=True, tag_field="edit", tag="left-out"):
    """Input *event* should not have been there."""

    event: int = field(name="event")


class TakenIn(msgspec.Struct, frozen=True, tag_field="edit", tag="taken-in"):
    """After event *after*, player *by* asked for *action*, which was overlooked."""

    after: int = field(name="after")
    by: str = field(name="by")
    action: str = field(name="action")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class Answered(msgspec.Struct, frozen=True, tag_field="edit", tag="answered"):
    """*question*, which nobody was asked in recorded play, gets *value* for an answer."""

    question: str = field(name="question")
    value: Any = field(name="value")


Edit = Replaced | LeftOut | TakenIn | Answered
