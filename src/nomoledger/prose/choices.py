"""Open questions in words: what is asked, which answers there are, and how people name them."""

import re
from collections.abc import Sequence
from typing import Any

from nomoledger.events import QuestionRaised
from nomoledger.prose.names import Names

_COUNTED = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_DICE = re.compile(r"roll [0-9]+d[0-9]+ \((?P<what>.*)\)", re.DOTALL)
_DRAW = re.compile(r"draw (?P<what>.*)", re.DOTALL)


def ask_in_words(names: Names, question: QuestionRaised) -> str:
    """Return what *question* asks for: `two dice of six sides for Ann's move`.

    For a draw, the options follow as `label_options` has them; they are left out here.
    """
    if question.asks == "dice":
        return f"{dice_in_words(question.options)} for {_purpose(names, question, _DICE)}"
    if question.asks == "draw":
        return f"one drawn at random for {_purpose(names, question, _DRAW)}"
    return names.without_identifiers(question.text)


def dice_in_words(sides: Sequence[int]) -> str:
    """Return dice with these *sides* in words.

    >>> dice_in_words((6, 6)), dice_in_words((100,))
    ('two dice of six sides', 'one die of 100 sides')
    """
    kinds = {side: sides.count(side) for side in dict.fromkeys(sides)}
    return " and ".join(
        f"{_counted(count)} {'die' if count == 1 else 'dice'} of {_counted(side)}"
        f" side{'' if side == 1 else 's'}"
        for side, count in kinds.items()
    )


def _counted(number: int) -> str:
    return _COUNTED[number] if 0 <= number < len(_COUNTED) else str(number)


def _purpose(names: Names, question: QuestionRaised, pattern: re.Pattern[str]) -> str:
    """Return what *question* draws for, and for whom: `Ann's move`, or `the lottery`."""
    match = pattern.fullmatch(question.text)
    what = names.without_identifiers(match["what"] if match else question.text)
    player = _whose(names, question)
    return f"the {what}" if player is None else f"{player}'s {what}"


def _whose(names: Names, question: QuestionRaised) -> str | None:
    """Return the player whose attempt asks *question*; None if it is nobody's."""
    world = names.world
    attempt = next(
        (each for each in world.agenda if question.question.startswith(f"{each.id}|")), None
    )
    if attempt is None:
        return None
    about = (attempt.by, *attempt.arguments, *attempt.named.values())
    players = (each for each in about if world.entities.get(str(each)) == "player")
    found = next(players, None)
    return None if found is None else str(world.label(found))


def label_options(names: Names, question: QuestionRaised) -> list[str]:
    """Return the options of *question* as people read them: `Ann`, or `2 a ticket of Ann`."""
    labels = [str(names.label(option)) for option in _distinct(question)]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{number} {label}" for number, label in enumerate(labels, 1)]


def option_called(names: Names, question: QuestionRaised, text: str) -> Any:
    """Return the option of *question* that *text* names; None if it names none, or several.

    An option goes by itself, by its label, and by its number if the labels are not unique. A thing
    also goes by the player whose it is, unless the player has several that differ.
    """
    if question.asks == "dice":
        return None
    options = _distinct(question)
    labels = [str(names.label(option)) for option in options]
    called = [option for option in options if text in (str(option), str(names.world.label(option)))]
    called = called or [o for o, label in zip(options, labels, strict=True) if label == text]
    if not called and len(set(labels)) < len(labels):
        numbered = zip(options, labels, range(1, len(options) + 1), strict=True)
        called = [o for o, label, n in numbered if text in (str(n), f"{n} {label}")]
    if not called:
        held = [o for o in options if _is_of(names, o, text)]
        called = held[:1] if len({str(names.label(option)) for option in held}) == 1 else []
    return called[0] if len(called) == 1 else None


def _is_of(names: Names, option: Any, player: str) -> bool:
    """Return whether *option* is a thing that has *player* as an attribute."""
    thing, entity = names.thing(option), names.world.find("player", player)
    return thing is not None and entity is not None and entity in thing.attributes.values()


def _distinct(question: QuestionRaised) -> list[Any]:
    """Return the options without repetitions: a draw may hold one more than once."""
    options: list[Any] = []
    for option in question.options:
        if option not in options:
            options.append(option)
    return options
