"""The fields of forms: what is asked, and what can be chosen, in words."""

from collections.abc import Sequence
from typing import Any

import msgspec

from nomoledger.engine.action_fields import ActionField
from nomoledger.engine.possible_acts import PossibleAct
from nomoledger.prose.names import Names, plain


class Choice(msgspec.Struct, frozen=True):
    """Something to choose: the *value* that a request holds, and the *label* that people read."""

    value: str
    label: str


class FormField(msgspec.Struct, frozen=True):
    """A field of a form.

    Attributes:
        name: the parameter.
        label: the parameter in words.
        kind: "choice", "choices" (several), "words" (a choice or any other text), "number", "flag",
            "list", "rows", "text", or "given" (the one choice is given with the offer).
        choices: what can be chosen.
        default: the value at the start, as text.
        is_needed: whether the request needs a value.
        columns: what each of the rows holds.
        least, most: the bounds of a number as things are; None if the rules tell none.
    """

    name: str
    label: str
    kind: str
    choices: tuple[Choice, ...] = ()
    default: str = ""
    is_needed: bool = True
    columns: tuple["FormField", ...] = ()
    least: int | None = None
    most: int | None = None


def field_of(names: Names, field: ActionField, acts: Sequence[PossibleAct] = ()) -> FormField:
    """Return *field* with the things that the possible *acts* take in it, or with all things."""
    fixed = list(dict.fromkeys(a.arguments[field.name] for a in acts if field.name in a.arguments))
    values = fixed or list(field.things)
    choices = tuple(Choice(requested(names, value), _label(names, value)) for value in values)
    columns = tuple(field_of(names, column) for column in field.columns)
    if columns:
        kind, choices = "rows", ()
    elif field.takes_things or fixed:
        kind = "choices" if field.takes_several else "choice"
    else:
        kinds = {"Number": "number", "Money": "number", "Flag": "flag"}
        kind = "list" if field.takes_several else kinds.get(field.type, "text")
    default = "" if field.default is None else _written(field.default)
    needed = field.is_needed
    return FormField(field.name, plain(field.name), kind, choices, default, needed, columns)


def requested(names: Names, value: Any) -> str:
    """Return *value* as a request holds it."""
    return _written(value) if isinstance(value, bool) else str(names.world.label(value))


def _label(names: Names, value: Any) -> str:
    """Return what people read of *value* in a list: squares with their names."""
    if isinstance(value, bool):
        return _written(value)
    label, phrase = str(names.label(value)), names.phrase(value)
    return label if label == phrase else phrase if label in phrase else f"{label} {phrase}"


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
