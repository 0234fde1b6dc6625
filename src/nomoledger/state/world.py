"""The state of one game: tables of plain values that change in one way only and can be undone.

Every change goes through `World.put` and `World.drop`, which keep a journal while a mark is set;
`World.rollback` takes the changes back. So an attempt that is refused, a trial run and a what-if
all work on the one world without copying it.
"""

import hashlib
from typing import Any

import msgspec
from msgspec import field

from nomoledger.events import Event, OrderGiven, ProposalMade, QuestionRaised, RulingMade
from nomoledger.events.display import without_display_text
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Commodity, Rule

Table = dict[Any, Any]
_MISSING = object()

#: The tables of the state: the name under which each is stored and hashed, and the attribute of
#: `World` that holds it. The stored names never change; attributes may be renamed.
SCHEMA = {
    "answers": "answers",
    "attributes": "attributes",
    "balances": "balances",
    "counts": "counts",
    "disputes": "disputes",
    "durations": "durations",
    "edges": "edges",
    "entities": "entities",
    "game": "game",
    "kinds": "kinds",
    "orders": "orders",
    "origins": "origins",
    "past": "past",
    "precedents": "precedents",
    "proposals": "proposals",
    "questions": "questions",
    "rulings": "rulings",
    "timers": "timers",
}


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Something to be carried out: all of it or nothing.

    Attributes:
        id: address of the attempt: the input's id and the operations that led here.
        operation: name of the operation; one that begins with @ is the engine's own.
        arguments: by position. named: by name, as the input wrote them.
        by: the player (or "admin") behind it.
        cause: number of the event that led to it.
        at: the game's time for it, in seconds since 1970.
        audience: who may see what it does (None: everybody).
    """

    id: str = field(name="id")
    operation: str = field(name="operation")
    arguments: tuple[Any, ...] = field(default=(), name="arguments")
    named: dict[str, Any] = field(default_factory=dict, name="named")
    by: str = field(default="", name="by")
    cause: int = field(default=0, name="cause")
    at: int = field(default=0, name="at")
    audience: tuple[str, ...] | None = field(default=None, name="audience")


class Timer(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An *attempt* that falls due at its time; *rule* and *cause* are where it comes from."""

    attempt: Attempt = field(name="attempt")
    rule: str = field(name="rule")
    cause: int = field(name="cause")

    @property
    def order(self) -> tuple[int, int]:
        """Timers fire by due time, then in the order they were set."""
        return self.attempt.at, self.cause


class Closing(msgspec.Struct, frozen=True):
    """What the close of a period removed from the state, so that its digest can be checked later.

    Attributes:
        commitment: the commitment to the dice of the period that closed.
        counts: the uses counted in the period; None where nothing was counted.
        precedents: the answers of the admin that held for the period.
    """

    commitment: Any
    counts: dict[str, int] | None
    precedents: dict[str, Table]


