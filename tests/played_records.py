"""Hand-kept records of short games that were worked out by hand, for the tests of facts."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cli.commands import data, ok

from nomoledger import events as e
from nomoledger.game.audit.what_facts_state import line_of
from nomoledger.game.game import Game
from nomoledger.game.records import import_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

Line = dict[str, Any]
#: The kinds of facts that are compared with nothing.
NOTES = ("ruling", "proposal-result", "excerpt-ends", "name-changed")


class Alteration(NamedTuple):
    """A fact of the record that says something else: *place* among the lines, and *new* fields."""

    place: int
    new: Line


class PlayedRecord(NamedTuple):
    """A record: its *header*, its *lines*, files of *rules* that it names, and one *alteration* of
    a fact of each kind."""

    header: Line
    lines: Sequence[Line]
    rules: Mapping[str, str]
    altered: Mapping[str, Line]
    money: Mapping[str, int]

    @property
    def kinds(self) -> set[str]:
        """The kinds of facts in the record that are compared."""
        return {line["kind"] for line in self.lines if "kind" in line} - {*NOTES}

    def alterations(self) -> dict[str, Alteration]:
        """Return each alteration by kind: of the last fact of its kind that has its fields."""
        found = {}
        for kind, new in self.altered.items():
            match = new.get("of", {})
            changed = {name: value for name, value in new.items() if name != "of"}
            places = [
                place
                for place, line in enumerate(self.lines)
                if line.get("kind") == kind and match.items() <= line.items()
            ]
            assert places, kind
            found[kind] = Alteration(places[-1], changed)
        return found

    def imported(self, folder: Path, *alterations: Alteration) -> Game:
        """Import the record into a new ledger in *folder*, with *alterations*."""
        lines = [dict(line) for line in self.lines]
        for place, new in alterations:
            lines[place] |= new
        for name, text in self.rules.items():
            (folder / name).write_text(text, "utf-8")
        path = folder / "record.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in (self.header, *lines)), "utf-8")
        return import_record(Ledger.open(folder / "record.db", create=True), path)

    def check_replay(self, game: Game) -> None:
        """Check that the audit finds nothing in *game*, the record as it is."""
        assert findings(game) == {}
        assert {p: game.world.balance(p, "$") for p in self.money} == self.money

    def check_kinds(self, *unused: str) -> None:
        """Check that it has and alters facts of every kind of its rulebook but those *unused*."""
        kinds = {kind for rule in load(self.header["rulebook"]).rules for kind in rule.facts}
        assert kinds - {line.get("kind") for line in self.lines} == {*unused}
        assert self.kinds == {*self.altered}

    def check_altered(self, folder: Path, *kinds: str) -> None:
        """Check that altered facts of these *kinds* are reported at their lines."""
        alterations = self.alterations()
        chosen = [alterations[kind] for kind in kinds]
        found = findings(self.imported(folder, *chosen))
        assert {each.place + 2 for each in chosen} <= found.keys()

    def check_table(self) -> None:
        """Check that the record says the same as a table, which is kept in the current folder."""
        for name, text in self.rules.items():
            Path(name).write_text(text, "utf-8")
        self.write_table("record.csv")
        preview = ok("import", "g.db", "record.csv", "--preview")
        assert "the rules in force explain every fact" in preview
        ok("import", "g.db", "record.csv")
        unit = "day" if "day" in self.lines[0] else "week"
        for period in dict.fromkeys(line[unit] for line in self.lines):
            assert data("replay", "g.db", "--period", str(period))["exact"]
        standings = data("standings", "g.db")["standings"]
        assert {x["player"]: x["money"] for x in standings} == self.money

    def write_table(self, name: str) -> None:
        """Write the table *name*, and begin its game in the new ledger `g.db`."""
        header = json.dumps(self.header | {"open": True}) + "\n"
        Path("header.jsonl").write_text(header, "utf-8")
        Path(name).write_text(self.table(), "utf-8")
        ok("import", "g.db", "header.jsonl")

    def table(self) -> str:
        """Return the lines as a table (CSV)."""
        rows = [_row(line) for line in self.lines]
        names = list(dict.fromkeys(name for row in rows for name in row))
        file = io.StringIO()
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
        return file.getvalue()


def _row(line: Line) -> Line:
    if "proposal" in line:
        row = {"kind": "proposal", "player": line["by"]} | line
        return {name: value for name, value in row.items() if name != "by"}
    return {"kind": "rules"} | line if "rules" in line else line


def _cell(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(each, int) for each in value):
        return "+".join(map(str, value))
    return json.dumps(value) if isinstance(value, list) else value


def reports(game: Game) -> list[Report]:
    """Return the audit of each closed period of *game*."""
    periods = range(game.history.entries()[0].body.period, game.world.period)
    return [replay(game.ledger, game.name, period) for period in periods]


def findings(game: Game) -> dict[int | None, list[str]]:
    """Return what the audit finds in *game*, by the line of the record."""
    found: dict[int | None, list[str]] = {}
    bodies = [entry.body for entry in game.history.entries()]

    def note(event: int | None, text: str) -> None:
        fact = None if event is None else bodies[event]
        line = line_of(fact) if isinstance(fact, e.FactRecorded) else None
        found.setdefault(line, []).append(text)

    for report in reports(game):
        for each in report.divergences:
            for one in (each, *each.follows):
                note(one.event, f"{one.subject} {one.what}: {one.recorded} / {one.by_rules}")
        for unexplained in report.unexplained:
            note(unexplained.event, unexplained.why)
        for omitted in report.omitted:
            note(None, f"omitted: {omitted.kind} {omitted.subject} {omitted.by_rules}")
        for repeated in report.repeated:
            note(repeated.event, f"said again: {repeated.kind}")
    return found
