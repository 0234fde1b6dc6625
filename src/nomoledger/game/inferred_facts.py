"""Facts of a record that confirm nothing, because something was inferred from them.

A line of a record can say in `rests_on` from which facts it was inferred. What the rules say about
such a fact after that line follows from the fact itself. The same holds for a square that the
record does not number, and that was found by adding up the dice (`"square_from": "dice"`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nomoledger import events as e
from nomoledger.errors import RecordError
from nomoledger.game.audit.what_facts_state import line_of
from nomoledger.game.record_lines import RecordLine
from nomoledger.game.records import read_record
from nomoledger.ledger.ledger import Ledger

#: The place of a fact: its period, its order in the text, and its order within one line of that.
Place = tuple[int, ...]


class Confirmed(NamedTuple):
    """How many facts were *compared* with the rules, and how many of them rest on themselves."""

    compared: int
    resting: int


def count_confirmed(ledger: Ledger, game: str, files: Sequence[Path], since: int) -> Confirmed:
    """Count the facts of *game* in the record in *files*, from period *since* on.

    Raises:
        RecordError: the ledger has other facts than the record.
    """
    lines = [line for file in files for line in read_record(file)[1]]
    facts = [line for line in lines if "kind" in line.fields]
    numbers: list[int] = []
    compared: set[int] = set()
    for entry in ledger.read(game):
        body = entry.body
        if isinstance(body, e.FactRecorded) and line_of(body) is not None:
            numbers.append(entry.number)
        elif isinstance(body, e.FactConfirmed | e.RecordPrevailed):
            compared.add(body.fact)
    if len(numbers) != len(facts):
        raise RecordError(f"{files[0]}: has {len(facts)} facts, but {game} has {len(numbers)}")
    behind = places_inferred_from(lines)
    found = [
        _place(line) in behind or line.fields.get("square_from") == "dice"
        for number, line in zip(numbers, facts, strict=True)
        if number in compared and line.period >= since
    ]
    return Confirmed(len(found), sum(found))


def places_inferred_from(lines: Sequence[RecordLine]) -> set[Place]:
    """Return the places of the facts in *lines* from which an earlier line was inferred."""
    behind: set[Place] = set()
    later: set[Place] = set()
    for line in reversed(lines):
        rests_on: Any = line.fields.get("rests_on", ())
        behind |= later & {tuple(place) for place in rests_on}
        later.add(_place(line))
    return behind


def _place(line: RecordLine) -> Place:
    fields = line.fields
    return line.period, fields.get("text_order", 0), fields.get("sub", 0)
