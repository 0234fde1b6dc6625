"""Checks of the words of a ruling before it is recorded: its text, and what it cites."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError
from nomoledger.intake.nearest import meant


def check_ruling_words(fields: dict[str, Any], entries: Sequence[e.Entry]) -> None:
    """Check that a ruling with *fields* says something, and that what it cites exists.

    It may cite events (`#17`), and rules (`VI.1`, `VI.1@2`) that are or were in force in *entries*.

    Raises:
        UsageError: the text or a citation is empty.
        UnknownError: a cited event, rule or version does not exist.
    """
    if not fields["text"].strip():
        raise UsageError("the text of the ruling is empty: say what is decided, and why")
    versions: dict[str, set[int]] = {}
    for cited in fields.get("cites", ()):
        if not cited.strip():
            raise UsageError("a citation is empty: cite a rule (VI.1) or an event (#17)")
        if re.fullmatch("#[0-9]+", cited):
            _check_event(cited, len(entries) - 1)
            continue
        versions = versions or _versions_of_rules(entries)
        _check_rule(cited, versions)


def _check_event(cited: str, last: int) -> None:
    if len(cited) > 18 or int(cited[1:]) > last:
        raise UnknownError(f"there is no event {cited:.30} to cite: the last is #{last}")


def _check_rule(cited: str, versions: dict[str, set[int]]) -> None:
    number, at, version = cited.partition("@")
    if number not in versions:
        near = meant(number, versions)
        raise UnknownError(f"there is no rule {number!r:.60} to cite, nor was there one{near}")
    known = [str(each) for each in sorted(versions[number])]
    if at and version not in known:
        listed = ", ".join(known)
        raise UnknownError(
            f"rule {number} has no version {version!r:.30} to cite; it has: {listed}"
        )


def _versions_of_rules(entries: Iterable[e.Entry]) -> dict[str, set[int]]:
    """Return the versions of every rule that was ever in force in *entries*, by its number."""
    versions: dict[str, set[int]] = {}
    newest: dict[str, int] = {}
    for entry in entries:
        body = entry.body
        if isinstance(body, e.RuleRenumbered):
            number, version = body.to, newest[body.number]
        elif isinstance(body, e.RuleEnacted | e.RuleAmended):
            number, version = body.rule.number, body.rule.version
        else:
            continue
        newest[number] = version
        versions.setdefault(number, set()).add(version)
    return versions
