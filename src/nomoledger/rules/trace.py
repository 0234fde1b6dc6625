"""Programs that tell what they do: the same rules, linked so that every step is noted.

A trace is a tree: operations within operations, and in each of them, in order, the events it made,
what it looked at, and what the rules' hooks said. It is made by running an attempt again.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.rules.host import Host
from nomoledger.rules.link import Links, fingerprint
from nomoledger.rules.program import Program
from nomoledger.rules.rule import Rule

#: Words whose answers are noted.
LOOKING = ("balance", "find", "get", "where")


class Note(msgspec.Struct, frozen=True):
    """Something that happened within an operation.

    *kind* is guard, step, instead, altered, before, after or result (said by *rule*), or look
    (then *value* is what was asked and what was found).
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
        self._stack: list[Node] = []

    def begin(self, *arguments: Any, **named: Any) -> None:
        """As `Host.begin`; a new tree grows."""
        super().begin(*arguments, **named)
        root = Node(self.attempt.operation, "engine", list(self.attempt.arguments))
        self.roots.append(root)
        self._stack = [root]

    def emit(self, event: type[e.Event], **fields: Any) -> None:
        """As `Host.emit`; the event is put where it was made."""
        super().emit(event, **fields)
        top = self._stack[-1]
        if top.parts and top.parts[-1] not in self.staged and isinstance(top.parts[-1], e.Moved):
            top.parts.pop()  # a step that is now told as part of a walk
        top.parts.append(self.staged[-1])

    def enter(self, operation: str, rule: str, *arguments: Any) -> int:
        """As `Host.enter`; a branch begins."""
        super().enter(operation, rule, *arguments)
        node = Node(operation, self.frames[-1].rule, list(arguments))
        self._stack[-1].parts.append(node)
        self._stack.append(node)
        return 0

    def leave(self) -> int:
        """As `Host.leave`; the branch ends."""
        self._stack.pop()
        return super().leave()

    def leave_value(self) -> int:
        """As `Host.leave_value`; the branch ends."""
        self._stack.pop()
        return super().leave_value()

    def tell(self, kind: str, rule: str, value: Any = None) -> int:
        """The program notes something."""
        self._stack[-1].parts.append(Note(kind, rule, value))
        return 0

    def looked_at(self, word: str, look: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Look, and note what was found."""
        found = look(*given, **named)
        bound = look if isinstance(look, partial) else partial(look)
        told = [*bound.args[1:], *given, *bound.keywords.values(), *named.values()]
        self._stack[-1].parts.append(Note("look", self.frames[-1].rule, [word, told, found]))
        return found


class TracedProgram(Program):
    """A ruleset linked so that its host can tell what happened."""

    is_traced = True

    def _host(self) -> Host:
        return TracingHost(self)

    def _surveyed(self, rules: tuple[Rule, ...]) -> Links:
        return msgspec.structs.replace(super()._surveyed(rules), plain=frozenset())

    def _words(self) -> dict[str, Callable[..., Any]]:
        host, words = self.host, super()._words()
        assert isinstance(host, TracingHost)
        for name, function in words.items():
            word = name.strip("_").partition("_")[0]
            if word in LOOKING:
                words[name] = partial(host.looked_at, word, function)
        return words | {"_tell": host.tell}


_PROGRAMS: dict[str, TracedProgram] = {}


def traced(rules: tuple[Rule, ...]) -> TracedProgram:
    """The tracing program of *rules*; stands in for `linked` where an engine is to be traced."""
    key = fingerprint(rules)
    if key not in _PROGRAMS:
        _PROGRAMS[key] = TracedProgram(rules)
    return _PROGRAMS[key]
