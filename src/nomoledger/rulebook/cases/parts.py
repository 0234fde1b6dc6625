"""The parts of a case file, for a file that is no YAML: one broken case hides no other."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_DOCUMENT = re.compile(r"---(\s|$)")
_CASES = re.compile(r"cases\s*:\s*(#.*)?$")
_ITEM = re.compile(r"( *)- ")
_NAME = re.compile(r"\s*(?:- +)?(?:\{ *)?case\s*:\s*([^,}#]*)")


class Part(NamedTuple):
    """A part of a file: its *text*, the *name* of its case, and how many lines come before it."""

    text: str
    name: str
    lines_before: int


def parts_of(text: str) -> Iterator[Part]:
    """Yield the documents of *text*; a list under `cases:` item by item, each with its defaults."""
    lines, first = text.split("\n"), 0
    for number, line in enumerate([*lines, "---"]):
        if _DOCUMENT.match(line):
            yield from _of_document(lines[first:number], first)
            first = number + 1


def _of_document(lines: list[str], before: int) -> Iterator[Part]:
    if not any(line.strip() for line in lines):
        return
    head = next((i for i, line in enumerate(lines) if _CASES.match(line)), None)
    items = [] if head is None else _items(lines, head + 1)
    if head is None or not items:
        yield Part("\n".join(lines), _name(lines), before)
        return
    defaults = [*lines[:head], *_after_items(lines, items[-1])]
    for first, end in zip(items, [*items[1:], len(lines)], strict=True):
        item = [line for line in lines[first:end] if not _is_at_margin(line)]
        # The item keeps its line: empty lines stand for the items before it.
        text = [*defaults, "cases:", *item]
        yield Part("\n".join(text), _name(item), before + first - len(defaults) - 1)


def _items(lines: list[str], start: int) -> list[int]:
    """Return the lines, from *start* on, in which the items of a list begin."""
    indents = [(i, match) for i in range(start, len(lines)) if (match := _ITEM.match(lines[i]))]
    least = min((len(match[1]) for _, match in indents), default=0)
    return [i for i, match in indents if len(match[1]) == least]


def _after_items(lines: list[str], last: int) -> list[str]:
    """Return the fields that follow the list, after its *last* item."""
    rest = next((i for i in range(last + 1, len(lines)) if _is_at_margin(lines[i])), len(lines))
    return lines[rest:]


def _is_at_margin(line: str) -> bool:
    """Return whether *line* begins a field beside the list."""
    return bool(re.match(r"[^\s#-]", line))


def _name(lines: list[str]) -> str:
    names = (match[1].strip() for line in lines if (match := _NAME.match(line)))
    return next(names, "a case without a name")
