"""What changed from one text to the next, as pieces that stayed, came or went."""

import re
from difflib import SequenceMatcher

import msgspec


class Piece(msgspec.Struct, frozen=True):
    """Some *text*, and how it is to be marked: `ins` came, `del` went, nothing stayed."""

    text: str
    mark: str = ""


def differences(old: str, new: str, by_line: bool = False) -> tuple[Piece, ...]:
    """How *new* differs from *old*, word by word; nothing where it does not.

    >>> [(piece.text, piece.mark) for piece in differences("ten dollars", "twenty dollars")]
    [('ten', 'del'), ('twenty', 'ins'), (' dollars', '')]
    """
    if old == new:
        return ()
    before, after = _parts(old, by_line), _parts(new, by_line)
    pieces: list[Piece] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            pieces.append(Piece("".join(before[a:b])))
            continue
        gone, come = "".join(before[a:b]), "".join(after[c:d])
        pieces += [Piece(text, mark) for text, mark in ((gone, "del"), (come, "ins")) if text]
    return tuple(pieces)


def _parts(text: str, by_line: bool) -> list[str]:
    return text.splitlines(keepends=True) if by_line else re.findall(r"\s+|\w+|[^\w\s]", text)
