"""The sources of a program with many rules, joined so that the interpreter evaluates few of them.

The interpreter looks at all names of the program for each source that it evaluates. So the number
of sources is bounded, and the time is linear in the number of rules.
"""

import re
from collections.abc import Iterator, Mapping

from nomoledger.events.rules import Rule
from nomoledger.language.codegen import line_in_file, module_name

#: How many sources of rules a program is evaluated from at most.
SOURCES_MAX = 400

#: A source: the number of its rule or "", its file, and its text.
Source = tuple[str, str, str]


class JoinedSources:
    """The sources of one program, and which lines of each belong to which rule."""

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        """Join the sources of *rules*, by number."""
        self._rules = rules
        self._starts: dict[str, list[tuple[int, str]]] = {}

    def join(self, sources: list[Source]) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Yield *sources* with the numbers of their rules; of many rules, several in one."""
        size = -(-len(sources) // SOURCES_MAX)
        waiting: list[Source] = []
        for number, file, source in sources:
            if number:
                waiting.append((number, file, source))
            if waiting and (not number or len(waiting) >= size):
                yield self._joined(waiting)
                waiting = []
            if not number:
                yield ("",), file, source

    def _joined(self, sources: list[Source]) -> tuple[tuple[str, ...], str, str]:
        """Return the *sources* of rules as one, and note on which line each rule begins."""
        file = sources[0][1] if len(sources) == 1 else f"rules {len(self._starts)}"
        line, starts = 1, []
        for number, _, source in sources:
            starts.append((line, number))
            line += source.count("\n")
        self._starts[file] = starts
        return tuple(n for n, _, _ in sources), file, "".join(source for _, _, source in sources)

    def locate(self, text: str) -> tuple[Rule | None, str]:
        """Return the rule whose code *text* gives a position in, and *text* with its own line."""
        position = re.match(r"(.+?):(\d+)(:\d+: )", text)
        starts = () if position is None else self._starts.get(position[1], ())
        if position is None or not starts:
            return None, text
        line = int(position[2])
        start, number = max(place for place in starts if place[0] <= line)
        rule = self._rules[number]
        place = f"{module_name(rule)}:{line_in_file(rule, line - start + 1)}{position[3]}"
        return rule, place + text[position.end() :]
