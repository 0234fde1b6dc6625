"""Edits of the recorded inputs, as rulings make them."""

from typing import Any

import msgspec
from msgspec import field


class Replaced(msgspec.Struct, frozen=True, tag_field="edit", tag="replaced"):
    """An input or draw is replaced.

    Attributes:
        event: number of the event.
        value: what it should have been: dice, a choice, a verdict, or fields of the input by name.
    """

    event: int = field(name="event")
    value: Any = field(name="value")


class LeftOut(msgspec.Struct, frozen=True, tag_field="edit", tag="left-out"):
    """An input is left out.

    Attributes:
        event: number of the event.
    """

    event: int = field(name="event")


class TakenIn(msgspec.Struct, frozen=True, tag_field="edit", tag="taken-in"):
    """An overlooked request is inserted.

    Attributes:
        after: number of the event that it came after.
        by: the player who made it.
        action: the action requested.
        arguments: its named arguments.
    """

    after: int = field(name="after")
    by: str = field(name="by")
    action: str = field(name="action")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class Answered(msgspec.Struct, frozen=True, tag_field="edit", tag="answered"):
    """A question that nobody was asked in recorded play is answered.

    Attributes:
        question: address of the question.
        value: the answer.
    """

    question: str = field(name="question")
    value: Any = field(name="value")


Edit = Replaced | LeftOut | TakenIn | Answered
