"""What a browser sends in a form, as arguments of a request."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import parse_qsl

from litestar.enums import RequestEncodingType
from litestar.params import Body

from nomoledger.errors import UsageError
from nomoledger.game.desk.common_statements import filled
from nomoledger.people.request_keys import API_PREFIX

#: What a handler gets from a form.
Form = Annotated[dict[str, Any], Body(media_type=RequestEncodingType.URL_ENCODED)]

#: What the names of the fields with arguments begin with.
PREFIX = "with-"


def new_request_id() -> str:
    """Return an id for a form: sending the form twice makes one request."""
    return secrets.token_hex(8)


def pairs_of(form: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields of *form* as pairs of texts; a field with several values is several."""
    pairs = []
    for name, value in form.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str):
                pairs.append((name, each))
    return pairs


def given_in(form: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the texts in *form* for the fields of an action, by field.

    A list of possible requests sends one of them as a whole, in the field "pick". The values of a
    row of a list come as `with-LIST.ROW.COLUMN`; a row that lacks all values is left out. So is a
    field that is empty: a list to choose from may have a field for other values beside it.
    """
    given: dict[str, list[str]] = {}
    rows: dict[tuple[str, str], list[str]] = {}
    for name, text in form:
        if name == "pick":
            for key, value in parse_qsl(text, keep_blank_values=True):
                given.setdefault(key, []).append(value)
        elif name.startswith(PREFIX) and name.count(".") == 2:
            of, row, _ = name.removeprefix(PREFIX).split(".")
            rows.setdefault((of, row), []).append(text.strip())
        elif name.startswith(PREFIX):
            given.setdefault(name.removeprefix(PREFIX), []).append(text)
    for (of, _), values in rows.items():
        if any(values):
            given.setdefault(of, []).append(f"[{', '.join(values)}]")
    filled = {name: [text for text in texts if text.strip()] for name, texts in given.items()}
    return {name: texts for name, texts in filled.items() if texts}


def text_in(form: Mapping[str, Any], name: str) -> str:
    """Return the text in the field *name* of *form*.

    Raises:
        UsageError: there is none.
    """
    value = form.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"the form lacks {name!r}: go back, and fill it in")
    return value.strip()


def id_in(form: Mapping[str, Any]) -> str:
    """Return the id of the request that *form* makes.

    Raises:
        UsageError: there is none.
    """
    id = optional_text_in(form, "id")
    if not id or id.startswith(API_PREFIX):
        raise UsageError("the form lacks its id: go back, and send it again")
    return id


def number_in(form: Mapping[str, Any], name: str) -> int:
    """Return the number in the field *name* of *form*.

    Raises:
        UsageError: there is none.
    """
    text = text_in(form, name)
    number = number_of(text)
    if number is None:
        raise UsageError(f"{name} is a number, not {text!r:.40}")
    return number


def number_of(text: str) -> int | None:
    """Return the number that *text* writes with at most nine digits; None if it is no such number.

    Numbers of events, proposals and disputes are such numbers.
    """
    return int(text) if text.isdecimal() and len(text) <= 9 else None


def optional_text_in(form: Mapping[str, Any], name: str) -> str:
    """Return the text in the field *name* of *form*; "" if there is none."""
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def statement_in(form: Mapping[str, Any], name: str) -> str:
    """Return the statement in the field *name* of *form*, "" if there is none.

    A statement that is chosen in the list beside the field is added to it, with its value.

    Raises:
        UsageError: the chosen statement lacks its value.
    """
    written = optional_text_in(form, name)
    chosen = optional_text_in(form, f"{name}-common")
    if not chosen:
        return written
    made = filled(chosen, optional_text_in(form, f"{name}-value"))
    whole = f"({written})" if " or " in written else written
    return f"{whole} and {made}" if written else made


def time_in(text: str) -> datetime:
    """Return the time *text*, in UTC unless it names another zone.

    Raises:
        UsageError: it is no time.
    """
    try:
        given = datetime.fromisoformat(text)
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r:.40} is not a time: write it as 2026-01-31T12:00") from None
