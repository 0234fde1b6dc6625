"""Replacements of one input: other dice, another answer, verdict or argument."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.oracles import is_possible_answer, is_possible_draw
from nomoledger.errors import UsageError

#: The field that is replaced as a whole, for inputs with a single value.
_VALUE_FIELDS = {
    e.DrawEntered: "values",
    e.ChoiceAnswered: "value",
    e.RulingMade: "value",
    e.ProposalJudged: "verdict",
    e.VoteCast: "choice",
}
#: The field whose items are replaced by name, for other inputs.
_TABLE_FIELDS = {
    e.SubmissionReceived: "arguments",
    e.FactRecorded: "fields",
    e.JoinRequested: "details",
}
VERDICTS = ("accepted", "rejected")


def replace_input(body: e.Input, value: Any, question: e.QuestionRaised | None = None) -> e.Input:
    """Return *body*, which may answer a *question*, with *value* in place of what was recorded.

    Raises:
        UsageError: inputs of this kind cannot be replaced, or not by *value*.
    """
    kind = type(body)
    if kind in _VALUE_FIELDS:
        return msgspec.structs.replace(
            body, **{_VALUE_FIELDS[kind]: _checked_value(body, value, question)}
        )
    if kind not in _TABLE_FIELDS:
        raise UsageError(f"a {kind.__name__} has no value to replace: leave it out instead")
    if not isinstance(value, dict):
        raise UsageError(
            f"give the values to replace by name, such as {{square: 20}}, not {value!r}"
        )
    field = _TABLE_FIELDS[kind]
    if kind is e.JoinRequested and "name" in value:
        body = msgspec.structs.replace(body, name=str(value["name"]))
        value = {key: item for key, item in value.items() if key != "name"}
    return msgspec.structs.replace(body, **{field: getattr(body, field) | value})


def _checked_value(body: e.Input, value: Any, question: e.QuestionRaised | None) -> Any:
    if isinstance(body, e.RulingMade) and body.question is None:
        raise UsageError("a ruling that answered no question is overruled, not replaced")
    if isinstance(body, e.ProposalJudged) and value not in VERDICTS:
        raise UsageError(f"a verdict is accepted or rejected, not {value!r}")
    if isinstance(body, e.DrawEntered):
        value = tuple(value) if isinstance(value, list | tuple) else (value,)
        if question is not None and not is_possible_draw(question, value):
            raise UsageError(f"{question.text}: {format_values(value)} cannot be rolled")
    elif question is not None and not is_possible_answer(question, value):
        options = ", ".join(map(str, question.options))
        raise UsageError(f"{question.text}: {value!r} is not one of the answers {options}")
    return value


def replace_draw(body: e.DrawRecorded, edit: e.Replaced | e.LeftOut) -> list[Any]:
    """Return the values of the draw *body* after *edit*.

    Raises:
        UsageError: *edit* leaves the draw out, or gives another number or kind of values.
    """
    if isinstance(edit, e.LeftOut):
        raise UsageError("a roll cannot be left out, because the rules need it: replace it")
    values = list(edit.value) if isinstance(edit.value, list | tuple) else [edit.value]
    kinds = [type(value) for value in body.values]
    if [type(value) for value in values] != kinds:
        count = len(kinds)
        raise UsageError(
            f"the roll was {format_values(body.values)}: give {count} of the same kind"
        )
    return values


def format_values(values: Any) -> str:
    """Format *values* as a comma-separated list."""
    return ", ".join(map(str, values))
