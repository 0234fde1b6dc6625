"""What is wrong with the form of data, in plain words that name the field."""

import re

import msgspec

#: What the decoder calls the types of data, and what people call them.
_WORDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "yes or no",
    "null": "nothing",
    "array": "a list",
    "object": "`name: value` pairs",
    "date": "a date",
    "datetime": "a time",
}
_EXPECTED = re.compile(r"Expected `([^`]+)`(?:, got `([^`]+)`)?$")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`$")
_MISSING = re.compile(r"Object missing required field `([^`]*)`$")
_PLACE = re.compile(r"(?P<what>.*?) - at `(?P<place>[^`]*)`(?: in `(?P<table>[^`]*)`)?$", re.S)


def plain_words(error: msgspec.ValidationError) -> str:
    r"""Return what *error* says, in plain words that name the field.

    >>> plain_words(msgspec.ValidationError("Expected `str`, got `int` - at `key` in `$.facts`"))
    'a name in facts must be a text, not a whole number'
    """
    match = _PLACE.match(str(error))
    what, place, table = match.group("what", "place", "table") if match else (str(error), "", None)
    field = (table or place).replace("[...]", "").strip("$.")
    part = "a name in " if table and place == "key" else "what is in "
    subject = (part if table or place.endswith("[...]") else "") + field
    return _told(what, field, subject)


def _told(what: str, field: str, subject: str) -> str:
    place = f"{field}: " if field else ""
    if expected := _EXPECTED.fullmatch(what):
        wanted = [_word(name) for name in expected[1].split(" | ") if name != "null"]
        got = f", not {_word(expected[2])}" if expected[2] else ""
        return f"{subject or 'this'} must be {' or '.join(wanted)}{got}"
    if unknown := _UNKNOWN.fullmatch(what):
        return f"{place}unknown field {unknown[1]!r:.60}"
    if missing := _MISSING.fullmatch(what):
        return f"{place}the field {missing[1]!r} is missing"
    return f"{place}{what}"


def _word(name: str) -> str:
    return _WORDS.get(name, name)
