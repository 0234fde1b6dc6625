"""Edits of the tape, as rulings make them."""

from typing import Any

import msgspec


class Replaced(msgspec.Struct, frozen=True, tag_field="edit", tag="replaced"):
    """Input or draw *event* should have been *value* (dice, a choice, a verdict, or fields)."""

    event: int
    value: Any


class LeftOut(msgspec.Struct, frozen=True, tag_field="edit", tag="left-out"):
    """Input *event* should not have been there."""

    event: int


class TakenIn(msgspec.Struct, frozen=True, tag_field="edit", tag="taken-in"):
    """After event *after*, player *by* asked for *action*, which was overlooked."""

    after: int
    by: str
    action: str
    arguments: dict[str, Any] = {}


class Answered(msgspec.Struct, frozen=True, tag_field="edit", tag="answered"):
    """*question*, which nobody was asked in recorded play, gets *value* for an answer."""

    question: str
    value: Any


Edit = Replaced | LeftOut | TakenIn | Answered
