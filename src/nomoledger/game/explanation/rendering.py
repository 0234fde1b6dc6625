"""A trace in words: the way to what happened, or what became of what never came."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.language.program import Program
from nomoledger.language.tracing import Node, Note
from nomoledger.prose.descriptions import describe_event
from nomoledger.prose.labels import describe_thing
from nomoledger.state.world import World


class ExplanationLine(NamedTuple):
    """A line of a trail: *text*, a rule that is *cited* in it, and the *rest* after that.

    *event* is what the line tells of, where it is one of the events asked for.
    """

    depth: int
    text: str
    cited: str = ""
    rest: str = ""
    event: e.Event | None = None

    def __str__(self) -> str:
        return "  " * self.depth + self.text + self.cited + self.rest


class Names:
    """What things are called in *world*, or were called before they went."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known = {each: describe_thing(world, each) for each in world.entities}

    def learn(self, batch: Sequence[e.Event]) -> None:
        """Take in what the things in *batch* are called now."""
        for event in batch:
            if isinstance(event, e.EntityCreated | e.AttributeSet):
                if event.entity in self.world.entities:
                    self._known[event.entity] = describe_thing(self.world, event.entity)
                elif isinstance(event, e.EntityCreated):
                    self._known.setdefault(event.entity, event.kind)

    def keep(self, entity: str, name: str) -> None:
        """*entity*, which is gone, was called *name*."""
        self._known.setdefault(entity, name)

    def label(self, value: Any) -> Any:
        """What people call *value*, in a sentence."""
        if isinstance(value, list | tuple):
            return ", ".join(str(self.label(each)) for each in value)
        if isinstance(value, str) and value not in self.world.entities:
            return self._known.get(value, value)
        return describe_thing(self.world, value)

    def shown(self, value: Any) -> str:
        """*value* as it was given or found: squares are told from numbers."""
        if value is None:
            return "nothing"
        if isinstance(value, list):
            return "[" + ", ".join(self.shown(each) for each in value) + "]"
        is_square = isinstance(value, str) and self.world.entities.get(value) == "square"
        return f"square {self.label(value)}" if is_square else str(self.label(value))

    def said(self, event: e.Event) -> str:
        """*event* in words."""
        return describe_event(event, self.label, self.world.commodities())


class ExplanationWriter:
    """Tells a trace as lines: the way to the events that are *wanted*, and what was found on it."""

    def __init__(self, program: Program, names: Names, wanted: Sequence[e.Event] = ()) -> None:
        self.program = program
        self.names = names
        self._wanted = {id(each) for each in wanted}
        self._drawn = {each.address: each for each in wanted if isinstance(each, e.DrawRecorded)}

    def told(self, node: Node, depth: int = 0) -> Iterator[ExplanationLine]:
        """The lines of *node*, which leads to what is wanted."""
        if node.rule != "engine":
            yield self.called(depth, node)
            depth += 1
        asides: list[list[ExplanationLine]] = []
        for part in node.parts:
            if isinstance(part, Node) and self.leads(part):
                yield from self.told(part, depth)
            elif isinstance(part, Node):
                aside = list(self._aside(part, depth))
                yield from aside if aside not in asides else ()  # what was found twice is told once
                asides.append(aside)
            elif isinstance(part, Note):
                yield from self._noted(part, depth)
            elif self._is_wanted(part) or isinstance(part, e.DrawRecorded):
                event = self._drawn.get(part.address) if isinstance(part, e.DrawRecorded) else part
                yield ExplanationLine(depth, self.names.said(part), event=event)

    def leads(self, node: Node) -> bool:
        """Whether something wanted was made within *node*."""
        return any(map(self._is_wanted, node.events))

    def _is_wanted(self, event: e.Event) -> bool:
        return id(event) in self._wanted or (
            isinstance(event, e.DrawRecorded) and event.address in self._drawn
        )

    def _aside(self, node: Node, depth: int) -> Iterator[ExplanationLine]:
        """What was found out beside the way: values with their steps, and draws."""
        results = node.notes("result")
        if results:
            yield self.called(depth, node, f": {self.names.shown(results[-1].value)}")
            for note in node.notes("step"):
                yield from self._noted(note, depth + 1)
            for part in node.parts:
                if isinstance(part, Node) and any(each.notes("step") for each in part.nodes):
                    yield from self._aside(part, depth + 1)
        for event in node.events:
            if isinstance(event, e.DrawRecorded):
                yield ExplanationLine(depth, self.names.said(event), event=event)

    def _noted(self, note: Note, depth: int) -> Iterator[ExplanationLine]:
        said = ""
        if note.kind == "answered":
            yield ExplanationLine(depth, self._answered(*note.value))
        elif note.kind == "step" and note.value is not None:
            word, figure, *why = note.value
            said = f": {word} {figure}" + (f" ({why[0]})" if why and why[0] else "")
        elif note.kind == "guard" and note.value is not None:
            said = f" says no: {note.value}"
        elif note.kind == "instead":
            said = " steps in"
        elif note.kind == "altered":
            said = f" goes on with {self.names.shown(note.value)}"
        if said:
            yield ExplanationLine(depth, "", self.cited(note.rule), said)

    def _answered(self, word: str, given: list[Any], found: Any) -> str:
        """What somebody said, or threw by hand, when the rules asked for it."""
        if word in ("draw", "roll"):
            return f"rolled by hand: {self.names.label(found)}"
        who = given[0] if word == "ask" else "admin"
        return f"{self.names.label(who)} answers {self.names.label(found)}"

    def cited(self, rule: str) -> str:
        """Number and version of *rule*."""
        return self.program.name(rule)

    def called(self, depth: int, node: Node, rest: str = "") -> ExplanationLine:
        """The operation with what it was about, and the rule that defines it."""
        arguments = ", ".join(self.names.shown(each) for each in node.arguments)
        return ExplanationLine(
            depth, f"{node.operation}({arguments})  [", self.cited(node.rule), f"]{rest}"
        )

    # --- what never came ------------------------------------------------------------------------

    def outcome(self, node: Node) -> Iterator[ExplanationLine]:
        """What became of an operation that was asked for."""
        yield self.called(0, node)
        for part in node.parts:
            if isinstance(part, Note):
                yield from self._noted(part, 1)
            elif isinstance(part, e.Event):
                yield ExplanationLine(1, self.names.said(part))
            else:
                yield from self._aside(part, 1)
        for note in node.notes("result"):
            yield ExplanationLine(1, f"it comes to {self.names.shown(note.value)}")

    def passed_by(self, node: Node, rule: str) -> Iterator[ExplanationLine]:
        """What *rule* saw in *node*, where it might have gone on and did not."""
        yield self.called(0, node, f": {self.cited(rule)} was asked, and went no further")
        looks = [note for note in node.notes("look") if note.rule == rule]
        for note in dict.fromkeys(self._looked(note) for note in looks):
            yield ExplanationLine(1, note)
        for part in node.parts:
            if isinstance(part, Node) and part.notes("result"):
                yield from self._aside(part, 1)

    def _looked(self, note: Note) -> str:
        word, given, found = note.value
        if word == "get":
            entity, attribute = given
            return f"{attribute} of {self.names.shown(entity)} is {self.names.shown(found)}"
        asked = " ".join(self.names.shown(each) for each in given)
        return f"{word} {asked}: {self.names.shown(found)}"
