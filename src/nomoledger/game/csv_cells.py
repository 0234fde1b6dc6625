"""The cells of a table of facts, as values of a record."""

import json
import re
from typing import Any

from nomoledger.errors import RecordError

_WEEK = re.compile(r"(?:\D*\s)?#?(-?[0-9]{1,9})(?:\.0+)?")
_WHOLE = re.compile(r"#?(-?[0-9]{1,18})(?:\.0+)?")
_DICE_MAX = 1_000_000
_CURRENCY = re.compile(r"[$€£\s]")


def read_cell(field: str, text: str, *, has_decimal_comma: bool = False) -> Any:
    """Return the value that the cell *text* states in *field*.

    Raises:
        RecordError: the text is no week, no dice or no amount.

    >>> read_cell("dice", "3+5"), read_cell("amount", "$1,200"), read_cell("square", "#9")
    ([3, 5], 1200, 9)
    >>> read_cell("amount", "1.200,50", has_decimal_comma=True)
    '1200.50'
    """
    if field == "week":
        return _read_week(text)
    if field == "dice":
        return _read_dice(text)
    if field == "amount":
        return _read_amount(text, "," if has_decimal_comma else ".")
    if field in ("at", "player", "payee", "kind", "text", "reason", "rules", "basis", "name"):
        return text
    if match := _WHOLE.fullmatch(text):
        return int(match[1])
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    if text[0] in "[{":
        try:
            return json.loads(text)
        except (RecursionError, ValueError):
            raise RecordError(f"{field} {text!r:.60} is no JSON: close its brackets") from None
    return text


def _read_week(text: str) -> int:
    if match := _WEEK.fullmatch(text):
        return int(match[1])
    raise RecordError(f"{text!r:.60} is no week: write its number, as in 3")


def _read_dice(text: str) -> list[int]:
    parts = [part for part in re.split(r"[\s+,;/&()\[\]-]+|and", text) if part]
    if not parts or not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        raise RecordError(f"{text!r:.60} are no dice: write them as in 3+5")
    dice = [int(part) for part in parts]
    if wrong := [die for die in dice if not 1 <= die <= _DICE_MAX]:
        raise RecordError(f"no die shows {wrong[0]}: write dice as in 3+5")
    return dice


def _read_amount(text: str, point: str) -> int | str:
    """Return the amount *text*; *point* is the sign before its decimals."""
    plain, comma = _CURRENCY.sub("", text), "," if point == "." else "."
    if re.fullmatch(
        rf"-?[0-9]{{1,3}}(?:{re.escape(comma)}[0-9]{{3}})+(?:{re.escape(point)}.*)?", plain
    ):
        plain = plain.replace(comma, "")
    plain = plain.replace(",", ".")
    if not re.fullmatch(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?", plain):
        raise RecordError(f"{text!r:.60} is no amount: write a number, as in 48")
    whole, _, decimals = plain.partition(".")
    return plain if decimals.strip("0") else int(whole)
