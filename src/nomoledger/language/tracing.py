"""Traces: the same rules, linked so that the host notes every step of an attempt.

A trace is a tree of operations. Each operation holds, in order, its events, what it read, what the
hooks of the rules returned, and the operations within it. Running an attempt again makes its trace.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import msgspec

from nomoledger import events as e
from nomoledger.language import reads
from nomoledger.language.host import Frame, Host, Suspended
from nomoledger.language.host_verbs import HOST_VERBS
from nomoledger.language.program import Linker, Program

#: How many linked rulesets are cached.
PROGRAMS_MAX = 4
_TRACED_READS = frozenset(verb.name for verb in HOST_VERBS.values() if verb.is_traced)
#: Verbs that ask chance or a person. A trace notes the answers of people; draws are events.
_QUESTIONS = frozenset(verb.name for verb in HOST_VERBS.values() if verb.purpose == "ask")


class TraceNote(msgspec.Struct, frozen=True):
    """A step within an operation.

    Attributes:
        kind: "guard", "step", "instead", "altered", "before", "after" or "result" for what a hook
            did; "look" for a read and "answered" for a question.
        rule: the number of the rule.
        value: what the hook returned; for "look" and "answered", `[verb, arguments, result]`.
    """

    kind: str
    rule: str
    value: Any = None


class TraceNode(msgspec.Struct):
    """One operation as it was carried out.

    Attributes:
        operation: its name.
        rule: the number of the rule that defines it.
        arguments: its arguments.
        parts: its notes, its events and the operations within it, in order.
    """

    operation: str
    rule: str
    arguments: list[Any]
    parts: list["TraceNode | TraceNote | e.Event"] = []

    @property
    def events(self) -> list[e.Event]:
        """The events of the operation and of those within it."""
        events: list[e.Event] = []
        for part in self.parts:
            if isinstance(part, TraceNode):
                events += part.events
            elif isinstance(part, e.Event):
                events.append(part)
        return events

    @property
    def nodes(self) -> list["TraceNode"]:
        """This node and the nodes of all operations within it."""
        return [
            self,
            *(n for part in self.parts if isinstance(part, TraceNode) for n in part.nodes),
        ]

    def notes(self, *kinds: str) -> list[TraceNote]:
        """Return the notes of these *kinds*, without those of operations within it."""
        return [part for part in self.parts if isinstance(part, TraceNote) and part.kind in kinds]


class TracingHost(Host):
    """A host that builds traces.

    Attributes:
        roots: the trace of each attempt since the traces were last collected.
    """

    def __init__(self, program: Program) -> None:
        """Serve *program*."""
        super().__init__(program)
        self.roots: list[TraceNode] = []
        self._nodes: dict[int, tuple[Frame, TraceNode]] = {}
        self._stopped_in: TraceNode | None = None

    def begin(self, *arguments: Any, **named: Any) -> None:
        """Prepare for an attempt as `Host.begin` does, and start a new trace."""
        super().begin(*arguments, **named)
        self.roots.append(TraceNode(self.attempt.operation, "engine", list(self.attempt.arguments)))
        self._nodes = {}
        self._stopped_in = None

    def record(self, event: e.Event) -> None:
        """Apply and stage *event*, and add it to the operation that emitted it."""
        super().record(event)
        node = self._stopped_in or self._node()
        last = node.parts[-1] if node.parts else None
        if isinstance(last, e.Moved) and all(last is not staged for staged in self.staged[-2:]):
            node.parts.pop()  # The new event replaces this step, as part of one walk.
        if self._stopped_in is None or not isinstance(event, e.DrawRecorded):
            node.parts.append(event)  # After a stop, a draw is recorded again, but already noted.

    def stop(self, error: Exception) -> NoReturn:
        """Leave the interpreter with *error*; later events belong to the operation that stopped."""
        if not self.trials:
            self._stopped_in = self._node()
            if isinstance(error, Suspended):
                self._stopped_in.parts.append(error.question)
        super().stop(error)

    def enter(self, operation: str, rule: str, *arguments: Any) -> int:
        """Push *operation* as `Host.enter` does, and add a node for it."""
        parent = self._node()
        super().enter(operation, rule, *arguments)
        frame = self.frames[-1]
        node = TraceNode(operation, frame.rule, list(arguments))
        parent.parts.append(node)
        self._nodes[id(frame)] = frame, node  # The reference to the frame keeps its id unique.
        return 0

    def tell(self, kind: str, rule: str, value: Any = None) -> int:
        """Note what the program reports."""
        self._node().parts.append(TraceNote(kind, rule, value))
        return 0

    def call_read(self, verb: str, read: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """Return the result of *read*, the function of *verb*, and note it."""
        result = read(*args, **named)
        bound = read if isinstance(read, partial) else partial(read)
        arguments = [*bound.args[1:], *args, *bound.keywords.values(), *named.values()]
        self.tell("look", self.frames[-1].rule, [verb, arguments, result])
        return result

    def call_question(self, verb: str, ask: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """Return the result of *ask*, the function of *verb*, and note the answer of a person."""
        staged_before = len(self.staged)
        result = ask(*args, **named)
        if len(self.staged) == staged_before:
            self.tell("answered", self.frames[-1].rule, [verb, [*args, *named.values()], result])
        return result

    def _node(self) -> TraceNode:
        """Return the node of the innermost operation under way that has one."""
        for frame in reversed(self.frames):
            if id(frame) in self._nodes:
                return self._nodes[id(frame)][1]
        return self.roots[-1]


class TracedProgram(Program):
    """A ruleset linked so that its host builds traces."""

    is_traced = True
    calls_plainly = False
    has_names = False

    def _new_host(self) -> Host:
        return TracingHost(self)

    def _getter(self, attribute: str) -> Callable[[str], Any]:
        return partial(reads.get, self.host, attribute=attribute)

    def _callables(self) -> dict[str, Callable[..., Any]]:
        host, callables = self.host, super()._callables()
        assert isinstance(host, TracingHost)
        for name, function in callables.items():
            verb = name.strip("_").partition("_")[0]  # `_get_3` reads for `get`.
            if verb in _TRACED_READS:
                callables[name] = partial(host.call_read, verb, function)
            elif verb in _QUESTIONS:
                callables[name] = partial(host.call_question, verb, function)
        return callables | {"_tell": host.tell}


class Tracer(Linker[TracedProgram]):
    """A linker of traced programs, for `Engine(link=…)`."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        super().__init__(TracedProgram, PROGRAMS_MAX)

    def gathered(self) -> list[tuple[TracedProgram, TraceNode]]:
        """Return the traces since the last call, each with its program."""
        traces = []
        for program in self.programs.values():
            host = program.host
            assert isinstance(host, TracingHost)
            traces += [(program, root) for root in host.roots]
            host.roots = []
        return traces
