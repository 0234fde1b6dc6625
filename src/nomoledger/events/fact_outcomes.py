"""What becomes of the facts of a hand-kept record: consequences that only an audit has."""

from typing import Any

from msgspec import field

from nomoledger.events.event import Event


class RecordPrevailed(Event, frozen=True, kw_only=True, tag="record-prevailed/1"):
    """A recorded fact differs from the result of the rules; the state follows the record.

    Attributes:
        fact: number of the fact's event.
        subject: the entity or account that differs.
        what: the attribute, commodity or outcome that differs.
        recorded: the recorded value, as people write it.
        by_rules: the value by the rules, as people write it.
        follows: number of an earlier divergence of the same attempt that explains this one.
        payments, kind: as in `FactConfirmed`.
    """

    fact: int = field(name="fact")
    subject: str = field(name="subject")
    what: str = field(name="what")
    recorded: Any = field(default=None, name="recorded")
    by_rules: Any = field(default=None, name="by_rules")
    follows: int | None = field(default=None, name="follows")
    payments: tuple[int, ...] = field(default=(), name="payments")
    kind: str = field(default="", name="kind")


class FactConfirmed(Event, frozen=True, kw_only=True, tag="fact-confirmed/1"):
    """A recorded fact agrees with the result of the rules.

    Attributes:
        fact: number of the fact's event.
        payments: the places of the payments of the period that it states, if it is about some.
        kind: the kind of such a fact.
    """

    fact: int = field(name="fact")
    payments: tuple[int, ...] = field(default=(), name="payments")
    kind: str = field(default="", name="kind")


class EndForeseen(Event, frozen=True, kw_only=True, tag="end-foreseen/1"):
    """An attempt of a hand-kept record begins where it has to, so that it ends as recorded.

    Attributes:
        entity: id of the entity that the record says something else about.
        attribute: the attribute whose value it says.
        by_rules: the value by the rules alone.
        since: the fact since which it is unknown where the attempt begins; the rules alone then
            say nothing about its end.
    """

    entity: str = field(name="entity")
    attribute: str = field(name="attribute")
    by_rules: Any = field(default=None, name="by_rules")
    since: int | None = field(default=None, name="since")


class MadeUnknown(Event, frozen=True, kw_only=True, tag="made-unknown/1"):
    """A hand-kept record does not know something from here on.

    Attributes:
        since: number of the fact that says so, or on whose account it is so.
        keys: pairs of an entity or account and its attribute or commodity; "*" is whether there is
            such a thing, or such an attempt.
        attempt: the attempt that depended on something unknown, so that what it changed is unknown;
            "" if the fact itself says so.
    """

    since: int = field(name="since")
    keys: tuple[tuple[str, str], ...] = field(default=(), name="keys")
    attempt: str = field(default="", name="attempt")


class MadeKnown(Event, frozen=True, kw_only=True, tag="made-known/1"):
    """A hand-kept record knows something again.

    Attributes:
        fact: number of the fact that states it.
        keys: as in `MadeUnknown`.
    """

    fact: int = field(name="fact")
    keys: tuple[tuple[str, str], ...] = field(default=(), name="keys")


class FactNotCompared(Event, frozen=True, kw_only=True, tag="fact-not-compared/1"):
    """A recorded fact depends on something unknown, so it is not compared; the state follows it.

    Attributes:
        fact: number of the fact's event.
        since: number of the fact since which that is unknown.
        sets: whether the fact states what was unknown.
    """

    fact: int = field(name="fact")
    since: int = field(name="since")
    sets: bool = field(default=False, name="sets")


class FactUnexplained(Event, frozen=True, kw_only=True, tag="fact-unexplained/1"):
    """No rule in force covers a recorded fact; it is stored and listed separately.

    Attributes:
        fact: number of the fact's event.
        why: the reason, for people.
    """

    fact: int = field(name="fact")
    why: str = field(name="why")
