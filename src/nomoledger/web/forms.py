"""What a browser sends in a form, as arguments of a request."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from nomoledger.errors import UsageError

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

    A list of possible requests sends one of them as a whole, in the field "pick".
    """
    given: dict[str, list[str]] = {}
    for name, text in form:
        if name == "pick":
            for key, value in parse_qsl(text, keep_blank_values=True):
                given.setdefault(key, []).append(value)
        elif name.startswith(PREFIX):
            given.setdefault(name.removeprefix(PREFIX), []).append(text)
    return {name: texts for name, texts in given.items() if any(map(str.strip, texts))}


def text_in(form: Mapping[str, Any], name: str) -> str:
    """Return the text in the field *name* of *form*.

    Raises:
        UsageError: there is none.
    """
    value = form.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"the form lacks {name!r}: go back, and fill it in")
    return value.strip()


def number_in(form: Mapping[str, Any], name: str) -> int:
    """Return the number in the field *name* of *form*.

    Raises:
        UsageError: there is none.
    """
    text = text_in(form, name)
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{name} is a number, not {text!r:.40}")
    return int(text)


def optional_text_in(form: Mapping[str, Any], name: str) -> str:
    """Return the text in the field *name* of *form*; "" if there is none."""
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""
