"""Text that others wrote, made fit to stand on a page."""

import re
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup

WITHHELD = "[address withheld]"

_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
_OUTWARD = re.compile(r"(https?://|mailto:)", re.IGNORECASE)


def harmless(text: str) -> str:
    """*text* without e-mail addresses, and with characters that no page may hold written out.

    >>> harmless("Ann\\x1b <ann@example.org>")
    'Ann\\\\x1b <[address withheld]>'
    """
    text = _UNPRINTABLE.sub(lambda match: ascii(match[0])[1:-1], text)
    return _ADDRESS.sub(WITHHELD, text)


def finalize(value: Any) -> Any:
    """What a template prints for *value*: markup as it is, all else as harmless text."""
    if value is None or isinstance(value, Markup):
        return value
    return harmless(str(value))


@lru_cache(maxsize=4096)
def prose(text: str) -> Markup:
    """Markdown as HTML, in which HTML is text, nothing is loaded, and links lead outward only.

    >>> prose("A *rent* of <b>5</b>.")
    Markup('<p>A <em>rent</em> of &lt;b&gt;5&lt;/b&gt;.</p>\\n')
    """
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
