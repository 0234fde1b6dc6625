"""Names that other tools accept: readable, and unique.

A name changes only as far as the tool requires. A name that would equal another gets a number.
Journals also state the original name of each account and commodity.
"""

import re
import unicodedata
from collections.abc import Container

#: Currency signs that hledger and ledger accept, with the names that beancount needs.
SIGNS = {"$": "DOLLAR", "€": "EURO", "£": "POUND", "¥": "YEN"}
#: Words that beancount does not accept as a commodity.
RESERVED = frozenset({"FALSE", "NULL", "TRUE"})
CURRENCY_LENGTH_MAX = 24
_ESCAPED = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def component(name: str) -> str:
    """Return *name* as a component of an account name, valid in all three tools.

    >>> component("The Founder"), component("örjan (2)"), component("18"), component("…")
    ('The-Founder', 'Örjan-2', '18', 'Unnamed')
    """
    text = unicodedata.normalize("NFC", name)
    kept = _joined("".join(c if _is_word(c) else " " for c in text)) or "Unnamed"
    return kept[0].upper() + kept[1:]


def currency(name: str) -> str:
    """Return *name* as a commodity of beancount: 2 to 24 capitals, digits and hyphens.

    >>> currency("$"), currency("poison donut"), currency("4 Ölfässer"), currency("日本")
    ('DOLLAR', 'POISON-DONUT', 'C-4-OLFASSER', 'COMMODITY')
    """
    if name in SIGNS:
        return SIGNS[name]
    text = unicodedata.normalize("NFKD", name.replace("ß", "ss")).upper()
    base = "".join(c for c in text if not unicodedata.combining(c))
    kept = _joined("".join(c if c.isascii() and c.isalnum() else " " for c in base))
    if not kept:
        return "COMMODITY"
    if not kept[0].isalpha() or len(kept) == 1:
        kept = f"C-{kept}"
    return kept[:CURRENCY_LENGTH_MAX].rstrip("-")


def symbol(name: str) -> str:
    """Return *name* as a commodity of hledger and ledger, quoted unless it is a currency sign.

    >>> symbol("$"), symbol("poison donut"), symbol('a;"b"')
    ('$', '"poison donut"', '"a b"')
    """
    if name in SIGNS:
        return name
    kept = one_line("".join(" " if c in '";\\' else c for c in name))
    return f'"{kept or "commodity"}"'


def one_line(text: str) -> str:
    r"""Return *text* in one line, with single spaces.

    >>> one_line("rent \n for\tsquare 9\0")
    'rent for square 9'
    """
    return " ".join(_CONTROL.sub(" ", text).split())


def quoted(text: str) -> str:
    r"""Return *text* as a string literal of beancount, in one line.

    >>> print(quoted('say "ä\\b"'), quoted("one\ntwo\0"))
    "say \"ä\\b\"" "one\ntwo\\u0000"
    """
    kept = _CONTROL.sub(lambda match: f"\\\\u{ord(match[0]):04x}", text.translate(_ESCAPED))
    return f'"{kept}"'


def numbered(name: str, taken: Container[str], length: int | None = None) -> str:
    """Return *name*, with the first free number appended if it is *taken*.

    >>> numbered("Ann", {"Ann", "Ann-2"}), numbered('"a"', {'"a"'}), numbered("ABCD", {"ABCD"}, 4)
    ('Ann-3', '"a-2"', 'AB-2')
    """
    candidate, count = name, 1
    end = '"' if name.endswith('"') else ""
    while candidate in taken:
        count += 1
        number = f"-{count}{end}"
        room = None if length is None else length - len(number)
        candidate = name.removesuffix(end)[:room] + number
    return candidate


def _joined(text: str) -> str:
    return "-".join(text.split())


def _is_word(character: str) -> bool:
    return unicodedata.category(character)[0] == "L" or unicodedata.category(character) == "Nd"
