"""What players lately did in a period, for bots to do again."""

from collections.abc import Iterable
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.fact_audit import fact_mapping
from nomoledger.proof.public_stream import apply_public
from nomoledger.state.world import World

#: From how many of the latest closed periods futures take what players do.
PATTERNS_MAX = 3
SUBMIT, DO, PROPOSE, VOTE, JUDGE = "submit", "do", "propose", "vote", "judge"


class PatternStep(msgspec.Struct, frozen=True):
    """Something that a player or the admin did.

    Attributes:
        after: how many seconds after the start of the period.
        kind: what it was: "submit", "propose", "vote", "judge", or "do": an operation that a
            hand-kept record names, such as a roll.
        by: who did it.
        what: the action or the operation; the choice of a vote; the verdict.
        arguments: by name; of an operation, by position under the key "".
    """

    after: int
    kind: str
    by: str
    what: str = ""
    arguments: dict[str, Any] = {}


class PlayPattern(msgspec.Struct, frozen=True):
    """What was done in a closed period.

    Attributes:
        period: the period.
        seconds: how long it lasted.
        steps: what was done, in order.
    """

    period: int
    seconds: int
    steps: tuple[PatternStep, ...]


def fold_with_patterns(entries: Iterable[e.Entry]) -> tuple[World, list[PlayPattern]]:
    """Return the state after public *entries*, and the patterns of the latest closed periods."""
    world, patterns = World(), list[PlayPattern]()
    steps: list[PatternStep] = []
    begin: int | None = None
    fact: e.FactRecorded | None = None
    for entry in entries:
        body = entry.body
        at = int(body.received_at.timestamp())
        begin = at if begin is None else begin
        if isinstance(body, e.FactRecorded):
            fact = body
        step = _step_of(world, body, fact, at - begin)
        if step is not None:
            steps.append(step)
        apply_public(world, body)
        if isinstance(body, e.PeriodClosed):
            if steps:
                patterns = [*patterns, PlayPattern(body.period, at - begin, tuple(steps))]
            steps, begin = [], at
    return world, patterns[-PATTERNS_MAX:]


def _step_of(
    world: World, body: e.Event, fact: e.FactRecorded | None, after: int
) -> PatternStep | None:
    """Return what somebody did in *body*; *fact* is the latest fact of a hand-kept record."""
    if isinstance(body, e.SubmissionReceived):
        return PatternStep(after, SUBMIT, body.by, body.action, dict(body.arguments))
    if isinstance(body, e.ProposalMade):
        return PatternStep(after, PROPOSE, body.by)
    if isinstance(body, e.VoteCast):
        return PatternStep(after, VOTE, body.by, body.choice)
    if isinstance(body, e.ProposalJudged):
        return PatternStep(after, JUDGE, "admin", body.verdict)
    if isinstance(body, e.Scheduled) and fact is not None and body.due is None:
        mapping = fact_mapping(world, fact.kind)
        is_of_fact = mapping is not None and body.attempt == f"{fact.id}>{mapping.attempt}"
        if is_of_fact and body.arguments:
            arguments = {"": list(body.arguments)}
            return PatternStep(after, DO, str(body.arguments[0]), body.operation, arguments)
    return None
