"""Traces as text: the trail to an event, or the outcome of an operation that did not happen."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.language.program import Program
from nomoledger.language.tracing import TraceNode, TraceNote
from nomoledger.prose.teller import Teller


class ExplanationLine(NamedTuple):
    """One line of a trail.

    Attributes:
        depth: the indentation.
        text: the text before a cited rule.
        cited: the rule cited.
        rest: the text after it.
        event: the event that the line describes, if that is one of those wanted.
    """

    depth: int
    text: str
    cited: str = ""
    rest: str = ""
    event: e.Event | None = None

    def __str__(self) -> str:
        """Return the line with its indentation."""
        return "  " * self.depth + self.text + self.cited + self.rest


class TrailTeller(Teller):
    """Tells the events of a trail, and displays the values in it."""

    def display(self, value: Any) -> str:
        """Return *value* as text; squares are marked, to distinguish them from numbers."""
        if isinstance(value, list):
            return "[" + ", ".join(self.display(item) for item in value) + "]"
        thing = self.thing(value)
        if thing is not None and thing.kind == "square":
            return f"square {self.label(value)}"
        return "nothing" if value is None else self.without_identifiers(str(self.label(value)))


class ExplanationWriter:
    """Renders a trace as lines: the trail to the events *wanted*."""

    def __init__(
        self, program: Program, names: TrailTeller, wanted: Sequence[e.Event] = ()
    ) -> None:
        """Render traces of *program* with *names*."""
        self.program = program
        self.names = names
        self._wanted = {id(event) for event in wanted}
        self._drawn = {
            event.answers: event for event in wanted if isinstance(event, e.DrawRecorded)
        }

    def trail(self, node: TraceNode, depth: int = 0) -> Iterator[ExplanationLine]:
        """Yield the lines of *node*, which leads to a wanted event."""
        if node.rule != "engine":
            yield self.call_line(depth, node)
            depth += 1
        asides: list[list[ExplanationLine]] = []
        for part in node.parts:
            if isinstance(part, TraceNode) and self.leads_to_wanted(part):
                yield from self.trail(part, depth)
            elif isinstance(part, TraceNode):
                aside = list(self._aside(part, depth))
                yield from aside if aside not in asides else ()  # each value only once
                asides.append(aside)
            elif isinstance(part, TraceNote):
                yield from self._note_lines(part, depth)
            elif self._is_wanted(part) or isinstance(part, e.DrawRecorded):
                event = self._drawn.get(part.answers) if isinstance(part, e.DrawRecorded) else part
                yield ExplanationLine(depth, self.names.tell(part), event=event)

    def leads_to_wanted(self, node: TraceNode) -> bool:
        """Return whether a wanted event was made within *node*."""
        return any(map(self._is_wanted, node.events))

    def _is_wanted(self, event: e.Event) -> bool:
        return id(event) in self._wanted or (
            isinstance(event, e.DrawRecorded) and event.answers in self._drawn
        )

    def _aside(self, node: TraceNode, depth: int) -> Iterator[ExplanationLine]:
        """Yield what *node* computed on the way: values with their steps, and draws."""
        results = node.notes("result")
        if results:
            yield self.call_line(depth, node, f": {self.names.display(results[-1].value)}")
            for note in node.notes("step"):
                yield from self._note_lines(note, depth + 1)
            for part in node.parts:
                if isinstance(part, TraceNode) and any(inner.notes("step") for inner in part.nodes):
                    yield from self._aside(part, depth + 1)
        for event in node.events:
            if isinstance(event, e.DrawRecorded):
                yield ExplanationLine(depth, self.names.tell(event), event=event)

    def _note_lines(self, note: TraceNote, depth: int) -> Iterator[ExplanationLine]:
        text = ""
        if note.kind == "answered":
            yield ExplanationLine(depth, self._answered(*note.value))
        elif note.kind == "step" and note.value is not None:
            word, figure, *why = note.value
            text = f": {word} {figure}" + (f" ({why[0]})" if why and why[0] else "")
        elif note.kind == "guard" and note.value is not None:
            text = f" says no: {note.value}"
        elif note.kind == "instead":
            text = " steps in"
        elif note.kind == "altered":
            text = f" goes on with {self.names.display(note.value)}"
        if text:
            yield ExplanationLine(depth, "", self.cited(note.rule), text)

    def _answered(self, verb: str, arguments: list[Any], answer: Any) -> str:
        """Return the answer to a question of the rules, or a draw made by hand, in words."""
        if verb in ("draw", "roll"):
            return f"rolled by hand: {self.names.label(answer)}"
        person = arguments[0] if verb == "ask" else "admin"
        return f"{self.names.label(person)} answers {self.names.label(answer)}"

    def cited(self, rule: str) -> str:
        """Return number and version of *rule*."""
        return self.program.name(rule)

    def call_line(self, depth: int, node: TraceNode, rest: str = "") -> ExplanationLine:
        """Return the line of an operation, its arguments and the rule that defines it."""
        arguments = ", ".join(self.names.display(argument) for argument in node.arguments)
        return ExplanationLine(
            depth, f"{node.operation}({arguments})  [", self.cited(node.rule), f"]{rest}"
        )

    # --- absence --------------------------------------------------------------------------------

    def outcome(self, node: TraceNode) -> Iterator[ExplanationLine]:
        """Yield what happened to an operation that was attempted."""
        yield self.call_line(0, node)
        for part in node.parts:
            if isinstance(part, TraceNote):
                yield from self._note_lines(part, 1)
            elif isinstance(part, e.Event):
                yield ExplanationLine(1, self.names.tell(part))
            else:
                yield from self._aside(part, 1)
        for note in node.notes("result"):
            yield ExplanationLine(1, f"it comes to {self.names.display(note.value)}")

    def hook_without_effect(self, node: TraceNode, rule: str) -> Iterator[ExplanationLine]:
        """Yield what a hook of *rule* read in *node* before it went no further."""
        yield self.call_line(0, node, f": {self.cited(rule)} was asked, and went no further")
        reads = [note for note in node.notes("look") if note.rule == rule]
        for text in dict.fromkeys(map(self._describe_read, reads)):
            yield ExplanationLine(1, text)
        for part in node.parts:
            if isinstance(part, TraceNode) and part.notes("result"):
                yield from self._aside(part, 1)

    def _describe_read(self, note: TraceNote) -> str:
        verb, arguments, value = note.value
        if verb == "get":
            entity, attribute = arguments
            return f"{attribute} of {self.names.display(entity)} is {self.names.display(value)}"
        words = " ".join(self.names.display(argument) for argument in arguments)
        return f"{verb} {words}: {self.names.display(value)}"
