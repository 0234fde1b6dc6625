"""Text that people wrote, made safe for terminals, spreadsheets and JSON."""

import re

#: Characters that control a terminal, turn the direction of text, or cannot be seen. The joiners
#: U+200C and U+200D stay: scripts and emoji need them.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
#: How a cell begins that a spreadsheet takes for a formula, as OWASP lists them ("CSV Injection").
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def harmless(text: str) -> str:
    r"""Return *text* with control characters escaped; line breaks and tabs stay.

    >>> harmless("Ann\x1b[31m")
    'Ann\\x1b[31m'
    """
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def harmless_json(text: str) -> str:
    r"""Return *text*, a document of JSON, with control characters escaped; its values are the same.

    >>> harmless_json('"Ann\x9b"')
    '"Ann\\u009b"'
    """
    return _CONTROLS.sub(lambda match: _in_json(match[0]), text)


def _in_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    return "".join(rf"\u{unit}" for unit in pairs)


def spreadsheet_cell(text: str) -> str:
    """Return *text* as a cell that no spreadsheet takes for a formula; numbers stay numbers.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("-5.20"), spreadsheet_cell("Ann")
    ("'=1+1", '-5.20', 'Ann')
    """
    is_formula = text.lstrip(" ").startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return "'" + harmless(text) if is_formula else harmless(text)
