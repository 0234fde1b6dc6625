"""Comparison of players or squares with what a case expects."""

from collections.abc import Iterator
from typing import Any

from nomoledger.rulebook.cases.matching import format_plain, is_match
from nomoledger.rulebook.cases.picture import PictureRow
from nomoledger.rulebook.cases.spelling import spelled


def compare_rows(
    kind: str,
    now: dict[str, PictureRow],
    named: dict[Any, Any],
    was: dict[str, PictureRow] | None,
    known: list[str],
) -> Iterator[str]:
    """Yield the differences between the rows *now* and those *named*; *known* are the attributes.

    With *was*, everything that is not named must be unchanged.
    """
    expected = {str(name): row for name, row in named.items()}
    for name, row in expected.items():
        if row in (None, "absent"):
            if name in now:
                yield f"there is {_subject(kind, name)}, expected to be gone"
            continue
        if name not in now:
            yield f"there is no {kind} {name}; there is: {', '.join(now) or 'nobody'}"
            return
        stated = {spelled(key, known, f"a {kind} has no"): value for key, value in row.items()}
        yield from _stated(_subject(kind, name), now[name], stated)
    if was is None:
        return
    for name in {**was, **now}:
        if expected.get(name, "") in (None, "absent"):
            continue
        if name not in now:
            yield f"{_subject(kind, name)} is gone, and the case does not say so"
            return
        if name not in was:
            if name not in expected:
                yield f"there is a new {kind} {name}, and the case does not say so"
            continue
        row = {spelled(key, known, ""): value for key, value in expected.get(name, {}).items()}
        yield from _unchanged(_subject(kind, name), was[name], now[name], row)


def _stated(subject: str, now: PictureRow, stated: PictureRow) -> Iterator[str]:
    for attribute, value in stated.items():
        actual = now.get(attribute)
        if attribute == "items":
            value = dict(value or {})
            actual = {name: (actual or {}).get(name, 0) for name in value}
        if not is_match(actual, value):
            is_, expected = format_plain(actual), format_plain(value)
            yield f"{subject}'s {attribute} is {is_}, expected {expected}"


def _unchanged(subject: str, was: PictureRow, now: PictureRow, stated: PictureRow) -> Iterator[str]:
    for attribute in {**was, **now}:
        old, new = was.get(attribute), now.get(attribute)
        if attribute == "items":
            named = stated.get("items") or {}
            old = {key: amount for key, amount in (old or {}).items() if key not in named}
            new = {key: amount for key, amount in (new or {}).items() if key not in named}
        elif attribute in stated:
            continue
        if not is_match(new, old):
            yield (
                f"{subject}'s {attribute} is {format_plain(new)}, "
                f"expected {format_plain(old)} as before "
                "(the case does not name it)"
            )


def _subject(kind: str, name: str) -> str:
    return name if kind == "player" else f"{kind} {name}"
