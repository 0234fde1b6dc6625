"""Names that other tools accept: readable, and each given once, so that the way back is clear.

A name is kept as far as the tool allows; what would come out like another name gets a number.
Journals state the whole name beside each, so that nothing is lost.
"""

import re
import unicodedata
from collections.abc import Container

#: Signs of money that hledger and ledger take as they are, and what beancount has to call them.
SIGNS = {"$": "DOLLAR", "€": "EURO", "£": "POUND", "¥": "YEN"}
#: Words that beancount does not take for a commodity.
RESERVED = frozenset({"FALSE", "NULL", "TRUE"})
CURRENCY_LENGTH_MAX = 24
_ESCAPED = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def component(name: str) -> str:
    """*name* as a part of an account name, for all three tools.

    >>> component("The Founder"), component("örjan (2)"), component("18"), component("…")
    ('The-Founder', 'Örjan-2', '18', 'Unnamed')
    """
    text = unicodedata.normalize("NFC", name)
    kept = _joined("".join(each if _is_word(each) else " " for each in text)) or "Unnamed"
    return kept[0].upper() + kept[1:]


def currency(name: str) -> str:
    """*name* as a commodity of beancount: 2 to 24 capitals, digits and hyphens.

    >>> currency("$"), currency("poison donut"), currency("4 Ölfässer"), currency("日本")
    ('DOLLAR', 'POISON-DONUT', 'C-4-OLFASSER', 'COMMODITY')
    """
    if name in SIGNS:
        return SIGNS[name]
    text = unicodedata.normalize("NFKD", name.replace("ß", "ss")).upper()
    bare = "".join(each for each in text if not unicodedata.combining(each))
    kept = _joined("".join(each if each.isascii() and each.isalnum() else " " for each in bare))
    if not kept:
        return "COMMODITY"
    if not kept[0].isalpha() or len(kept) == 1:
        kept = f"C-{kept}"
    return kept[:CURRENCY_LENGTH_MAX].rstrip("-")


def symbol(name: str) -> str:
    """*name* as a commodity of hledger and ledger, in quotes unless it is a sign of money.

    >>> symbol("$"), symbol("poison donut"), symbol('a;"b"')
    ('$', '"poison donut"', '"a b"')
    """
    if name in SIGNS:
        return name
    kept = one_line("".join(" " if each in '";\\' else each for each in name))
    return f'"{kept or "commodity"}"'


def one_line(text: str) -> str:
    r"""*text* in one line, with single spaces.

    >>> one_line("rent \n for\tsquare 9\0")
    'rent for square 9'
    """
    return " ".join(_CONTROL.sub(" ", text).split())


def quoted(text: str) -> str:
    r"""*text* as a string of beancount, which is in one line.

    >>> print(quoted('say "ä\\b"'), quoted("one\ntwo\0"))
    "say \"ä\\b\"" "one\ntwo\\u0000"
    """
    kept = _CONTROL.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text.translate(_ESCAPED))
    return f'"{kept}"'


def numbered(wanted: str, taken: Container[str], length: int | None = None) -> str:
    """*wanted*, or where it is *taken*, with the first number that makes it another.

    >>> numbered("Ann", {"Ann", "Ann-2"}), numbered('"a"', {'"a"'}), numbered("ABCD", {"ABCD"}, 4)
    ('Ann-3', '"a-2"', 'AB-2')
    """
    found, count = wanted, 1
    end = '"' if wanted.endswith('"') else ""
    while found in taken:
        count += 1
        number = f"-{count}{end}"
        room = None if length is None else length - len(number)
        found = wanted.removesuffix(end)[:room] + number
    return found


def _joined(text: str) -> str:
    return "-".join(text.split())


def _is_word(each: str) -> bool:
    return unicodedata.category(each)[0] == "L" or unicodedata.category(each) == "Nd"
