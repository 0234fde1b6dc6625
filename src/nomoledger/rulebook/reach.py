"""What a case reaches: the hooks that run while it is carried out under the unchanged rules."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import msgspec

from nomoledger.errors import NomoledgerError
from nomoledger.events.rules import Rule
from nomoledger.language.code import Code, Hook
from nomoledger.language.host import Host
from nomoledger.language.operations import Links
from nomoledger.language.program import Program, link_as
from nomoledger.rulebook.cases import Case
from nomoledger.rulebook.cases.case_run import result_of
from nomoledger.rulebook.loading import Rulebook
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.declared_rules import Ruleset

#: An operation and a rule that acted in it. The operation is "" for checks and `on_enact`.
Place = tuple[str, str]
#: How many steps of a run cost as much time as compiling one operation.
_STEPS_PER_OPERATION = 25


class Reach(msgspec.Struct, frozen=True):
    """What happened when a case was run.

    Attributes:
        failure: why the case fails, with file and line; None if it passes.
        places: the operations carried out, each with a rule that acted in it.
        operations: the operations carried out, and those that may have been called unnoticed.
        weight: about how long another run takes, the same on every machine.
    """

    failure: str | None
    places: frozenset[Place]
    operations: frozenset[str]
    weight: int


def run_and_record(cases: Iterable[Case], rulebook: Rulebook) -> list[Reach]:
    """Run each of *cases* under *rulebook* in a sandbox, and return what each reached."""
    pieces = stream_from_sandbox(_run_and_record, list(cases), rulebook)
    return [msgspec.msgpack.decode(piece, type=Reach) for piece in pieces]


def _run_and_record(cases: list[Case], rulebook: Rulebook) -> Iterator[bytes]:
    recording = _Recording()
    with link_as(partial(_RecordingProgram, recording)):
        for case in cases:
            recording.clear()
            failure = failure_of(case, rulebook)
            yield msgspec.msgpack.encode(recording.summary(failure))


def failure_of(case: Case, rulebook: Rulebook) -> str | None:
    """Return why *case* fails under *rulebook*, with file and line; None if it passes."""
    try:
        result = result_of(case, rulebook)
    except NomoledgerError as error:
        return str(error)
    return None if result.ok else f"{case.file}:{case.line}: {result.difference}"


def places_of(rule: Rule, hook: Hook) -> set[Place]:
    """Return the places at which a run shows that *hook* of *rule* was called."""
    if hook.kind in ("check", "on"):
        return {("", rule.number)}
    guard = {("may", rule.number)} if hook.kind == "forbid" else set()
    return {(hook.operation, rule.number)} | guard


def _is_always_called(code: Code) -> bool:
    """Return whether every run calls some of *code*: checks, and `on_enact`."""
    return any(hook.kind in ("check", "on") for hook in code.hooks)


def _unseen_operations(links: Links, operations: set[str]) -> set[str]:
    """Return what the hooks of *operations* may call unseen: plain operations, and `may`."""
    reached = set(operations)
    while True:
        known = reached & links.operations.keys()
        hooked = {number for name in known for number, _ in links.operations[name].hooks}
        codes = [c for n, c in links.codes.items() if n in hooked or _is_always_called(c)]
        called = {name for code in codes for name in code.free & links.plain}
        called |= {
            call.constants[0]
            for code in codes
            for call in code.calls
            if call.name == "may" and call.constants and isinstance(call.constants[0], str)
        }
        if called <= reached:
            return reached - operations
        reached |= called


class _Recording:
    """The places that a run comes by, and the programs that it uses."""

    def __init__(self) -> None:
        self.places: set[Place] = set()
        self.programs: list[Program] = []
        self.steps = 0

    def clear(self) -> None:
        """Forget the last run."""
        self.places.clear()
        self.programs.clear()
        self.steps = 0

    def add(self, operation: str, rule: str) -> None:
        """Note that *rule* acts in *operation*."""
        self.places.add((operation, rule))
        self.steps += 1

    def summary(self, failure: str | None) -> Reach:
        """Return what the run reached, which ended with *failure*."""
        places = set(self.places)
        operations = {operation for operation, _ in places}
        for links in (program.links for program in self.programs):
            unseen = _unseen_operations(links, operations)
            places |= {(n, links.operations[n].definer) for n in unseen & links.plain}
            operations |= unseen
        weight = self.steps + _STEPS_PER_OPERATION * len(operations)
        return Reach(failure, frozenset(places), frozenset(operations), weight)


class _RecordingHost(Host):
    """A host that adds each operation and rule that it is told of to *recording*."""

    def __init__(self, program: Program, recording: _Recording) -> None:
        super().__init__(program)
        self._program = program
        self._recording = recording

    def begin(self, *arguments: Any, **named: Any) -> None:
        """Begin an attempt, as `Host.begin`."""
        if self._program not in self._recording.programs:
            self._recording.programs.append(self._program)
        super().begin(*arguments, **named)

    def enter(self, operation: str, rule: str, *arguments: Any) -> int:
        """Begin an operation, as `Host.enter`."""
        super().enter(operation, rule, *arguments)
        self._recording.add(operation, self.frames[-1].rule)
        return 0

    def at(self, rule: str) -> int:
        """Make *rule* the one that acts, as `Host.at`."""
        self._recording.add(self.frames[-1].operation, rule)
        return super().at(rule)


class _RecordingProgram(Program):
    """A program whose host records what happens."""

    def __init__(self, recording: _Recording, ruleset: Ruleset) -> None:
        self._recording = recording
        super().__init__(ruleset)

    def _new_host(self) -> Host:
        return _RecordingHost(self, self._recording)

    def call(self, operation: str, *arguments: Any, **named: Any) -> Any:
        """Carry out *operation*, as `Program.call`."""
        if operation in self.links.plain:
            self._recording.add(operation, self.links.operations[operation].definer)
        return super().call(operation, *arguments, **named)
