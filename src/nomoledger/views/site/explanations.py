"""Explanations of events, step by step, for the pages that explain them."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby

import msgspec

from nomoledger.views.site.event_log import EventGroup, EventLine
from nomoledger.views.site.public_run import AttemptTrace, TraceLine
from nomoledger.views.site.rule_pages import Link, RulePages
from nomoledger.views.site.site_paths import Ref

SECRET = "Something that is not public had a part in how this came about."
UNTOLD = "How this came about cannot be worked out again."
#: The smallest number of consecutive similar steps that are collapsed.
ALIKE_MIN = 4


class ExplanationStep(msgspec.Struct):
    """A step: an event (*line*), or a text on the way to one, which cites a rule.

    *steps* are its substeps, and *more* the similar steps that are collapsed into it.
    """

    text: str = ""
    cited: Link | None = None
    rest: str = ""
    line: EventLine | None = None
    steps: list["ExplanationStep"] = []
    more: list["ExplanationStep"] = []

    @property
    def alike(self) -> str:
        """What similar steps have in common; empty for a step that is never collapsed."""
        operation = self.text.partition("(")[0]
        return "" if self.line or self.steps or not self.rest else f"{operation} {self.cited}"


class ExplanationBlock(msgspec.Struct, frozen=True):
    """The events of one attempt.

    Attributes:
        cause: The event that caused the attempt, unless it is the head of the group.
        note: Why there are no steps, if there are none.
    """

    cause: Ref | None
    steps: tuple[ExplanationStep, ...]
    note: str | None


class GroupExplanation(msgspec.Struct, frozen=True):
    """An input (*head*), and the explanation of its consequences."""

    at: datetime
    head: EventLine | None
    blocks: tuple[ExplanationBlock, ...]


class ExplanationBuilder:
    """Builds explanations from the *traces* of a run.

    *hidden* says that the game has secrets, so that a missing trace may be due to a secret.
    """

    def __init__(self, ruleset: RulePages) -> None:
        self.traces: Mapping[int, AttemptTrace] = {}
        self.ruleset = ruleset
        self.hidden = False

    def explain(self, group: EventGroup) -> GroupExplanation:
        """Return the explanation of all events in *group*."""
        by_attempt = groupby(group.lines, lambda line: self.traces.get(line.ref.number))
        blocks = [self._block(trace, list(lines), group.head) for trace, lines in by_attempt]
        return GroupExplanation(group.at, group.head, tuple(b for b in blocks if b.steps))

    def _block(
        self, trace: AttemptTrace | None, lines: list[EventLine], head: EventLine | None
    ) -> ExplanationBlock:
        shown = {line.ref.number: line for line in lines if not line.quiet}
        cause = next((line.cause for line in lines if line.cause is not None), None)
        if trace is None:
            steps = tuple(ExplanationStep(line=line) for line in shown.values())
            return ExplanationBlock(cause, steps, SECRET if self.hidden else UNTOLD)
        steps = tuple(self._steps(trace.lines, shown))
        is_follow_up = head is None or cause != head.ref
        return ExplanationBlock(cause if is_follow_up else None, steps, None)

    def _steps(
        self, trace_lines: tuple[TraceLine, ...], shown: dict[int, EventLine]
    ) -> Iterator[ExplanationStep]:
        """Yield the steps as a tree, and then the events that are not in the tree."""
        untraced = dict(shown)
        top: list[ExplanationStep] = []
        open_steps: list[tuple[int, list[ExplanationStep]]] = [(-1, top)]
        for trace in trace_lines:
            line = None if trace.event is None else untraced.pop(trace.event, None)
            if trace.event is not None and line is None:
                continue
            while open_steps[-1][0] >= trace.depth:
                open_steps.pop()
            step = self._step(trace, line)
            open_steps[-1][1].append(step)
            open_steps.append((trace.depth, step.steps))
        yield from _collapsed(top)
        yield from (ExplanationStep(line=line) for line in untraced.values())

    def _step(self, trace: TraceLine, line: EventLine | None) -> ExplanationStep:
        if line is not None:
            return ExplanationStep(line=line)
        cited = (self.ruleset.find(trace.cited) or Link(trace.cited)) if trace.cited else None
        return ExplanationStep(trace.text, cited, trace.rest)


def _collapsed(steps: list[ExplanationStep]) -> Iterator[ExplanationStep]:
    """Yield *steps*, with runs of similar steps collapsed into the first of each run."""
    for alike, group in groupby(steps, lambda step: step.alike):
        run = list(group)
        for step in run:
            step.steps = list(_collapsed(step.steps))
        if alike and len(run) >= ALIKE_MIN:
            run[0].more, run = run[1:], run[:1]
        yield from run
