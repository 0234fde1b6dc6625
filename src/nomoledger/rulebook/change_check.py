"""What changes would do to the rules, as far as the rules show it without being played."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nomoledger.engine.trial import try_changes
from nomoledger.events import rules as r
from nomoledger.intake.short_text import shortened
from nomoledger.language.linker import analyze_rules
from nomoledger.language.parameters import is_number
from nomoledger.rulebook.faults_of_changes import Tell, faults_of_changes, placed, told_fault
from nomoledger.rulebook.losses import NO_LOSSES, LeftUndefined, losses_of
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)


class ChangeCheck(msgspec.Struct, frozen=True):
    """What changes would do to the rules.

    Attributes:
        errors: why the changes cannot be carried out, or what is wrong with the rules they make.
        left_undefined: what the rules would use, and no rule would define any more.
        mismatches: where the prose of a rule and its parameters would disagree.
        notes: what else the proposer should know.
        before, after: the rules as they are, and as they would be.
        numbers: the rules that change, by number.
    """

    errors: tuple[str, ...]
    left_undefined: tuple[LeftUndefined, ...]
    mismatches: tuple[str, ...]
    notes: tuple[str, ...]
    before: Ruleset
    after: Ruleset
    numbers: tuple[str, ...]


def check_changes(
    world: World, changes: tuple[r.Change, ...], source: str, tell: Tell = told_fault
) -> ChangeCheck:
    """Try *changes* on *world*, on the authority of *source* (`proposal 4`, `ruling 2`).

    *tell* words the faults that the checker of rules finds.
    *world* is as it was afterwards. Call this in a sandbox: the code of rules runs.
    """
    before = world.ruleset
    trial = try_changes(world, changes, source)
    after = trial.ruleset
    things = tuple(world.entities)
    faults = faults_of_changes(before, after, tuple(trial.numbers), things, tell)
    enacted = (change.rule for change in changes if isinstance(change, r.Enact))
    rules = (*after.rules, *enacted)  # A rule that cannot be enacted is not among those after.
    errors = [placed(rules, error) for error in trial.errors]
    errors += _by_own_number(faults or ([] if errors else trial.failing), trial.renamed)
    losses = NO_LOSSES if errors else losses_of(analyze_rules(before), analyze_rules(after))
    return ChangeCheck(
        errors=tuple(map(shortened, errors)),
        left_undefined=losses.left_undefined,
        mismatches=tuple(_mismatches(before, after, trial.in_part)),
        notes=(
            *map(shortened, _by_own_number(trial.notes, trial.renamed)),
            *losses.notes,
            *_essential(before, changes),
        ),
        before=before,
        after=after,
        numbers=tuple(changed_numbers(before, after)),
    )


def _by_own_number(texts: Iterable[str], renamed: dict[str, str]) -> list[str]:
    """Return *texts* with the own numbers of rules in place of those that the trial gave them."""
    found = list(texts)
    for given, number in renamed.items():
        found = [text.replace(f"rule {given}", f"rule {number}") for text in found]
    return found


def changed_numbers(before: Ruleset, after: Ruleset) -> Iterator[str]:
    """Yield the numbers of the rules that differ between *before* and *after*."""
    old, new = ({rule.number: rule for rule in rules.rules} for rules in (before, after))
    for number in dict.fromkeys((*old, *new)):
        if old.get(number) != new.get(number):
            yield number


def _essential(before: Ruleset, changes: Iterable[r.Change]) -> Iterator[str]:
    """Yield a note for each rule to repeal that says that there is no game without it."""
    repealed = {change.number for change in changes if isinstance(change, r.Repeal)}
    for rule in before.rules:
        if rule.number in repealed and rule.essential:
            yield f"rule {rule.number} {rule.title} is essential: {rule.essential}"


# --- prose and parameters -----------------------------------------------------------------------


def _mismatches(before: Ruleset, after: Ruleset, in_part: frozenset[str]) -> Iterator[str]:
    """Yield where the prose and the parameters of a rule agree in *before*, but not in *after*.

    The rules *in_part* are left out, as not all of their amendments are carried out.
    """
    old_rules = {rule.number: rule for rule in before.rules}
    for rule in after.rules:
        old = old_rules.get(rule.number)
        if old is None or rule == old or rule.number in in_part:
            continue
        for name, value in rule.parameters.items():
            was = old.parameters.get(name)
            if not (is_number(was) and is_number(value)):
                continue
            if value != was:
                said = said_in(rule.prose, was)
                if said and not said_in(rule.prose, value):
                    text = f"the prose says {said}, the value of {name} becomes {value}"
                    yield f"rule {rule.number}: {text}"
            elif said_in(old.prose, was) and not said_in(rule.prose, was):
                text = f"the prose no longer says {said_in(old.prose, was)}"
                yield f"rule {rule.number}: {text}, the value of {name} stays {value}"


def said_in(prose: str, number: Any) -> str:
    """Return how *prose* says *number*, with the word that follows; "" if it does not.

    >>> said_in("A fine of 1,000 dollars.", 1000), said_in("Two dice.", 2), said_in("12 days", 2)
    ('1,000 dollars', 'Two dice', '')
    """
    match = re.search(rf"(?<![\w.,])(?:{'|'.join(_spellings(number))})(?![\w]|[.,]\d)", prose, re.I)
    if match is None:
        return ""
    following = re.match(r"[ \n]+([A-Za-z]+)", prose[match.end() :])
    return match[0] + (f" {following[1]}" if following else "")


def _spellings(number: Any) -> Iterator[str]:
    """Yield regular expressions of how people write *number*."""
    text = str(number)
    yield re.escape(text)
    if isinstance(number, int):
        yield from map(re.escape, {f"{number:,}", *(f"{number:,}".replace(",", c) for c in " '’")})
        if 0 <= number < len(_WORDS):
            yield _WORDS[number]
    elif "." in text:
        yield re.escape(text.rstrip("0").rstrip("."))
