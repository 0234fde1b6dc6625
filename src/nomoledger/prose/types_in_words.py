"""The types of values in words."""

from nomoledger.prose.names import plain

_KNOWN = {
    "": "any value",
    "Text": "a text",
    "Number": "a number",
    "Money": "a number",
    "Flag": "yes or no",
    "List": "a list",
}


def type_in_words(type_: str) -> str:
    """Return the type of a parameter, as rule code writes it, in words.

    >>> type_in_words("Number"), type_in_words("Player | Square"), type_in_words("OldShop")
    ('a number', 'a player or a square', 'an old shop')
    """
    return " or ".join(map(_single, type_.split(" | ")))


def _single(type_: str) -> str:
    if type_ in _KNOWN:
        return _KNOWN[type_]
    word = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type_)
    word = plain(word.lstrip("_"))
    return f"{'an' if word[:1] in 'aeio' else 'a'} {word}"
