"""The options of a question by their labels, or by numbers where labels are not unique."""

from typing import Any

from nomoledger.events import QuestionRaised
from nomoledger.prose.names import Names


def label_options(names: Names, question: QuestionRaised) -> list[str]:
    """Return the options of *question* as people read them: `Ann`, or `2 a ticket of Ann`."""
    labels = [str(names.label(option)) for option in _distinct(question)]
    if len(set(labels)) == len(labels):
        return labels
    return [f"{number} {label}" for number, label in enumerate(labels, 1)]


def option_called(names: Names, question: QuestionRaised, text: str) -> Any:
    """Return the option of *question* that *text* names; None if it names none, or several.

    An option goes by itself, by its label, and by its number if the labels are not unique.
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
    return called[0] if len(called) == 1 else None


def _distinct(question: QuestionRaised) -> list[Any]:
    """Return the options without repetitions: a draw may hold one more than once."""
    options: list[Any] = []
    for option in question.options:
        if option not in options:
            options.append(option)
    return options
