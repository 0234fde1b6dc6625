"""Programs that tell what they do: the same rules, linked so that every step is noted.

A trace is a tree: operations within operations, and in each of them, in order, the events it made,
what it looked at, and what the rules' hooks said. It is made by running an attempt again.
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

#: How many rulesets are kept linked at a time.
PROGRAMS_MAX = 4
_TRACED_READS = frozenset(verb.name for verb in HOST_VERBS.values() if verb.is_traced)
#: Verbs that ask chance or a person. A trace notes the answers of people; draws are events.
_QUESTIONS = frozenset(verb.name for verb in HOST_VERBS.values() if verb.purpose == "ask")


class Note(msgspec.Struct, frozen=True):
    """Something that happened within an operation.

    *kind* is guard, step, instead, altered, before, after or result (said by *rule*), or look or
    answered (then *value* is what was asked and what was found).
    """

    kind: str
    rule: str
    value: Any = None


class Node(msgspec.Struct):
    """One operation as it was carried out: its parts in order are notes, events and operations."""

    operation: str
    rule: str
    arguments: list[Any]
    parts: list["Node | Note | e.Event"] = []

    @property
    def events(self) -> list[e.Event]:
        """Every event made within it."""
        found: list[e.Event] = []
        for part in self.parts:
            if isinstance(part, Node):
                found += part.events
            elif isinstance(part, e.Event):
                found.append(part)
        return found

    @property
    def nodes(self) -> list["Node"]:
        """It and every operation within it."""
        return [self, *(n for part in self.parts if isinstance(part, Node) for n in part.nodes)]

    def notes(self, *kinds: str) -> list[Note]:
        """Its own notes of these kinds."""
        return [part for part in self.parts if isinstance(part, Note) and part.kind in kinds]


class TracingHost(Host):
    """A host that keeps a tree of all that it is told. `roots` holds one tree an attempt."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.roots: list[Node] = []
        self._nodes: dict[int, tuple[Frame, Node]] = {}
        self._broken_off: Node | None = None

    def begin(self, *arguments: Any, **named: Any) -> None:
        """As `Host.begin`; a new tree grows."""
        super().begin(*arguments, **named)
        self.roots.append(Node(self.attempt.operation, "engine", list(self.attempt.arguments)))
        self._nodes = {}
        self._broken_off = None

    def happen(self, made: e.Event) -> None:
        """As `Host.happen`; the event is put where it was made."""
        super().happen(made)
        node = self._broken_off or self._node()
        last = node.parts[-1] if node.parts else None
        if isinstance(last, e.Moved) and all(last is not each for each in self.staged[-2:]):
            node.parts.pop()  # a step that is now told as part of a walk
        if self._broken_off is None or not isinstance(made, e.DrawRecorded):
            node.parts.append(made)  # else a draw that was told where it was made

    def stop(self, error: Exception) -> NoReturn:
        """As `Host.stop`; what is said of it then is put where it happened."""
        if not self.trials:
            self._broken_off = self._node()
            if isinstance(error, Suspended):
                self._broken_off.parts.append(error.question)
        super().stop(error)

    def enter(self, operation: str, rule: str, *arguments: Any) -> int:
        """As `Host.enter`; a branch begins."""
        above = self._node()
        super().enter(operation, rule, *arguments)
        frame = self.frames[-1]
        node = Node(operation, frame.rule, list(arguments))
        above.parts.append(node)
        self._nodes[id(frame)] = frame, node  # which keeps the frame, so that no other has its id
        return 0

    def tell(self, kind: str, rule: str, value: Any = None) -> int:
        """The program notes something."""
        self._node().parts.append(Note(kind, rule, value))
        return 0

    def looked_at(self, word: str, look: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Look, and note what was found."""
        found = look(*given, **named)
        bound = look if isinstance(look, partial) else partial(look)
        told = [*bound.args[1:], *given, *bound.keywords.values(), *named.values()]
        self._node().parts.append(Note("look", self.frames[-1].rule, [word, told, found]))
        return found

    def asked_for(self, word: str, ask: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Ask, and note what somebody answered."""
        before = len(self.staged)
        found = ask(*given, **named)
        if len(self.staged) == before:
            told = [word, [*given, *named.values()], found]
            self.tell("answered", self.frames[-1].rule, told)
        return found

    def _node(self) -> Node:
        """The branch of the innermost operation under way."""
        for frame in reversed(self.frames):
            if id(frame) in self._nodes:
                return self._nodes[id(frame)][1]
        return self.roots[-1]


class TracedProgram(Program):
    """A ruleset linked so that its host can tell what happened."""

    is_traced = True
    calls_plainly = False

    def _host(self) -> Host:
        return TracingHost(self)

    def _getter(self, attribute: str) -> Callable[[str], Any]:
        return partial(reads.get, self.host, attribute=attribute)

    def _words(self) -> dict[str, Callable[..., Any]]:
        host, words = self.host, super()._words()
        assert isinstance(host, TracingHost)
        for name, function in words.items():
            word = name.strip("_").partition("_")[0]
            if word in _TRACED_READS:
                words[name] = partial(host.looked_at, word, function)
            elif word in _QUESTIONS:
                words[name] = partial(host.asked_for, word, function)
        return words | {"_tell": host.tell}


class Tracer(Linker[TracedProgram]):
    """Links rules so that what they do is noted, and gives out the trees. For `Engine(link=…)`."""

    def __init__(self) -> None:
        super().__init__(TracedProgram, PROGRAMS_MAX)

    def gathered(self) -> list[tuple[TracedProgram, Node]]:
        """The trees that have grown since this was last asked, each with its program."""
        found = []
        for program in self.programs.values():
            host = program.host
            assert isinstance(host, TracingHost)
            found += [(program, root) for root in host.roots]
            host.roots = []
        return found
