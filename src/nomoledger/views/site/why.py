"""Why everything came about, step by step: what the pages of explanations show."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby

import msgspec

from nomoledger.views.site.names import Ref
from nomoledger.views.site.narration import StoryGroup, StoryLine
from nomoledger.views.site.public_run import Attempted, Trace
from nomoledger.views.site.rule_pages import Link, RulePages

SECRET = "Something that is not public had a part in how this came about."
UNTOLD = "How this came about cannot be worked out again."
#: From so many on, steps in a row that are just alike are folded.
ALIKE_MIN = 4


class WhyStep(msgspec.Struct):
    """A step: an event that came about (*line*), or words on the way there, citing a rule.

    *steps* are those that it came down to, and *more* further ones that were just like it.
    """

    text: str = ""
    cited: Link | None = None
    rest: str = ""
    line: StoryLine | None = None
    steps: list["WhyStep"] = []
    more: list["WhyStep"] = []

    @property
    def alike(self) -> str:
        """What steps that are just like it have in common; nothing where it stands for itself."""
        operation = self.text.partition("(")[0]
        return "" if self.line or self.steps or not self.rest else f"{operation} {self.cited}"


class Block(msgspec.Struct, frozen=True):
    """What came about in one go, for the *cause* where that is no input; *note* says what is kept
    back, or unknown."""

    cause: Ref | None
    steps: tuple[WhyStep, ...]
    note: str | None


class Why(msgspec.Struct, frozen=True):
    """What came from outside, and how what followed from it came about."""

    at: datetime
    head: StoryLine | None
    blocks: tuple[Block, ...]


class Whys:
    """Puts explanations together from what was noted; *hidden* where anything was kept back."""

    def __init__(self, attempts: Mapping[int, Attempted], ruleset: RulePages) -> None:
        self.attempts = attempts
        self.ruleset = ruleset
        self.hidden = False

    def of(self, group: StoryGroup) -> Why:
        """The explanation of all in *group*."""
        by_attempt = groupby(group.lines, lambda line: self.attempts.get(line.ref.number))
        found = [self._block(attempt, list(lines), group.head) for attempt, lines in by_attempt]
        return Why(group.at, group.head, tuple(block for block in found if block.steps))

    def _block(
        self, attempt: Attempted | None, lines: list[StoryLine], head: StoryLine | None
    ) -> Block:
        told = {line.ref.number: line for line in lines if not line.quiet}
        cause = next((line.cause for line in lines if line.cause is not None), None)
        if attempt is None:
            steps = tuple(WhyStep(line=line) for line in told.values())
            return Block(cause, steps, SECRET if self.hidden else UNTOLD)
        steps = tuple(self._steps(attempt.traces, told))
        is_follow_up = head is None or cause != head.ref
        return Block(cause if is_follow_up else None, steps, None)

    def _steps(self, traces: tuple[Trace, ...], told: dict[int, StoryLine]) -> Iterator[WhyStep]:
        """The steps as a tree, and then the events that are on no branch of it."""
        left = dict(told)
        top: list[WhyStep] = []
        open_steps: list[tuple[int, list[WhyStep]]] = [(-1, top)]
        for trace in traces:
            line = None if trace.event is None else left.pop(trace.event, None)
            if trace.event is not None and line is None:
                continue
            while open_steps[-1][0] >= trace.depth:
                open_steps.pop()
            step = self._step(trace, line)
            open_steps[-1][1].append(step)
            open_steps.append((trace.depth, step.steps))
        yield from _folded(top)
        yield from (WhyStep(line=line) for line in left.values())

    def _step(self, trace: Trace, line: StoryLine | None) -> WhyStep:
        if line is not None:
            return WhyStep(line=line)
        cited = (self.ruleset.find(trace.cited) or Link(trace.cited)) if trace.cited else None
        return WhyStep(trace.text, cited, trace.rest)


def _folded(steps: list[WhyStep]) -> Iterator[WhyStep]:
    """*steps*, where many that are alike stand behind the first of them."""
    for alike, group in groupby(steps, lambda step: step.alike):
        found = list(group)
        for step in found:
            step.steps = list(_folded(step.steps))
        if alike and len(found) >= ALIKE_MIN:
            found[0].more, found = found[1:], found[:1]
        yield from found
