"""Changes of a rulebook to be tried in the middle of a game: each rule repealed, and so on."""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from nomoledger.events.rules import Amend, Change, Renumber, Repeal, Rule

#: The sorts of changes, in the order in which they are reported.
SORTS = ("rules", "parameters", "chapters", "renumberings")
#: A number is amended by this part of itself, and at least by 1.
PART = 10


class TriedChange(msgspec.Struct, frozen=True):
    """One change of a rulebook.

    Attributes:
        sort: one of `SORTS`.
        name: the change in short, such as "VI.1" or "V.1.dollars_per_number=11".
        changes: what a ruling that makes the change carries out.
        essential: whether it repeals a rule that says that there is no game without it.
    """

    sort: str
    name: str
    changes: tuple[Change, ...]
    essential: bool = False

    @property
    def is_repeal(self) -> bool:
        """Whether the change repeals rules."""
        return self.sort in ("rules", "chapters")


def rule_changes(rules: Sequence[Rule]) -> list[TriedChange]:
    """Return all changes of *rules* to be tried, sort by sort, each in rulebook order.

    Common definitions are not rules of the game, which players repeal.
    """
    rules = [rule for rule in rules if not rule.common]
    return [*_repeals(rules), *_amendments(rules), *_chapters(rules), *_renumberings(rules)]


def drawn(changes: Sequence[TriedChange], sample: int | None, seed: int) -> list[TriedChange]:
    """Return at most *sample* of *changes* of each sort, drawn by *seed*; all if it is None."""
    kept: list[TriedChange] = []
    for sort in SORTS:
        places = [place for place, change in enumerate(changes) if change.sort == sort]
        if sample is not None and sample < len(places):
            places = sorted(Random(f"{seed} {sort}").sample(places, sample))
        kept += [changes[place] for place in places]
    return kept


def _repeals(rules: Sequence[Rule]) -> Iterator[TriedChange]:
    for rule in rules:
        is_essential = rule.essential is not None
        yield TriedChange("rules", rule.number, (Repeal(rule.number),), is_essential)


def _amendments(rules: Sequence[Rule]) -> Iterator[TriedChange]:
    for rule in rules:
        for name, value in rule.parameters.items():
            for other in _other_values(value):
                text = json.dumps(other, ensure_ascii=False)
                change = Amend(number=rule.number, parameters={name: other})
                yield TriedChange("parameters", f"{rule.number}.{name}={text}", (change,))


def _other_values(value: Any) -> list[Any]:
    """Return a number a little up and down, and a list without its last entry."""
    if type(value) is int:
        step = max(1, abs(value) // PART)
        return [value + step] if value == 0 else [value + step, value - step]
    if isinstance(value, list | tuple) and value:
        return [list(value[:-1])]
    return []


def _chapters(rules: Sequence[Rule]) -> Iterator[TriedChange]:
    chapters: dict[str, list[Rule]] = {}
    for rule in rules:
        chapters.setdefault(rule.number.partition(".")[0], []).append(rule)
    for chapter, members in chapters.items():
        is_essential = any(rule.essential is not None for rule in members)
        repeals = tuple(Repeal(rule.number) for rule in members)
        yield TriedChange("chapters", chapter, repeals, is_essential)


def _renumberings(rules: Sequence[Rule]) -> Iterator[TriedChange]:
    taken = {rule.number for rule in rules}
    for rule in rules:
        chapter, point, _ = rule.number.rpartition(".")
        free = next(
            number
            for n in range(1, len(taken) + 2)
            if (number := f"{chapter}{point}{n}") not in taken
        )
        yield TriedChange(
            "renumberings", f"{rule.number} to {free}", (Renumber(rule.number, free),)
        )
