"""The characters that texts and names from outside may hold.

Control characters move the cursor of a terminal, and bidirectional marks turn words around, so that
people read something else than what is recorded (Unicode Technical Report 36). Characters without
width make two names look alike.
"""

import unicodedata
from functools import lru_cache

#: The characters that join letters and pictures into one; texts may hold them, names may not.
_JOINERS = "\u200c\u200d"
#: The categories of Unicode that no text holds: control characters, formats (bidirectional marks
#: and characters without width among them), halves of pairs, separators of lines and paragraphs.
_UNFIT = ("Cc", "Cf", "Cs", "Zl", "Zp")


def unfit_in_text(text: str) -> str | None:
    r"""Return how to call the first character of *text* that no text may hold; None if all may.

    >>> unfit_in_text("two\nlines"), unfit_in_text("a\x1b[2J")
    (None, 'the control character U+001B')
    """
    # ASCII is the rule, and fast.
    if text.isascii() and text.isprintable():
        return None
    return next((_called(c) for c in text if _is_unfit(c) and c not in f"\n\t{_JOINERS}"), None)


def unfit_in_name(name: str) -> str | None:
    r"""Return how to call the first character of *name* that no name may hold; None if all may.

    >>> unfit_in_name("Zoë the 2nd"), unfit_in_name("An\u200bn")
    (None, 'the invisible character U+200B')
    """
    return next(
        (_called(c) for c in name if _is_unfit(c) or (c.isspace() and c != " ")),
        None,
    )


@lru_cache(maxsize=4096)
def _is_unfit(character: str) -> bool:
    return unicodedata.category(character) in _UNFIT


def _called(character: str) -> str:
    category = unicodedata.category(character)
    kind = "control" if category == "Cc" else "invisible" if category == "Cf" else "unusual"
    return f"the {kind} character U+{ord(character):04X}"


def normal(text: str) -> str:
    r"""Return *text* in Unicode's normal form C, with lines that end in a line feed.

    >>> normal("Zoe\u0308\r\n") == "Zo\u00eb\n"
    True
    """
    if text.isascii() and "\r" not in text:
        return text
    return unicodedata.normalize("NFC", text).replace("\r\n", "\n")
