"""Records with one line removed, doubled, moved or altered, and what the audit finds in each."""

import pickle
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.engine.oracles import oracle_of
from nomoledger.errors import NomoledgerError
from nomoledger.game import recorded_games
from nomoledger.game.audit.findings import FactPlace, PeriodAudit
from nomoledger.game.audit.what_facts_state import line_of
from nomoledger.game.engines import new_engine
from nomoledger.game.record_importer import Calendar, RecordImporter
from nomoledger.game.record_lines import RecordHeader, RecordLine
from nomoledger.game.records import import_record, read_record
from nomoledger.game.replay import recorded_divergences, unexplained_facts
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

#: What an alteration can be: reported; of no consequence; or what the rules allow as well.
GROUPS = ("found", "equivalent", "possible")
HOWS = ("removed", "doubled", "moved", "altered")
#: The squares that there are from the first period on.
_SQUARES = 20
#: Fields that say where a line comes from, and nothing of the game.
_PLACE = ("week", "text_order", "sub", "kind")


class Finding(NamedTuple):
    """One thing that the audit reports: a difference, or something omitted or repeated.

    Attributes:
        type: divergence, unexplained, omitted or repeated.
        what: the kind of fact or the attribute, of whom, and the values.
        line: the line; of what is omitted, None.
        explained_if: what would explain a difference.
    """

    type: str
    what: str
    line: int | None
    explained_if: str | None = None

    @property
    def key(self) -> tuple[str, str, int | None]:
        """The finding without what would explain it."""
        return self.type, self.what, self.line


class Alteration(NamedTuple):
    """One alteration of the lines of a period.

    Attributes:
        how: one of `HOWS`.
        line: the number of the altered line in the record.
        kind: the kind of its fact.
        field: the altered field.
        old, new: its values.
        lines: the lines of the period, altered.
    """

    how: str
    line: int
    kind: str
    field: str
    old: Any
    new: Any
    lines: list[RecordLine]

    def __str__(self) -> str:
        """Describe the alteration."""
        change = f": {self.field} {self.old} -> {self.new}" if self.field else ""
        return f"line {self.line} {self.kind} {self.how}{change}"


class Outcome(NamedTuple):
    """What became of the lines of a period.

    Attributes:
        findings: what the audit reports; None if the record is turned down.
        state: the things and what they have afterwards.
    """

    findings: list[Finding] | None
    state: str


class AlteredPeriod:
    """One period of a record, played again and again with one alteration each."""

    def __init__(
        self, world: World, path: Path, period: int, lines: list[RecordLine], texts: dict[str, str]
    ) -> None:
        """Play the *lines* of *period* of the record at *path* from *world* on."""
        self.path, self.period, self.lines, self.texts = path, period, lines, texts
        self._start = pickle.dumps(world)
        self._names = [str(world.label(player)) for player in world.kinds.get("player", ())]
        self.unaltered = self.play(lines)

    def play(self, lines: list[RecordLine]) -> Outcome:
        """Play *lines* instead of those of the record."""
        world = pickle.loads(self._start)
        engine = new_engine(world, oracle_of(world, b""))
        calendar = Calendar(world.game["recorded_at"], self.period, 7)
        header = RecordHeader(period=self.period)
        importer = RecordImporter(engine, header, calendar, self.texts, "again-")
        first, bodies, mark = world.head + 1, list[e.Event](), world.mark()
        try:
            for batch in importer.run(lines):
                bodies += [x for x in batch if x.period == self.period]
        except NomoledgerError:
            return Outcome(None, "")
        state = _state_of(world)
        world.rollback(mark)
        audit = PeriodAudit(engine, bodies, first)
        for _ in audit.run():
            pass
        return Outcome(list(_findings(audit, bodies, first)), state)

    def judge(self, altered: Alteration) -> tuple[str, list[Finding]]:
        """Return to which of the `GROUPS` an alteration belongs, and what is newly found."""
        outcome = self.play(altered.lines)
        if outcome.findings is None or self.unaltered.findings is None:
            return "found", []
        known = Counter(each.key for each in self.unaltered.findings)
        new = []
        for each in outcome.findings:
            known[each.key] -= 1
            if known[each.key] < 0:
                new.append(each)
        if new or any(count > 0 for count in known.values()):
            return "found", new
        return ("equivalent" if outcome.state == self.unaltered.state else "possible"), []

    def single_facts(self, seed: int, count: int) -> Iterator[tuple[Alteration, str]]:
        """Yield alterations of a die, an owner or a square, each with what explains it."""
        chance = random.Random(seed)
        rolls = [x for x, line in enumerate(self.lines) if "dice" in line.fields]
        rents = [line.fields for line in self.lines if line.fields.get("kind") == "rent"]
        for _ in range(count if rolls else 0):
            place = chance.choice(rolls)
            line, lines = self.lines[place], list(self.lines)
            old, number = line.fields["dice"], int(line.place.rpartition(":")[2])
            new = self._other(chance, "dice", old)
            lines[place] = replace(line, fields=line.fields | {"dice": new})
            was = f"the dice were {' and '.join(map(str, old))}"
            yield Alteration("altered", number, "roll", "dice", old, new, lines), was
            player = line.fields["player"]
            before = [
                each.fields for each in self.lines[:place] if each.fields.get("player") == player
            ]
            square = [fields["square"] for fields in before if fields.get("kind") == "land"]
            if square and square[-1] <= _SQUARES:
                other = chance.choice([x for x in range(1, _SQUARES + 1) if x != square[-1]])
                stated = {"player": player, "square": other}
                lines = [*self.lines[:place], self._stating(stated, place), *self.lines[place:]]
                was = f"{player} had been on {square[-1]}"
                yield Alteration("altered", number, "square", player, square, other, lines), was
            if rents:
                paid = chance.choice(rents)
                others = [name for name in self._names if name != paid["payee"]]
                stated = {"square": paid["square"], "owner": chance.choice(others)}
                lines = [self._stating(stated, 0), *self.lines]
                was = f"{paid['payee']} owned {paid['square']}"
                yield Alteration("altered", 0, "owner", "owner", "", stated["owner"], lines), was

    def _stating(self, stated: dict[str, Any], place: int) -> RecordLine:
        fields = {"week": self.period, "rules": [{"set": stated}], "text": "altered"}
        return RecordLine(f"{self.path.name}:{9000 + place}", self.period, fields)

    def alterations(self, seed: int, count: int) -> Iterator[Alteration]:
        """Yield *count* random alterations of the facts."""
        chance = random.Random(seed)
        facts = [place for place, line in enumerate(self.lines) if "kind" in line.fields]
        made = 0
        while made < count:
            made += 1
            place, how = chance.choice(facts), chance.choice(HOWS)
            altered = self._altered(chance, place, how)
            if altered is not None:
                yield altered

    def _altered(self, chance: random.Random, place: int, how: str) -> Alteration | None:
        line, lines = self.lines[place], list(self.lines)
        number = int(line.place.rpartition(":")[2])
        field, old, new = "", None, None
        if how == "removed":
            del lines[place]
        elif how == "doubled":
            copy = replace(line, place=f"{self.path.name}:{number}-2")
            lines.insert(place + 1, copy)
        elif how == "moved":
            del lines[place]
            others = [x for x in range(len(lines) + 1) if x != place]
            target = chance.choice([x for x in others if abs(x - place) <= 6] or others)
            lines.insert(target, line)
            field, old, new = "place", place, target
        else:
            fields = [name for name in line.fields if name not in _PLACE]
            if not fields:
                return None
            field = chance.choice(fields)
            old = line.fields[field]
            new = self._other(chance, field, old)
            if new == old:
                return None
            lines[place] = replace(line, fields=line.fields | {field: new})
        return Alteration(how, number, str(line.fields["kind"]), field, old, new, lines)

    def _other(self, chance: random.Random, field: str, old: Any) -> Any:
        """Return another value of *field*."""
        match old:
            case bool():
                return not old
            case int() if field in ("square", "from_square"):
                return chance.choice([x for x in range(1, 21) if x != old])
            case int():
                return old + chance.choice([-10, -2, -1, 1, 2, 10])
            case str() if old in self._names:
                return chance.choice([name for name in self._names if name != old])
            case str():
                return old + "!"
            case [int(), *_] if field == "dice":
                place = chance.randrange(len(old))
                die = chance.choice([x for x in range(1, 7) if x != old[place]])
                return [*old[:place], die, *old[place + 1 :]]
            case []:
                return [chance.choice(self._names)]
            case list():
                place = chance.randrange(len(old))
                return [*old[:place], self._other(chance, field, old[place]), *old[place + 1 :]]
            case _:
                return old


