"""Text on a page: text by players made safe, Markdown, and differences between two texts."""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markupsafe import Markup

from nomoledger.intake.bounded_diff import too_alike

WITHHELD = "[address withheld]"

_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
#: What stands before and after the @ of an address. Looking for both at once would take time that
#: grows with the square of a long word.
_LOCAL = re.compile(r"[\w.+-]")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
#: Longer texts are shown as they are written: Markdown can be made so that reading it takes hours.
MARKDOWN_CHARACTERS_MAX = 10_000
_OUTWARD = re.compile(r"(https?://|mailto:)", re.IGNORECASE)


def harmless(text: str) -> str:
    r"""Return *text* without e-mail addresses, and with control characters escaped.

    >>> harmless("Ann\x1b <ann@example.org>")
    'Ann\\x1b <[address withheld]>'
    """
    text = printable(text)
    return _without_addresses(text) if "@" in text else text


def printable(text: str) -> str:
    """Return *text* with control characters escaped."""
    if text.isprintable():
        return text
    return _UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)


def _without_addresses(text: str) -> str:
    pieces: list[str] = []
    done = 0
    for at in (match.start() for match in re.finditer("@", text)):
        start = at
        while start > done and _LOCAL.match(text[start - 1]):
            start -= 1
        host = _HOST.match(text, at + 1) if done <= start < at else None
        if host is not None:
            pieces += (text[done:start], WITHHELD)
            done = host.end()
    return "".join((*pieces, text[done:]))


def finalize(value: Any) -> Any:
    """Return what a template prints for *value*: markup unchanged, anything else made safe."""
    if value is None or isinstance(value, Markup):
        return value
    return harmless(str(value))


@lru_cache(maxsize=4096)
def prose(text: str) -> Markup:
    r"""Return Markdown as HTML, without raw HTML and images, and with outward links only.

    Very long texts are not read as Markdown.

    >>> prose("A *rent* of <b>5</b>.")
    Markup('<p>A <em>rent</em> of &lt;b&gt;5&lt;/b&gt;.</p>\n')
    """
    if len(text) > MARKDOWN_CHARACTERS_MAX:
        return Markup("<pre>{}</pre>\n").format(harmless(text))
    tokens = _MARKDOWN.parse(harmless(text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h4"
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


def _markdown() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    reader.validateLink = lambda url: _OUTWARD.match(url) is not None  # type: ignore[method-assign]
    return reader


_MARKDOWN = _markdown()


class DiffPiece(msgspec.Struct, frozen=True):
    """A part of a difference. *mark* is `ins` for added text, `del` for removed, else empty."""

    text: str
    mark: str = ""


def differences(old: str, new: str, by_line: bool = False) -> tuple[DiffPiece, ...]:
    """Return the differences between *old* and *new*, word by word; empty if they are equal.

    Texts that repeat themselves very often are compared line by line, or as wholes.

    >>> [(piece.text, piece.mark) for piece in differences("ten dollars", "twenty dollars")]
    [('ten', 'del'), ('twenty', 'ins'), (' dollars', '')]
    """
    if old == new:
        return ()
    before, after = _parts(old, by_line), _parts(new, by_line)
    if too_alike(before, after) and not by_line:
        before, after = _parts(old, by_line=True), _parts(new, by_line=True)
    if too_alike(before, after):
        before, after = [old], [new]
    pieces: list[DiffPiece] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation == "equal":
            pieces.append(DiffPiece("".join(before[a:b])))
            continue
        removed, added = "".join(before[a:b]), "".join(after[c:d])
        marked = ((removed, "del"), (added, "ins"))
        pieces += [DiffPiece(text, mark) for text, mark in marked if text]
    return tuple(pieces)


def _parts(text: str, by_line: bool) -> list[str]:
    return text.splitlines(keepends=True) if by_line else re.findall(r"\s+|\w+|[^\w\s]", text)
