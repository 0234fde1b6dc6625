"""How large, how deep and of what parts a value from outside may be."""

from datetime import date
from typing import Any, NoReturn, TypeVar

import msgspec

from nomoledger.errors import UsageError
from nomoledger.intake.characters import normal, unfit_in_name, unfit_in_text

Value = TypeVar("Value")


class Bounds(msgspec.Struct, frozen=True):
    """What a value from outside may need at most.

    Attributes:
        depth: how many lists and tables may lie within each other.
        parts: how many values there may be in all, each list and table counted, too.
        text: how many characters one text may have.
        characters: how many characters all texts may have together.
        numbered: whether the fields of a table may have numbers as names, as in files of cases.
    """

    depth: int = 32
    parts: int = 20_000
    text: int = 100_000
    characters: int = 1_000_000
    numbered: bool = False


#: The types of values that have no parts; a time is a date, too.
_WHOLE = bool | date | bytes | msgspec.UnsetType
#: What one request may bring.
REQUEST = Bounds()
#: What the admin's own file may bring: a rulebook, or the state of a large game.
FILE = Bounds(parts=2_000_000, characters=50_000_000)
#: What a case may bring.
CASE = Bounds(numbered=True)
#: The largest whole number that is recorded.
NUMBER_MAX = 2**63 - 1
#: How many characters the name of a field may have.
FIELD_CHARACTERS_MAX = 200


def admitted(
    value: Value, what: str, bounds: Bounds = REQUEST, *, normalizes: bool = True
) -> Value:
    r"""Return *value*, once it is known to be within *bounds*; messages begin with *what*.

    A value is a text, a whole number, yes or no, nothing, a time, bytes, a struct, a list, or a
    table whose fields are named by texts. If *normalizes*, texts are returned in normal form C.

    Raises:
        UsageError: the value is too large or too deep, or holds something else; the message names
            the place.

    >>> admitted({"square": 7, "note": "Zoe\u0308"}, "a move") == {"square": 7, "note": "Zo\u00eb"}
    True
    """
    result: Value = _Door(what, bounds, normalizes).value(value, ())
    return result


class _Door:
    """One value on its way in."""

    def __init__(self, what: str, bounds: Bounds, normalizes: bool) -> None:
        self._what = what
        self._bounds = bounds
        self._normalizes = normalizes
        self._parts = self._characters = 0

    def value(self, value: Any, place: tuple[str | int, ...]) -> Any:
        """Return *value*, which stands at *place*, as it is recorded."""
        self._parts += 1
        if self._parts > self._bounds.parts:
            self._refuse((), f"there are more than {self._bounds.parts} parts")
        if value is None or isinstance(value, _WHOLE):
            return value
        if isinstance(value, str):
            return self._text(value, place)
        if isinstance(value, int):
            if abs(value) > NUMBER_MAX:
                self._refuse(place, "a number is too large to be recorded: at most 18 digits")
            return value
        if len(place) >= self._bounds.depth:
            self._refuse((), f"more than {self._bounds.depth} lists and tables in each other")
        if isinstance(value, dict):
            return self._table(value, place)
        if isinstance(value, list | tuple):
            return self._list(value, place)
        if isinstance(value, msgspec.Struct):
            return self._struct(value, place)
        self._refuse(place, f"{type(value).__name__} {value!r:.40} is not a plain value")

    def _text(self, text: str, place: tuple[str | int, ...]) -> str:
        self._characters += len(text)
        if len(text) > self._bounds.text:
            self._refuse(place, f"a text has at most {self._bounds.text} characters")
        if self._characters > self._bounds.characters:
            self._refuse((), f"the texts have more than {self._bounds.characters} characters")
        if self._normalizes:
            text = normal(text)
        if unfit := unfit_in_text(text):
            self._refuse(place, f"a text cannot hold {unfit}")
        return text

    def _table(self, table: dict[Any, Any], place: tuple[str | int, ...]) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, value in table.items():
            if self._bounds.numbered and type(key) is int:
                result[key] = self.value(value, (*place, str(key)))
                continue
            if not isinstance(key, str):
                self._refuse(place, f"the name of a field is a text, not {key!r:.40}: write quotes")
            if len(key) > FIELD_CHARACTERS_MAX:
                self._refuse(place, f"a field has a name of over {FIELD_CHARACTERS_MAX} characters")
            if unfit := unfit_in_name(key):
                self._refuse(place, f"the name of a field cannot hold {unfit}")
            name = normal(key) if self._normalizes else key
            if name in result:
                self._refuse(place, f"{name!r:.60} is said twice")
            self._characters += len(key)
            result[name] = self.value(value, (*place, name))
        return table if _is_same(table, result) else result

    def _list(self, items: Any, place: tuple[str | int, ...]) -> Any:
        result = [self.value(item, (*place, at)) for at, item in enumerate(items)]
        is_same = all(new is old for new, old in zip(result, items, strict=True))
        return items if is_same else type(items)(result)

    def _struct(self, struct: msgspec.Struct, place: tuple[str | int, ...]) -> msgspec.Struct:
        changed = {}
        for name in struct.__struct_fields__:
            old = getattr(struct, name)
            new = self.value(old, (*place, name))
            if new is not old:
                changed[name] = new
        return msgspec.structs.replace(struct, **changed) if changed else struct

    def _refuse(self, place: tuple[str | int, ...], text: str) -> NoReturn:
        parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place)
        where = "".join(parts).removeprefix(".")[:80]
        raise UsageError(": ".join(filter(None, (self._what, where, text))))


def _is_same(old: dict[Any, Any], new: dict[Any, Any]) -> bool:
    return all(key in old and old[key] is value for key, value in new.items())
