"""Conversion of steps to the inputs that they stand for."""

from collections.abc import Callable
from typing import Any

from nomoledger import events as e
from nomoledger.errors import RulebookError
from nomoledger.language.operations import Operation
from nomoledger.language.program import link
from nomoledger.language.resolve import WHOLE
from nomoledger.rulebook.cases.format import CaseStep
from nomoledger.rulebook.cases.query import labelled
from nomoledger.rulebook.cases.script import Mismatch, Script, worded
from nomoledger.rulebook.cases.spelling import spelled
from nomoledger.rulebook.changes import read_changes
from nomoledger.state.world import World

#: The class of an input, and its fields.
Made = tuple[type[e.Input], dict[str, Any]]
ADMIN = "admin"


class Inputs:
    """A converter of steps; *actions* are those of the rules at the start of the case."""

    def __init__(self, world: World, script: Script) -> None:
        """Create a converter for *world*."""
        self.world = world
        self.script = script
        self.actions = set(_actions(world))
        self.judged: set[int] = set()

    def of(self, step: CaseStep) -> Made:
        """Return the class of the input that *step* stands for, and its fields.

        Raises:
            RulebookError: there is no such action. The message lists all actions.
        """
        name = self._action(step)
        if name in _actions(self.world) or name in self.actions:
            return self._submission(step, name)
        return _ENGINES_OWN[name](self, step)

    def _action(self, step: CaseStep) -> str:
        known = {*_ENGINES_OWN, *_actions(self.world), *self.actions}
        return spelled(step.do or "", known, "nobody can")

    def _submission(self, step: CaseStep, name: str) -> Made:
        operation = _actions(self.world).get(name)
        arguments = step.with_
        if operation is not None:
            arguments = check_arguments(operation, arguments)
        by = self.actor(step)
        return e.SubmissionReceived, {"by": by, "action": name, "arguments": arguments}

    def actor(self, step: CaseStep) -> str:
        """Return who takes *step*: a player, or the admin if nobody is named."""
        by = step.by or ADMIN
        if by == ADMIN:
            return ADMIN
        found = self.world.find("player", by)
        if found is None and not step.refused:
            players = ", ".join(str(labelled(self.world, p)) for p in self._players()) or "nobody"
            raise RulebookError(f"there is no player {by!r}; playing are: {players}")
        return found or by

    def _players(self) -> tuple[str, ...]:
        return self.world.kinds.get("player", ())

    def proposal(self, said: Any) -> int:
        """Return the number of the proposal *said*; for None, the latest without a verdict."""
        if said is None:
            open_ = [n for n in self.world.proposals if n not in self.judged]
            if not open_:
                raise RulebookError("there is no proposal to judge")
            return max(open_)
        text = str(said).lstrip("P")
        if not WHOLE.fullmatch(text) or int(text) not in self.world.proposals:
            numbers = ", ".join(map(str, self.world.proposals)) or "none yet"
            raise RulebookError(f"there is no proposal {said!r}; there is: {numbers}")
        return int(text)


def _actions(world: World) -> dict[str, Operation]:
    operations = link(world.ruleset).links.operations
    return {name: operation for name, operation in operations.items() if operation.is_action}


