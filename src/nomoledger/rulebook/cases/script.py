"""The dice, draws and answers that the steps of a case give."""

import re
from typing import Any

from nomoledger.errors import RulebookError
from nomoledger.events import QuestionRaised
from nomoledger.state.world import World

_SIDES = re.compile(r"\d*d(\d+)$")
_ROLL = re.compile(r"roll \d+d\d+ \((.*)\)$", re.DOTALL)


class StepGroup:
    """Values for one or more rolls, used in order.

    Attributes:
        values: the values left. sides: the sides that each die must have, None for any.
        whole: whether one roll must use all values.
    """

    def __init__(self, values: list[Any], sides: int | None = None, whole: bool = False) -> None:
        """Create a group of *values*."""
        self.values = values
        self.sides = sides
        self.whole = whole


class Mismatch(Exception):
    """The script does not fit the question; the text says why."""


class Script:
    """The unused dice, draws and answers of the current step."""

    def __init__(self, world: World) -> None:
        """Create an empty script for *world*."""
        self.world = world
        self.dice: list[StepGroup] = []
        self.labelled: dict[str, list[StepGroup]] = {}
        self.draws: dict[str, list[Any]] = {}
        self.answers: dict[str, list[Any]] = {}

    def add(self, dice: Any, draws: Any, answers: Any) -> None:
        """Add the values that a step gives."""
        named = isinstance(dice, dict)
        for label, values in dice.items() if named else [("", dice)] if dice is not None else []:
            groups = list(_groups(values))
            sides = _SIDES.match(str(label))
            if sides is not None:
                self.dice += [StepGroup(each.values, int(sides[1]), each.whole) for each in groups]
            elif label == "":
                self.dice += groups
            else:
                self.labelled.setdefault(str(label), []).extend(groups)
        self.draws |= _by_label(draws)
        self.answers |= _by_label(answers)

    def oracle(self, question: QuestionRaised) -> list[Any] | None:
        """Return the dice or the draw for *question*; None if the script has none."""
        if question.asks == "dice":
            return self._roll(question)
        if question.asks == "draw":
            label = question.text.removeprefix("draw ")
            found = _take(self.draws, label, question.question)
            return None if found is None else [self.option(question, found[0])]
        return None

    def answer(self, question: QuestionRaised) -> list[Any] | None:
        """Return the answer to *question*, as a list of one; None if the script has none."""
        found = _take(self.answers, question.text, question.question)
        return None if found is None else [self.option(question, found[0])]

    def option(self, question: QuestionRaised, value: Any) -> Any:
        """Return the option of *question* with the label *value*.

        Raises:
            Mismatch: there is no such option.
        """
        if not question.options:
            return value
        called = {worded(self.world.label(each)): each for each in question.options}
        if worded(value) not in called:
            raise Mismatch(f"{question.text}: {value!r} is no option; there is {', '.join(called)}")
        return called[worded(value)]

    def left_over(self) -> str | None:
        """Describe the unused values; return None if all are used."""
        dice = [v for group in self.dice for v in group.values]
        parts = [f"dice {_listed(dice)}"] if dice else []
        for label, groups in self.labelled.items():
            if rest := [v for group in groups for v in group.values]:
                parts.append(f"dice {_listed(rest)} for {label!r}")
        parts += [f"a draw {_listed(v)} for {k!r}" for k, v in self.draws.items() if v]
        parts += [f"an answer {_listed(v)} for {k!r}" for k, v in self.answers.items() if v]
        return " and ".join(parts) or None

    def _roll(self, question: QuestionRaised) -> list[Any] | None:
        match = _ROLL.match(question.text)
        label = match[1] if match else question.text
        left = {k: v for k, v in self.labelled.items() if any(group.values for group in v)}
        key = _fitting(left, label, question.question)
        groups = self.labelled[key] if key is not None else self.dice
        while groups and not groups[0].values:
            groups.pop(0)
        if not groups:
            return None
        group, wanted = groups[0], len(question.options)
        if len(group.values) < wanted or (group.whole and len(group.values) != wanted):
            raise Mismatch(
                f"{question.text} asks for {wanted} dice, the case gives {_listed(group.values)}"
            )
        values, group.values = group.values[:wanted], group.values[wanted:]
        for value, sides in zip(values, question.options, strict=True):
            _check_die(question.text, value, sides, group.sides)
        return values


def worded(value: Any) -> str:
    """Return *value* as text; YAML reads a bare yes or no as true or false.

    >>> worded(True), worded("no"), worded(7)
    ('yes', 'no', '7')
    """
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _check_die(text: str, value: Any, sides: int, stated: int | None) -> None:
    if stated is not None and stated != sides:
        raise Mismatch(f"{text}: the die has {sides} sides, the case says {stated}")
    if not isinstance(value, int) or not 1 <= value <= sides:
        raise Mismatch(f"{text}: a die of {sides} sides cannot show {value!r}")


def _groups(values: Any) -> list[StepGroup]:
    """Group dice: one, several, a list for each roll, or `{d20: 13}` to check the sides."""
    if not isinstance(values, list):
        values = [values]
    groups: list[StepGroup] = []
    for each in values:
        if isinstance(each, dict):
            for label, inner in each.items():
                sides = _SIDES.match(str(label))
                if sides is None:
                    raise RulebookError(f"dice: {label!r} is no kind of die, such as d6 or d20")
                groups += [StepGroup(g.values, int(sides[1]), g.whole) for g in _groups(inner)]
        elif isinstance(each, list):
            groups.append(StepGroup(list(each), whole=True))
        elif groups and not groups[-1].whole and groups[-1].sides is None:
            groups[-1].values.append(each)
        else:
            groups.append(StepGroup([each]))
    return groups


def _by_label(given: Any) -> dict[str, list[Any]]:
    """Return the unused values by label; a plain list or value has the label ""."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        return {"": list(given) if isinstance(given, list) else [given]}
    return {str(k): list(v) if isinstance(v, list) else [v] for k, v in given.items()}


def _fitting(table: dict[str, Any], label: str, address: str) -> str | None:
    """Return the key *label*, or the longest key that is part of the label or the *address*."""
    if label in table:
        return label
    place = f"{label}\n{address}".lower()
    fitting = [key for key in table if key and key.lower() in place]
    return max(fitting, key=len) if fitting else None


def _take(table: dict[str, list[Any]], label: str, address: str) -> list[Any] | None:
    key = _fitting({k: v for k, v in table.items() if v}, label, address)
    if key is None and table.get(""):
        key = ""
    return None if key is None else [table[key].pop(0)]


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values))
