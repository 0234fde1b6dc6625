"""Something from outside as it should have been: a die, an answer, a verdict, an argument."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import UsageError

#: Where what is replaced stands, in the inputs that say one thing only.
_SAID = {
    e.DrawEntered: "values",
    e.ChoiceAnswered: "value",
    e.RulingMade: "value",
    e.ProposalJudged: "verdict",
    e.VoteCast: "choice",
}
#: Where the things that are replaced stand by name, in the others.
_NAMED = {e.SubmissionReceived: "arguments", e.FactRecorded: "fields", e.JoinRequested: "details"}
VERDICTS = ("accepted", "rejected")


def replace_input(body: e.Input, value: Any, question: e.QuestionRaised | None = None) -> e.Input:
    """*body*, which may answer a *question*, as it should have been.

    Raises:
        UsageError: an input of that kind cannot be replaced, or not by this.
    """
    kind = type(body)
    if kind in _SAID:
        return msgspec.structs.replace(body, **{_SAID[kind]: _said(body, value, question)})
    if kind not in _NAMED:
        raise UsageError(
            f"a {kind.__name__} can be left out, but there is nothing in it to replace"
        )
    if not isinstance(value, dict):
        raise UsageError(f"say what is replaced by name, like {{square: 20}}, not {value!r}")
    field = _NAMED[kind]
    if kind is e.JoinRequested and "name" in value:
        body = msgspec.structs.replace(body, name=str(value["name"]))
        value = {key: each for key, each in value.items() if key != "name"}
    return msgspec.structs.replace(body, **{field: getattr(body, field) | value})


def _said(body: e.Input, value: Any, question: e.QuestionRaised | None) -> Any:
    if isinstance(body, e.RulingMade) and body.question is None:
        raise UsageError("a ruling that answered nothing is overruled, not replaced")
    if isinstance(body, e.ProposalJudged) and value not in VERDICTS:
        raise UsageError(f"a verdict is accepted or rejected, not {value!r}")
    if isinstance(body, e.DrawEntered):
        value = tuple(value) if isinstance(value, list | tuple) else (value,)
        if question is not None and not is_possible_draw(question, value):
            raise UsageError(f"{question.text}: {format_values(value)} cannot be rolled")
    elif question is not None and not is_possible_answer(question, value):
        options = ", ".join(map(str, question.options))
        raise UsageError(f"{question.text}: {value!r} is none of the answers {options}")
    return value


def replace_draw(body: e.DrawRecorded, edit: e.Replaced | e.LeftOut) -> list[Any]:
    """The values of the draw *body* as they should have been.

    Raises:
        UsageError: it is to be left out, or there were more or fewer dice.
    """
    if isinstance(edit, e.LeftOut):
        raise UsageError("a roll cannot be left out, only be replaced: it was asked for")
    values = list(edit.value) if isinstance(edit.value, list | tuple) else [edit.value]
    kinds = [type(each) for each in body.values]
    if [type(each) for each in values] != kinds:
        count = len(kinds)
        raise UsageError(
            f"the roll was {format_values(body.values)}: give {count} of the same kind"
        )
    return values


def is_possible_draw(question: e.QuestionRaised, values: Any) -> bool:
    """Whether dice, or a choice by chance, can come out as *values*."""
    if question.asks == "draw":
        return len(values) == 1 and values[0] in question.options
    sides = question.options
    return len(values) == len(sides) and all(
        type(value) is int and 1 <= value <= most for value, most in zip(values, sides, strict=True)
    )


def is_possible_answer(question: e.QuestionRaised, value: Any) -> bool:
    """Whether *value* is among the answers, where there is a choice of some."""
    return not question.options or value in question.options


def format_values(values: Any) -> str:
    """*values* in words."""
    return ", ".join(map(str, values))