def _state_of(world: World) -> str:
    """Return the things and what they have, without when they were created."""
    tables = (world.attributes, world.balances)
    rows = [
        sorted((key, sorted(map(repr, table.items()))) for key, table in x.items()) for x in tables
    ]
    return repr((rows, sorted(world.entities), world.game["agenda"]))


def _findings(audit: PeriodAudit, bodies: Sequence[e.Event], first: int) -> Iterator[Finding]:
    """Yield what *audit* reports of *bodies*; of each difference only the first of its attempt."""

    def told(number: int, body: e.RecordPrevailed, follows: tuple[Finding, ...]) -> Finding:
        place = audit.places.get(number, FactPlace())
        what = f"{body.what} of {body.subject}: {body.recorded}, by the rules {body.by_rules}"
        if (after := audit.displaced.get(body.fact)) is not None:
            what += f", belongs after line {after}"
        return Finding("divergence", what, place.line, audit.explanations.get(number))

    yield from recorded_divergences(bodies, first, told)  # type: ignore[type-var]
    for fact in unexplained_facts(bodies, first):
        body = bodies[fact.event - first]
        assert isinstance(body, e.FactRecorded)
        yield Finding("unexplained", f"{fact.kind}: {fact.why}", line_of(body))
    for each in audit.omitted:
        yield Finding("omitted", f"{each.kind} of {each.subject}: {each.by_rules}", None)
    for again in audit.repeated:
        yield Finding("repeated", f"{again.kind}: line {again.of}", again.line)


def all_periods(name: str, folder: Path) -> Iterator[AlteredPeriod]:
    """Yield the periods of the shipped record *name*, which is imported into *folder*."""
    files = recorded_games.files(name)
    with Ledger.open(folder / f"{name}.db", create=True) as ledger:
        for path in files:
            import_record(ledger, path)
        for path in files:
            yield from _periods_of(ledger, name, path)


def _periods_of(ledger: Ledger, game: str, path: Path) -> Iterator[AlteredPeriod]:
    """Yield the periods of *game*, which was imported from the record at *path*."""
    _, lines = read_record(path)
    texts = {
        name: (path.parent / name).read_text("utf-8")
        for line in lines
        if isinstance(name := line.fields.get("rules"), str)
    }
    world, starts = World(), {line.period for line in lines}
    for entry in ledger.read(game):
        body = entry.body
        is_line = isinstance(body, e.Input) and ("line-" in body.id or body.id.endswith("-begins"))
        if is_line and body.period in starts:
            starts.discard(body.period)
            own = [line for line in lines if line.period == body.period]
            if any("kind" in line.fields for line in own):
                yield AlteredPeriod(world, path, body.period, own, texts)
        apply(world, body)
