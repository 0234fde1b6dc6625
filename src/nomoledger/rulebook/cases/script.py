"""What chance and people say in a case: the dice, draws and answers that its steps give."""

import re
from typing import Any

from nomoledger.errors import RulebookError
from nomoledger.events import QuestionRaised
from nomoledger.state.world import World

_SIDES = re.compile(r"\d*d(\d+)$")
_ROLL = re.compile(r"roll \d+d\d+ \((.*)\)$", re.DOTALL)


class StepGroup:
    """Values for one or more reads: used up from the front.

    Attributes:
        values: what is left. sides: what each die must have, None where it is not said.
        whole: whether one read must take all of it.
    """

    def __init__(self, values: list[Any], sides: int | None = None, whole: bool = False) -> None:
        self.values = values
        self.sides = sides
        self.whole = whole


class Mismatch(Exception):
    """The script does not fit what is asked; the text says how."""


class Script:
    """The dice, draws and answers of the step under way, and what is left of them."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.dice: list[StepGroup] = []
        self.labelled: dict[str, list[StepGroup]] = {}
        self.draws: dict[str, list[Any]] = {}
        self.answers: dict[str, list[Any]] = {}

    def add(self, dice: Any, draws: Any, answers: Any) -> None:
        """Take over what a step gives."""
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
        """The dice or the draw for *question*; None where the script has none for it."""
        if question.asks == "dice":
            return self._roll(question)
        if question.asks == "draw":
            label = question.text.removeprefix("draw ")
            found = _take(self.draws, label, question.question)
            return None if found is None else [self.option(question, found[0])]
        return None

    def answer(self, question: QuestionRaised) -> list[Any] | None:
        """What is answered to *question*, as a list of one; None where the script has nothing."""
        found = _take(self.answers, question.text, question.question)
        return None if found is None else [self.option(question, found[0])]

    def option(self, question: QuestionRaised, value: Any) -> Any:
        """The option of *question* that people call *value*.

        Raises:
            Mismatch: it has no such option.
        """
        if not question.options:
            return value
        called = {worded(self.world.label(each)): each for each in question.options}
        if worded(value) not in called:
            raise Mismatch(f"{question.text}: {value!r} is no option; there is {', '.join(called)}")
        return called[worded(value)]

    def left_over(self) -> str | None:
        """What nobody asked for, in words; None where all is used."""
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
    """*value* as text; YAML reads a bare yes or no as true or false.

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
    """One die, several, several throws each in its own list, or `{d20: 13}` where sides matter."""
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
    """{label: values still to use}; a plain list or value goes by order, under the label ""."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        return {"": list(given) if isinstance(given, list) else [given]}
    return {str(k): list(v) if isinstance(v, list) else [v] for k, v in given.items()}


def _fitting(table: dict[str, Any], label: str, address: str) -> str | None:
    """The key that is *label*, else the longest that is part of it or of the *address*."""
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
