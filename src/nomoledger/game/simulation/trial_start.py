"""Where a trial starts: a moment of the control game, and how that game went on."""

import pickle
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.game.simulation.control_game import PERIODS_AFTER, Probe
from nomoledger.language.program import Program
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import World

_ANSWERS = (e.ChoiceAnswered, e.DrawEntered)


class TrialStart:
    """A moment of the control game, and how that game went on.

    Attributes:
        now: the time of the moment.
        world: the state, pickled.
        steps: the inputs that followed, each with its place.
        answers: the answers that were given, by question.
        probes: requests that were accepted later, by place.
        accepted: how often each action was accepted afterwards.
        keys: the attribute that names the things of each kind.
        rules: the rules that were in force.
        undefined: names that their code uses and none of them defines.
    """

    def __init__(
        self, place: int, world: World, batches: Sequence[Batch], probes: dict[int, list[Probe]]
    ) -> None:
        """Go on from *world* after *place* of *batches*."""
        self.world = pickle.dumps(world)
        self.now: datetime = from_seconds(world.game["now"])
        last = world.period + PERIODS_AFTER
        self.steps: list[tuple[int, e.Input]] = []
        self.answers: dict[str, Any] = {}
        self.accepted: Counter[str] = Counter()
        done: set[str] = set()
        for number, batch in enumerate(batches[place:], place):
            done |= {event.attempt for event in batch if isinstance(event, e.AttemptDone)}
            event = batch[0]
            if event.period > last:
                break
            if isinstance(event, e.Input):
                self.answers.update(_answer(event))
                if not _is_answer(event):
                    self.steps.append((number, event))
        self.probes = {number: found for number, found in probes.items() if number >= place}
        for _, event in self.steps:
            if (request := request_of(event)) is not None and event.id in done:
                self.accepted[request.operation] += 1
        for number, found in self.probes.items():
            if self.steps and number <= self.steps[-1][0]:
                self.accepted.update(probe.action for probe in found)
        self.keys = {kind: world.key_of(kind) for kind in world.known_kinds()}
        self.rules = world.rules
        self.undefined = frozenset(Program(world.ruleset).links.undefined)


def _is_answer(event: e.Input) -> bool:
    return isinstance(event, _ANSWERS) or (
        isinstance(event, e.RulingMade) and event.question is not None
    )


def _answer(event: e.Input) -> dict[str, Any]:
    """Return the question that *event* answers with the answer; nothing if it answers none."""
    if isinstance(event, e.ChoiceAnswered) or (
        isinstance(event, e.RulingMade) and event.question is not None
    ):
        return {str(event.question): event.value}
    return {}


class Request(NamedTuple):
    """An operation that an input attempts, with its arguments by position and by name."""

    operation: str
    positional: tuple[Any, ...]
    named: dict[str, Any]


def request_of(event: e.Input) -> Request | None:
    """Return what *event* attempts; None if that is no operation of the rules."""
    if isinstance(event, e.SubmissionReceived):
        return Request(event.action, (event.by,), event.arguments)
    if isinstance(event, e.JoinRequested):
        return Request("join", (), {"name": event.name, **event.details})
    if isinstance(event, e.LeaveRequested):
        return Request("depart", (event.by,), {})
    if isinstance(event, e.ProposalMade):
        return Request("propose", (event.by, event.number), {})
    if isinstance(event, e.VoteCast):
        return Request("vote", (event.by, event.proposal, event.choice), {})
    if isinstance(event, e.ProposalJudged):
        return Request("judge", (event.proposal, event.verdict), {})
    return None
