"""A trace in words: the way to one event, or what became of an operation that never came."""

from collections.abc import Iterator
from typing import Any

from nomoledger import events as e
from nomoledger.rules.program import Program
from nomoledger.rules.trace import Node, Note
from nomoledger.words import tell
from nomoledger.world import World


def holds(node: Node, event: e.Event) -> bool:
    """Whether *event* was made within *node*."""
    return any(each is event or each == event for each in node.events)


class Teller:
    """Tells a trace as indented lines: the way to *event*, and what was found out on it."""

    def __init__(self, program: Program, world: World, event: e.Event | None = None) -> None:
        self.program = program
        self.world = world
        self.event = event

    def told(self, node: Node, depth: int) -> Iterator[str]:
        """The lines of *node*, which leads to the event."""
        if node.rule != "engine":
            yield self._line(depth, self.called(node))
            depth += 1
        for part in node.parts:
            if isinstance(part, Node):
                leads = self.event is not None and holds(part, self.event)
                yield from self.told(part, depth) if leads else self._aside(part, depth)
                if leads:
                    return
            elif isinstance(part, Note):
                yield from self._noted(part, depth)
            elif part == self.event:
                yield self._line(depth, f"{self._said(part)}  <- this")
                return
            elif isinstance(part, e.DrawRecorded):
                yield self._line(depth, self._said(part))

    def _aside(self, node: Node, depth: int) -> Iterator[str]:
        """What was found out beside the way: values with their steps, and draws."""
        results = node.notes("result")
        if results:
            yield self._line(depth, f"{self.called(node)}: {self._shown(results[-1].value)}")
            for note in node.notes("step"):
                yield from self._noted(note, depth + 1)
            for part in node.parts:
                if isinstance(part, Node) and any(each.notes("step") for each in part.nodes):
                    yield from self._aside(part, depth + 1)
        for event in node.events:
            if isinstance(event, e.DrawRecorded):
                yield self._line(depth, self._said(event))

    def _noted(self, note: Note, depth: int) -> Iterator[str]:
        if note.kind == "step" and note.value is not None:
            word, figure, *why = note.value
            reason = f" ({why[0]})" if why and why[0] else ""
            yield self._line(depth, f"{self._cited(note.rule)}: {word} {figure}{reason}")
        elif note.kind == "guard" and note.value is not None:
            yield self._line(depth, f"{self._cited(note.rule)} says no: {note.value}")
        elif note.kind == "instead":
            yield self._line(depth, f"{self._cited(note.rule)} steps in")
        elif note.kind == "altered":
            yield self._line(
                depth, f"{self._cited(note.rule)} goes on with {self._shown(note.value)}"
            )

    def _cited(self, rule: str) -> str:
        return self.program.name(rule)

    def called(self, node: Node) -> str:
        """The operation with what it was about, and the rule that defines it."""
        arguments = ", ".join(self._shown(each) for each in node.arguments)
        return f"{node.operation}({arguments})  [{self._cited(node.rule)}]"

    def _said(self, event: e.Event) -> str:
        return tell(event, self.world.label, self.world.commodities())

    def _shown(self, value: Any) -> str:
        if value is None:
            return "nothing"
        if isinstance(value, list):
            return "[" + ", ".join(self._shown(each) for each in value) + "]"
        called = self.world.label(value) if isinstance(value, str) else value
        kind = self.world.entities.get(value) if isinstance(value, str) else None
        return f"{kind} {called}" if kind not in (None, "player") else str(called)

    def _line(self, depth: int, text: str) -> str:
        return "  " * depth + text

    # --- what never came ------------------------------------------------------------------------

    def outcome(self, node: Node) -> Iterator[str]:
        """What became of an operation that was asked for."""
        yield self._line(0, self.called(node))
        for part in node.parts:
            if isinstance(part, Note):
                yield from self._noted(part, 1)
            elif isinstance(part, e.Event):
                yield self._line(1, self._said(part))
            else:
                yield from self._aside(part, 1)
        for note in node.notes("result"):
            yield self._line(1, f"it comes to {self._shown(note.value)}")

    def passed_by(self, node: Node, rule: str) -> Iterator[str]:
        """What *rule* saw in *node*, where it might have gone on and did not."""
        yield self._line(
            0, f"{self.called(node)}: {self._cited(rule)} was asked, and went no further"
        )
        looks = [note for note in node.notes("look") if note.rule == rule]
        for note in dict.fromkeys(self._looked(note) for note in looks):
            yield self._line(1, note)
        for part in node.parts:
            if isinstance(part, Node) and part.notes("result"):
                yield from self._aside(part, 1)

    def _looked(self, note: Note) -> str:
        word, given, found = note.value
        if word == "get":
            entity, attribute = given
            return f"{attribute} of {self._shown(entity)} is {self._shown(found)}"
        asked = " ".join(self._shown(each) for each in given)
        return f"{word} {asked}: {self._shown(found)}"