class World:
    """Everything that is so, in one game, after event number `head`.

    Attributes:
        game: single values (period, now, ended, agenda, rules in force …).
        entities: kind of each entity by id. kinds: ids by kind, in order of creation.
        attributes: per entity, its attributes. origins: per entity, the rules behind each.
        balances: per account, units of each commodity.
        timers, questions, answers, proposals: by id.
        orders: standing orders by id, with the number of the event that gave each.
        rulings: by number, with the number of the event that made each.
        precedents: answers of the admin that hold on, by rule and question.
        disputes: by number, what each is about and how it stands.
        edges: which rule prevails, as "winner>loser".
        counts: per scope, how often a limited thing was done.
        durations: per entity, attributes that end, with when and what they go back to.
        past: per closed period, how things stood at its close, as it is now known.
    """

    def __init__(self) -> None:
        self.head = -1
        self.game: Table = {
            "period": 1,
            "now": 0,
            "ended": None,
            "agenda": (),
            "rules": (),
            "dice": "seeded",
            "followed": 0,
        }
        self.entities: dict[str, str] = {}
        self.kinds: dict[str, tuple[str, ...]] = {}
        self.attributes: dict[str, Table] = {}
        self.origins: dict[str, Table] = {}
        self.balances: dict[str, dict[str, int]] = {}
        self.timers: dict[str, Timer] = {}
        self.questions: dict[str, QuestionRaised] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        self.proposals: dict[int, ProposalMade] = {}
        self.orders: dict[str, tuple[OrderGiven, int]] = {}
        self.rulings: dict[int, tuple[RulingMade, int]] = {}
        self.precedents: dict[str, Table] = {}
        self.disputes: dict[int, Table] = {}
        self.edges: dict[str, int] = {}
        self.counts: dict[str, dict[str, int]] = {}
        self.durations: dict[str, Table] = {}
        self.past: Table = {}
        self.closing: Closing | None = None
        self._journal: list[tuple[Any, Any, Any]] = []
        self._marks = 0
        self._index: dict[tuple[str, str], dict[Any, tuple[str, ...]]] = {}
        self._keys: dict[str, str] = {}
        self._declared: tuple[tuple[Rule, ...], dict[str, dict[str, str]]] = ((), {})
        self._known: tuple[tuple[Rule, ...], int, tuple[str, ...]] = ((), 0, ())
        self._frozen_past: dict[int, tuple[tuple[int, ...], bytes]] = {}

    # --- changing it, and taking it back

    def put(self, table: Table, key: Any, value: Any) -> None:
        """Set *key* in *table*."""
        old = table.get(key, _MISSING)
        if old is value:
            return
        if self._marks:
            self._journal.append((table, key, old))
        table[key] = value

    def drop(self, table: Table, key: Any) -> None:
        """Remove *key* from *table*, if it is there."""
        if key in table:
            if self._marks:
                self._journal.append((table, key, table[key]))
            del table[key]

    def append(self, table: Table, key: Any, value: Any) -> None:
        """Add *value* to the list in *table* at *key*, made where there is none, in its place."""
        values = table.get(key, ())
        if not isinstance(values, list):
            self.put(table, key, values := list(values))
        if self._marks:
            self._journal.append((values, len(values), _MISSING))
        values.append(value)

    def inner(self, table: Table, key: Any) -> Table:
        """The table within *table* at *key*, made where there is none."""
        found: Table | None = table.get(key)
        if found is None:
            self.put(table, key, found := {})
        return found

    def bring_over(self, path: tuple[Any, ...], value: Any) -> None:
        """Put *value* where *path* (a table, and the keys within it) leads; None is nothing."""
        name, *keys, last = path
        table = getattr(self, SCHEMA[name])
        for key in keys:
            table = self.inner(table, key)
        if value is None and path != ("game", "ended"):
            self.drop(table, last)
        else:
            is_tuple = name in ("kinds", "game") or (name == "past" and "kinds" in keys[1:2])
            self.put(table, last, tuple(value) if is_tuple and isinstance(value, list) else value)

    def add_past(self, more: tuple[tuple[int, str, str, int], ...]) -> set[int]:
        """Add units to accounts as they stood at the close of a period; gives those periods."""
        for period, account, commodity, units in more:
            table = self.inner(self.inner(self.past[period], "balances"), account)
            self.put(table, commodity, table.get(commodity, 0) + units)
        return {period for period, *_ in more}

    def mark(self) -> tuple[int, int]:
        """A point to which `rollback` can return. Marks nest; each must be ended."""
        self._marks += 1
        return len(self._journal), self.head

    def rollback(self, mark: tuple[int, int]) -> None:
        """Take back all changes since *mark*, and end it."""
        length, self.head = mark
        while len(self._journal) > length:
            table, key, old = self._journal.pop()
            if old is _MISSING:
                del table[key]
            else:
                table[key] = old
        self._index.clear()
        self._end_mark()

    def release(self, mark: tuple[int, int]) -> None:
        """Keep the changes since *mark*, and end it."""
        self._end_mark()

    def _end_mark(self) -> None:
        self._marks -= 1
        if not self._marks:
            self._journal.clear()

    # --- reading it

    @property
    def period(self) -> int:
        """The period now open."""
        return int(self.game["period"])

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, in the order in which they were enacted."""
        found: tuple[Rule, ...] = self.game["rules"]
        return found

    @property
    def agenda(self) -> tuple[Attempt, ...]:
        """What is still to be carried out, first things first."""
        found: tuple[Attempt, ...] = self.game["agenda"]
        return found

    @property
    def to_come(self) -> int:
        """How many attempts are on the agenda, are to be next, or wait for their time."""
        return len(self.agenda) + len(self.game.get("next", ())) + len(self.timers)

    @property
    def level(self) -> int:
        """The level of the game: which language, limits and digest it was opened with."""
        return int(self.game.get("level", 0))

    @property
    def waiting(self) -> QuestionRaised | None:
        """The question that holds up the agenda, if one does."""
        if not self.agenda:
            return None
        head = self.agenda[0].id + "|"
        return next((q for key, q in self.questions.items() if key.startswith(head)), None)

    def rule(self, number: str) -> Rule | None:
        """The rule of that number, if one is in force."""
        return next((rule for rule in self.rules if rule.number == number), None)

    def get(self, entity: str, attribute: str) -> Any:
        """An attribute's value; None where it was never set."""
        table = self.attributes.get(entity)
        return None if table is None else table.get(attribute)

    def balance(self, account: str, commodity: str) -> int:
        """Units of *commodity* in *account*."""
        return self.balances.get(account, {}).get(commodity, 0)

    def where(self, kind: str, attribute: str, value: Any) -> tuple[str, ...]:
        """Entities of *kind* whose *attribute* is *value*, in order of creation."""
        index = self._index.get((kind, attribute))
        if index is None:
            index = {}
            for entity in self.kinds.get(kind, ()):
                key = _key(self.get(entity, attribute))
                index[key] = (*index.get(key, ()), entity)
            self._index[(kind, attribute)] = index
        return index.get(_key(value), ())

    def forget_index(self, entity: str, attribute: str) -> None:
        """Called when *attribute* of *entity* changes, so that `where` looks again."""
        if self._index:
            self._index.pop((self.entities.get(entity, ""), attribute), None)

    def forget_kind(self, kind: str) -> None:
        """Called when an entity of *kind* comes or goes."""
        for key in [key for key in self._index if key[0] == kind]:
            del self._index[key]

    def forget(self) -> None:
        """Called when anything may have changed, so that `where` looks again."""
        self._index.clear()

    def declared(self, kind: str) -> dict[str, str]:
        """The attributes that the rules declare for *kind*, with their types."""
        if self._declared[0] is not self.rules:
            self._declared, self._keys = (self.rules, {}), {}
        known = self._declared[1]
        if kind not in known:
            known[kind] = {}
            for rule in self.rules:
                known[kind].update(rule.declares.get(kind, {}))
        return known[kind]

    def known_kinds(self) -> tuple[str, ...]:
        """Every kind of thing that there is or that the rules declare."""
        if self._known[0] is not self.rules or self._known[1] != len(self.kinds):
            declared = (kind for rule in self.rules for kind in rule.declares)
            self._known = (
                self.rules,
                len(self.kinds),
                tuple(dict.fromkeys((*self.kinds, *declared))),
            )
        return self._known[2]

    def key_of(self, kind: str) -> str:
        """The attribute by which people call things of *kind*: the one declared `key`."""
        if kind not in self._keys or self._declared[0] is not self.game["rules"]:
            declared = self.declared(kind).items()
            keys = (name for name, type_ in declared if type_.endswith(" key"))
            self._keys[kind] = next(keys, "name")
        return self._keys[kind]

    def commodities(self) -> dict[str, Commodity]:
        """What can be owned in quantity; the first is the money of the game."""
        return {name: each for rule in self.rules for name, each in rule.commodities.items()}

    def find(self, kind: str, called: Any) -> str | None:
        """The entity of *kind* that people call *called*, if there is one."""
        if isinstance(called, str) and self.entities.get(called) == kind:
            return called
        found = self.where(kind, self.key_of(kind), called)
        return found[0] if found else None

    def label(self, entity: Any) -> Any:
        """What people call *entity*: its key attribute, or itself where it has none."""
        kind = self.entities.get(entity) if isinstance(entity, str) else None
        if kind is None:
            return entity
        called = self.get(entity, self.key_of(kind))
        return entity if called is None else called

    def frozen_past(self, period: int) -> tuple[tuple[int, ...] | None, bytes]:
        """The part of a snapshot that holds the closed *period*, and as corrected by which rulings.

        None stands for no rulings where there is no part.
        """
        return self._frozen_past.get(period, (None, b""))

    def keep_frozen(self, period: int, ruled: tuple[int, ...], part: bytes) -> None:
        """Note that *part* of a snapshot holds *period* as corrected by the rulings *ruled*."""
        self._frozen_past[period] = ruled, part

    def forget_frozen(self) -> None:
        """Called when a snapshot that was to be kept may not be there."""
        self._frozen_past.clear()

    def tables(self) -> dict[str, Table]:
        """Return the tables of the state by their stored names (see `SCHEMA`)."""
        return {name: getattr(self, attribute) for name, attribute in SCHEMA.items()}

    def digest(self) -> str:
        """Return the SHA-256 of the whole state, the same in every process and on every machine.

        The closed periods take no part: their own digests are known.
        """
        return self._digest(self.head, self.tables())

    def digest_before_close(self) -> str | None:
        """Return the digest of the state as the last close found it, as `PeriodClosed` records it.

        None where the last event was not the close of a period.
        """
        if self.closing is None:
            return None
        tables = self.tables()
        game, counts = dict(self.game), dict(self.counts)
        game["period"] -= 1
        game["commitment"] = self.closing.commitment
        if self.closing.counts is not None:
            counts["period"] = self.closing.counts
        precedents = {**self.precedents, **self.closing.precedents}
        tables |= {"game": game, "counts": counts, "precedents": precedents}
        return self._digest(self.head - 1, tables)

    def _digest(self, head: int, tables: dict[str, Table]) -> str:
        hashed = {name: table for name, table in tables.items() if name != "past"} | {"head": head}
        if LEVELS[self.level].hashes_display_text:
            state: Any = _plain(hashed)
        else:
            state = _without_display_text(_plain(hashed))
        encoded = msgspec.json.encode(state, order="deterministic", enc_hook=str)
        return hashlib.sha256(encoded).hexdigest()


def _key(value: Any) -> Any:
    return value if not isinstance(value, list) else tuple(value)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items() if each != {}}
    return value


def _without_display_text(value: Any) -> Any:
    """Blank the text for people in all events within *value*."""
    if isinstance(value, dict):
        return {key: _without_display_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_display_text(item) for item in value]
    return without_display_text(value) if isinstance(value, Event) else value