def check_arguments(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return *given* with the names that *operation* uses; its first parameter is who acts.

    Raises:
        RulebookError: an argument is unknown or missing.
    """
    parameters = operation.definitions[0][1].parameters[1:]
    names = [parameter.name for parameter in parameters]
    found = {spelled(k, names, f"{operation.name} does not take"): v for k, v in given.items()}
    for parameter in parameters:
        if parameter.default is None and parameter.name not in found:
            raise RulebookError(f"{operation.name} needs to be told {parameter.name!r}")
    return found


def _with(step: CaseStep, *known: str) -> dict[str, Any]:
    if known:
        return {spelled(k, known, f"{step.do} does not take"): v for k, v in step.with_.items()}
    if step.with_:
        raise RulebookError(f"{step.do} takes nothing besides: {', '.join(step.with_)}")
    return {}


def _propose(inputs: Inputs, step: CaseStep) -> Made:
    given = _with(step, "text", "changes")
    number = max(inputs.world.proposals, default=0) + 1
    changes = read_changes(given.get("changes"))
    text = str(given.get("text", ""))
    by = inputs.actor(step)
    return e.ProposalMade, {"by": by, "number": number, "text": text, "changes": changes}


def _judge(inputs: Inputs, step: CaseStep) -> Made:
    given = _with(step, "proposal", "verdict")
    return _verdict(inputs, step, given.get("proposal"), given.get("verdict"))


def _accept(inputs: Inputs, step: CaseStep) -> Made:
    return _verdict(inputs, step, _with(step, "proposal").get("proposal"), "accepted")


def _reject(inputs: Inputs, step: CaseStep) -> Made:
    return _verdict(inputs, step, _with(step, "proposal").get("proposal"), "rejected")


def _verdict(inputs: Inputs, step: CaseStep, said: Any, verdict: Any) -> Made:
    if step.by not in (None, ADMIN):
        raise RulebookError("only the admin judges; for a vote, write do: vote")
    if verdict not in ("accepted", "rejected"):
        raise RulebookError(f"a verdict is accepted or rejected, not {verdict!r}")
    return e.ProposalJudged, {"proposal": inputs.proposal(said), "verdict": verdict}


def _vote(inputs: Inputs, step: CaseStep) -> Made:
    given = _with(step, "proposal", "choice")
    number = inputs.proposal(given.get("proposal"))
    by, choice = inputs.actor(step), worded(given.get("choice", ""))
    return e.VoteCast, {"by": by, "proposal": number, "choice": choice}


def _join(inputs: Inputs, step: CaseStep) -> Made:
    details = dict(step.with_)
    name = str(details.pop("name", step.by or ""))
    if not name:
        raise RulebookError("join needs to be told 'name'")
    return e.JoinRequested, {"name": name, "details": details}


def _leave(inputs: Inputs, step: CaseStep) -> Made:
    _with(step)
    return e.LeaveRequested, {"by": inputs.actor(step)}


def _close(inputs: Inputs, step: CaseStep) -> Made:
    _with(step)
    return e.CloseAsked, {}


def _advance(inputs: Inputs, step: CaseStep) -> Made:
    _with(step)
    return e.ClockAdvanced, {}


def _order(inputs: Inputs, step: CaseStep) -> Made:
    given = _with(step, "when", "while", "acts", "answer")
    fields: dict[str, Any] = {"by": inputs.actor(step), "when": str(given.get("when", "yes"))}
    acts = tuple(_act(inputs, each) for each in given.get("acts", ()))
    return e.OrderGiven, fields | {
        "holds": str(given.get("while", "")),
        "acts": acts,
        "answer": given.get("answer"),
        "audience": (fields["by"],),
    }


def _act(inputs: Inputs, written: Any) -> e.Act:
    """Return an act of a standing order, such as `{do: buy, with: {square: 20}}`."""
    if not isinstance(written, dict) or set(written) - {"do", "with"}:
        raise RulebookError(f"an order asks for things like {{do: buy}}, not {written!r}")
    actions = _actions(inputs.world)
    name = spelled(str(written.get("do")), actions, "nobody can")
    return e.Act(name, check_arguments(actions[name], dict(written.get("with") or {})))


def _roll(inputs: Inputs, step: CaseStep) -> Made:
    question = _waiting(inputs, "dice", "draw")
    given = _with(step, "dice", "value")
    inputs.script.add(given.get("dice"), given.get("value"), None)
    values = inputs.script.oracle(question)
    if values is None:
        raise RulebookError(f"{question.text}: the step gives nothing for it")
    return e.DrawEntered, {"question": question.question, "values": tuple(values)}


def _answer(inputs: Inputs, step: CaseStep) -> Made:
    question = _waiting(inputs, "choice")
    value = inputs.script.option(question, _with(step, "value").get("value"))
    if step.by not in (None, ADMIN) and inputs.actor(step) != question.to:
        raise Mismatch(f"{question.text} is put to {question.to}, not to {step.by}")
    return answered(question, value)


def _ruling(inputs: Inputs, step: CaseStep) -> Made:
    given = _with(step, "text", "value", "changes", "cites", "urgent")
    number = int(inputs.world.game.get("rulings", 0)) + 1
    text, cites = str(given.get("text", "")), tuple(given.get("cites", ()))
    fields: dict[str, Any] = {"number": number, "text": text, "cites": cites}
    if "value" not in given:
        fields |= {
            "changes": read_changes(given.get("changes")),
            "urgent": bool(given.get("urgent")),
        }
        return e.RulingMade, fields | {"kind": "correct"}
    question = _waiting(inputs, "ruling", "conflict")
    value = inputs.script.option(question, given["value"])
    return e.RulingMade, fields | {"kind": "answer", "question": question.question, "value": value}


def _waiting(inputs: Inputs, *asks: str) -> e.QuestionRaised:
    question = inputs.world.waiting
    if question is None or question.asks not in asks:
        text = f"what is open is: {question.text}" if question else "no question is open"
        raise Mismatch(f"there is no {' or '.join(asks)} to settle; {text}")
    return question


def answered(question: e.QuestionRaised, value: Any, number: int = 0) -> Made:
    """Return the input that answers *question* with *value*; a ruling gets *number*."""
    if question.asks == "choice":
        return e.ChoiceAnswered, {"question": question.question, "value": value, "by": question.to}
    fields = {"number": number, "kind": "answer", "text": "", "question": question.question}
    return e.RulingMade, fields | {"value": value}


_ENGINES_OWN: dict[str, Callable[[Inputs, CaseStep], Made]] = {
    "propose": _propose,
    "judge": _judge,
    "accept": _accept,
    "reject": _reject,
    "vote": _vote,
    "join": _join,
    "leave": _leave,
    "close": _close,
    "advance": _advance,
    "order": _order,
    "roll": _roll,
    "draw": _roll,
    "answer": _answer,
    "ruling": _ruling,
}
#: The actions of every game, besides those that its rules define.
ENGINES_OWN = tuple(_ENGINES_OWN)
