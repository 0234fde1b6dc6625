"""Parts of addresses: values as short texts, without the marks that divide addresses."""

import hashlib
from functools import lru_cache
from typing import Any

_MARKS = {"%": "%25", "|": "%7C", ">": "%3E"}
_IN_ADDRESS_MAX = 64


def address_part(value: Any) -> str:
    """Return *value* as part of an address: short, and without the marks that divide addresses.

    >>> address_part("a|b>c"), address_part("x" * 100)
    ('a%7Cb%3Ec', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx%09ecb6eb')
    """
    return _escaped(str(value))


@lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    for mark, escaped in _MARKS.items():
        text = text.replace(mark, escaped)
    if len(text) <= _IN_ADDRESS_MAX:
        return text
    return f"{text[:_IN_ADDRESS_MAX]}%{hashlib.sha256(text.encode()).hexdigest()[:8]}"
