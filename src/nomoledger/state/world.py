"""The state of one game: tables of plain values, whose changes can be rolled back.

Every change goes through `World.put` and `World.drop`, which keep a journal while a mark is set.
`World.rollback` undoes the changes since a mark. Refused attempts, trial runs and what-ifs
therefore work on one world without copying it.
"""

from typing import Any, Protocol

import msgspec
from msgspec import field

from nomoledger.events import OrderGiven, ProposalMade, QuestionRaised, RulingMade
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import Commodity, Rule
from nomoledger.state.change_journal import MISSING, ChangeJournal
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.entity_index import EntityIndex
from nomoledger.state.state_digest import digest_of

Table = dict[Any, Any]
#: The key of a text that tells every event of its subject (see `World.told`).
ALWAYS = "always"

#: The tables of the state: the name under which each is stored and hashed, and the attribute of
#: `World` that holds it. The stored names never change; attributes may be renamed.
SCHEMA = {
    "answers": "answers",
    "attributes": "attributes",
    "balances": "balances",
    "counts": "counts",
    "dice": "dice",
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
    """An operation to be carried out, completely or not at all.

    Attributes:
        id: address of the attempt: the input's id and the operations that led to the attempt.
        operation: name of the operation; the engine's own begin with @.
        arguments: arguments by position.
        named: arguments by name, as the input has them.
        by: the player (or "admin") behind it.
        cause: number of the event that led to it.
        at: the game's time for it, in seconds since 1970.
        audience: who may see its effects (None: everybody).
        rule: the rule that scheduled it, with its version; "" if none did, or where a mechanic
            does not act in the name of a rule.
    """

    id: str = field(name="id")
    operation: str = field(name="operation")
    arguments: tuple[Any, ...] = field(default=(), name="arguments")
    named: dict[str, Any] = field(default_factory=dict, name="named")
    by: str = field(default="", name="by")
    cause: int = field(default=0, name="cause")
    at: int = field(default=0, name="at")
    audience: tuple[str, ...] | None = field(default=None, name="audience")
    rule: str = field(default="", name="rule")


class Timer(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An attempt that is due at its time.

    Attributes:
        attempt: the attempt.
        rule: number of the rule that scheduled it, or "engine".
        cause: number of the event that scheduled it.
        follows: the number of a rule and its parameter that the timer follows; None if the timer is
            fixed.
    """

    attempt: Attempt = field(name="attempt")
    rule: str = field(name="rule")
    cause: int = field(name="cause")
    follows: tuple[str, str] | None = field(default=None, name="follows")

    @property
    def order(self) -> tuple[int, int]:
        """The sort key of timers: when they are due, then the order in which they were set."""
        return self.attempt.at, self.cause


class Closing(msgspec.Struct, frozen=True):
    """What the close of a period removed from the state, so that its digest can be checked later.

    Attributes:
        commitment: the commitment to the dice of the period that closed.
        counts: the uses counted in the period; None where nothing was counted.
        precedents: the answers of the admin that applied to the period.
        dice: what the state held about dice, if anything.
    """

    commitment: Any
    counts: dict[str, int] | None
    precedents: dict[str, Table]
    dice: Table | None = None


class ReadingWatch(Protocol):
    """What is told what rules read (see `nomoledger.state.unknowns`)."""

    since: int | None
    head: int | None

    def read(self, subject: str, name: str) -> None:
        """Note that *name* of *subject* is read."""

    def search(self, kind: str, name: str) -> None:
        """Note that the things of *kind* are searched by *name*, or counted."""


class World:
    """The state of one game after event number `head`.

    Attributes:
        head: number of the last event applied; -1 before the first.
        game: single values (period, now, ended, agenda, rules in force …).
        entities: kind of each entity by id.
        kinds: ids of entities by kind, in order of creation.
        attributes: per entity, its attributes.
        origins: per entity and attribute, the rules that set it.
        balances: per account, units of each commodity.
        timers, questions, answers, proposals: by id.
        orders: standing orders by id, with the number of the event that gave each.
        rulings: by number, with the number of the event that made each.
        precedents: answers of the admin that apply to later questions, by text of the question.
        disputes: by number, what each is about and its status.
        edges: precedence between rules as "winner>loser", with the ruling that decided it.
        counts: per scope, how often each limited thing was used.
        dice: what addresses and seeds of draws depend on (see `nomoledger.state.draws`).
        durations: per entity, attributes that end, with when and what they revert to.
        past: per closed period, the state at its close, as it is now known.
        closing: what the last event removed, if that was the close of a period.
        watch: what notes whether rules read anything unknown; None if nothing does.
    """

    def __init__(self) -> None:
        """Create the empty state of a game before its first event."""
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
        self.dice: Table = {}
        self.durations: dict[str, Table] = {}
        self.past: Table = {}
        self.closing: Closing | None = None
        self.watch: ReadingWatch | None = None
        self._journal = ChangeJournal()
        self.index = EntityIndex(self)
        self._keys: dict[str, str] = {}
        self._ruleset = Ruleset(())
        self._declared: tuple[Ruleset, dict[str, dict[str, str]]] = (self._ruleset, {})
        self._known: tuple[Ruleset, int, tuple[str, ...]] = (self._ruleset, 0, ())
        self._told: tuple[Ruleset, dict[tuple[str, str], tuple[Rule, str]]] = (self._ruleset, {})
        self._frozen_past: dict[int, tuple[tuple[int, ...], bytes]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what is only remembered to save time."""
        return self.__dict__ | {"_frozen_past": {}, "_journal": None, "index": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the state, with no mark set and nothing indexed."""
        self.__dict__.update(state)
        self._journal = ChangeJournal()
        self.index = EntityIndex(self)

    # --- changes and rollback

    def put(self, table: Table, key: Any, value: Any) -> None:
        """Set *key* in *table*."""
        old = table.get(key, MISSING)
        if old is value:
            return
        if self._journal.marks:
            self._journal.note(table, key, old)
        table[key] = value

    def drop(self, table: Table, key: Any) -> None:
        """Remove *key* from *table*, if it is there."""
        if key in table:
            if self._journal.marks:
                self._journal.note(table, key, table[key])
            del table[key]

    def append(self, table: Table, key: Any, value: Any) -> None:
        """Append *value* to the list at *key* of *table*, which is created if missing."""
        values = table.get(key, ())
        if not isinstance(values, list):
            self.put(table, key, values := list(values))
        if self._journal.marks:
            self._journal.note_call(values.pop)
        values.append(value)

    def inner(self, table: Table, key: Any) -> Table:
        """Return the table at *key* of *table*, which is created if missing."""
        nested: Table | None = table.get(key)
        if nested is None:
            self.put(table, key, nested := {})
        return nested

    def set_path(self, path: tuple[Any, ...], value: Any) -> None:
        """Set *value* at *path*: the name of a table, and the keys within it; None removes it."""
        name, *keys, last = path
        table = getattr(self, SCHEMA[name])
        for key in keys:
            table = self.inner(table, key)
        if value is None and path != ("game", "ended"):
            self.drop(table, last)
        else:
            is_tuple = name in ("kinds", "game") or (name == "past" and "kinds" in keys[1:2])
            self.put(table, last, tuple(value) if is_tuple and isinstance(value, list) else value)

    def add_to_past(self, amounts: tuple[tuple[int, str, str, int], ...]) -> set[int]:
        """Add units to accounts at the close of earlier periods, and return those periods."""
        for period, account, commodity, units in amounts:
            table = self.inner(self.inner(self.past[period], "balances"), account)
            self.put(table, commodity, table.get(commodity, 0) + units)
        return {period for period, *_ in amounts}

    def mark(self) -> tuple[int, int]:
        """Set a mark, to which `rollback` can return. Marks nest; each must be ended."""
        return self._journal.mark(), self.head

    def rollback(self, mark: tuple[int, int]) -> None:
        """Undo all changes since *mark*, and end the mark."""
        place, self.head = mark
        self._journal.rollback(place)

    def release(self, mark: tuple[int, int]) -> None:
        """Keep the changes since *mark*, and end the mark."""
        self._journal.release(mark[0])

    # --- reading

    @property
    def period(self) -> int:
        """The open period."""
        return int(self.game["period"])

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in force, in the order in which they were enacted."""
        rules: tuple[Rule, ...] = self.game["rules"]
        return rules

    @property
    def former(self) -> tuple[Rule, ...]:
        """Earlier versions of rules, whose declarations outlive them, the oldest first."""
        rules: tuple[Rule, ...] = self.game.get("former", ())
        return rules

    @property
    def ruleset(self) -> Ruleset:
        """The rules in force, with all that decides what they mean."""
        known = self._ruleset
        if known.rules is not self.rules or known.former is not self.former:
            known = Ruleset(self.rules, self.former, self.level, self.game.get("money", ""))
            self._ruleset = known
        return known

    @property
    def agenda(self) -> tuple[Attempt, ...]:
        """The attempts that are still to be carried out, in order."""
        agenda: tuple[Attempt, ...] = self.game["agenda"]
        return agenda

    @property
    def to_come(self) -> int:
        """The number of attempts that are on the agenda, come next, or wait for their time."""
        return len(self.agenda) + len(self.game.get("next", ())) + len(self.timers)

    @property
    def level(self) -> int:
        """The level of the game (see `nomoledger.events.levels`)."""
        return int(self.game.get("level", 0))

    @property
    def draws_by_request(self) -> bool:
        """Whether addresses of draws begin with the request (see `nomoledger.events.levels`)."""
        return LEVELS[self.level].draws_by_request

    @property
    def forgets_rules(self) -> bool:
        """Whether what a rule declares ends with the rule (see `nomoledger.events.levels`)."""
        return LEVELS[self.level].forgets_rules

    @property
    def waiting(self) -> QuestionRaised | None:
        """The question that suspends the first attempt of the agenda, or None."""
        if not self.agenda:
            return None
        head = self.agenda[0].id + "|"
        return next(
            (question for key, question in self.questions.items() if key.startswith(head)), None
        )

    def rule(self, number: str) -> Rule | None:
        """Return the rule with that number, or None if it is not in force."""
        return next((rule for rule in self.rules if rule.number == number), None)

    def get(self, entity: str, attribute: str) -> Any:
        """Return the value of an attribute, or None if it is not set."""
        table = self.attributes.get(entity)
        return None if table is None else dict.get(table, attribute)

    def balance(self, account: str, commodity: str) -> int:
        """Return the units of *commodity* in *account*."""
        return self.balances.get(account, {}).get(commodity, 0)

    def where(self, kind: str, attribute: str, value: Any) -> tuple[str, ...]:
        """Return the entities of *kind* whose *attribute* is *value*, in order of creation."""
        return tuple(self.index.find_all(kind, attribute, value))

    # --- the index of `where` follows what the reducer changes

    def index_added(self, kind: str, entity: str) -> None:
        """Let `where` find *entity*, which was added to *kind* and has no attributes yet."""
        self.index.add(kind, entity)
        if self._journal.marks:
            self._journal.note_call(self.index.remove, kind, entity)

    def index_removes(self, kind: str, entity: str) -> None:
        """Let `where` no longer find *entity*, which is about to be removed from *kind*."""
        place = self.index.remove(kind, entity)
        if self._journal.marks:
            self._journal.note_call(self.index.restore, kind, entity, place)

    def index_changed(self, entity: str, attribute: str, old: Any, new: Any) -> None:
        """Let `where` find *entity* by the *new* value of *attribute* instead of the *old*."""
        kind = self.entities.get(entity, "")
        self.index.move(kind, entity, attribute, old, new)
        if self._journal.marks:
            self._journal.note_call(self.index.move, kind, entity, attribute, new, old)

    def forget_index(self) -> None:
        """Drop all that `where` remembers, because anything may have changed."""
        self.index.forget()
        if self._journal.marks:
            self._journal.note_call(self.index.forget)

    def declared(self, kind: str) -> dict[str, str]:
        """Return the attributes that the rules declare for *kind*, with their types."""
        ruleset = self.ruleset
        if self._declared[0] is not ruleset:
            self._declared, self._keys = (ruleset, {}), {}
        known = self._declared[1]
        if kind not in known:
            known[kind] = {}
            for rule in ruleset.declaring:
                known[kind].update(rule.declares.get(kind, {}))
        return known[kind]

    def known_kinds(self) -> tuple[str, ...]:
        """Return every kind of entity that exists or that the rules declare."""
        ruleset = self.ruleset
        if self._known[0] is not ruleset or self._known[1] != len(self.kinds):
            declared = (kind for rule in ruleset.declaring for kind in rule.declares)
            self._known = (ruleset, len(self.kinds), tuple(dict.fromkeys((*self.kinds, *declared))))
        return self._known[2]

    def key_of(self, kind: str) -> str:
        """Return the attribute that names entities of *kind*: the one declared `key`."""
        if kind not in self._keys or self._declared[0] is not self.ruleset:
            declared = self.declared(kind).items()
            keys = (name for name, type_ in declared if type_.endswith(" key"))
            self._keys[kind] = next(keys, "name")
        return self._keys[kind]

    def commodities(self) -> dict[str, Commodity]:
        """Return what can be owned in quantity; the first is the money of the game."""
        return self.ruleset.commodities

    def told(self) -> dict[tuple[str, str], tuple[Rule, str]]:
        """Return how the rules tell events: by kind or `kind.attribute`, and by what happens.

        Each template comes with its rule. Later rules prevail.
        """
        ruleset = self.ruleset
        if self._told[0] is not ruleset:
            told: dict[tuple[str, str], tuple[Rule, str]] = {}
            for rule in ruleset.declaring:
                for subject, entry in rule.told.items():
                    texts = {ALWAYS: entry} if isinstance(entry, str) else entry
                    told |= {(subject, what): (rule, text) for what, text in texts.items()}
            self._told = ruleset, told
        return self._told[1]

    def find(self, kind: str, called: Any) -> str | None:
        """Return the entity of *kind* that people call *called*, or None."""
        if isinstance(called, str) and self.entities.get(called) == kind:
            return called
        matches = self.index.find_all(kind, self.key_of(kind), called)
        return matches[0] if matches else None

    def label(self, entity: Any) -> Any:
        """Return what people call *entity*: its key attribute, or *entity* itself without one."""
        kind = self.entities.get(entity) if isinstance(entity, str) else None
        if kind is None:
            return entity
        called = self.get(entity, self.key_of(kind))
        return entity if called is None else called

    def frozen_past(self, period: int) -> tuple[tuple[int, ...] | None, bytes]:
        """Return the encoded part of a snapshot that holds the closed *period*.

        The part comes with the rulings that had corrected the period when it was encoded; None
        instead of the rulings if there is no such part.
        """
        return self._frozen_past.get(period, (None, b""))

    def keep_frozen(self, period: int, ruled: tuple[int, ...], part: bytes) -> None:
        """Remember that *part* of a snapshot holds *period* as corrected by *ruled*."""
        self._frozen_past[period] = ruled, part

    def forget_frozen(self) -> None:
        """Forget the encoded periods, because a snapshot may not have been stored."""
        self._frozen_past.clear()

    def tables(self) -> dict[str, Table]:
        """Return the tables of the state by their stored names (see `SCHEMA`)."""
        return {name: getattr(self, attribute) for name, attribute in SCHEMA.items()}

    def digest(self) -> str:
        """Return the SHA-256 of the state, the same in every process and on every machine.

        Closed periods are left out, because they have digests of their own.
        """
        return digest_of(self.tables(), self.head, self.level)

    def digest_before_close(self) -> str | None:
        """Return the digest of the state before the last event, as `PeriodClosed` records it.

        None if the last event was not the close of a period.
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
        dice = self.closing.dice or {}
        tables |= {"game": game, "counts": counts, "precedents": precedents, "dice": dice}
        return digest_of(tables, self.head - 1, self.level)
