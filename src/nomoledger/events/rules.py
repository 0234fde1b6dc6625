"""A rule, and a change to the ruleset, as values."""

from typing import Any

import msgspec
from msgspec import field


class Capabilities(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a restricted rule may do, itself and through any operation it calls.

    Attributes:
        hooks: the hooks it may have (`after_land`).
        verbs: the host verbs that may be reached (`move`).
        attributes: the attributes that `set` may write.
        reads: the attributes that may be read besides public ones; None is all.
        subject: a value operation that must say yes to the subject of every verb.
    """

    hooks: tuple[str, ...] = field(default=(), name="hooks")
    verbs: tuple[str, ...] = field(default=(), name="verbs")
    attributes: tuple[str, ...] = field(default=(), name="attributes")
    reads: tuple[str, ...] | None = field(default=None, name="reads")
    subject: str | None = field(default=None, name="subject")


class Commodity(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something owned in quantity; *places* is how many decimal places its smallest unit has."""

    places: int = field(default=0, name="places")


class Speech(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a hand-kept record speaks of what a rule does: the meaning of one kind of fact.

    A fact may be held against the rules, or set something going, or both in this order. A field is
    given by its name; `detail.1` is the place 1, counted from 0, in the list under `detail`.

    Attributes:
        subject: the field that names whom or what the fact is about.
        attribute: the attribute of *subject* that *value* (a field) must equal.
        paid: what *subject* was paid for in the attempt before, as postings say it, with fields in
            braces (`rent on {square}`); *value* must equal the sum, negative where *subject* paid.
        commodity: what *paid* is counted in, where it is not the game's money.
        asks: a value operation (told the fields *given*) that *value* must equal instead; where
            the fact has no such field, the value must only not be None.
        prevails: the operation, told *given* and *value*, that makes it so where it is not.
        attempt: the operation such a fact sets going (told the fields *given*).
        dice: the field that holds the dice of that attempt, or what was drawn in it.
        note: the fact is kept as a note and nothing is held against it.
    """

    subject: str | None = field(default=None, name="subject")
    attribute: str | None = field(default=None, name="attribute")
    paid: str | None = field(default=None, name="paid")
    commodity: str | None = field(default=None, name="commodity")
    asks: str | None = field(default=None, name="asks")
    value: str | None = field(default=None, name="value")
    prevails: str | None = field(default=None, name="prevails")
    attempt: str | None = field(default=None, name="attempt")
    given: tuple[str, ...] = field(default=(), name="given")
    dice: str | None = field(default=None, name="dice")
    note: bool = field(default=False, name="note")


class Rule(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One version of one rule: its words, the code that carries them out, and its data.

    Attributes:
        number: what the players call it (`VII.2`).
        version: 1 when enacted, one more with each amendment.
        prose: the normative words.
        code: their reading in Starlark; empty where nothing is executed.
        parameters: named values that the code reads, so that an amendment can be small.
        declares: kinds of entity, their attributes and the type of each.
        commodities: what can be owned in quantity. accounts: who besides players holds it.
        overrides: numbers of rules that give way to this one where they disagree.
        text_only, by_ruling: why nothing is executed.
        capabilities: None for a rule that may do anything.
        secret: actions whose submissions only their author and the admin see.
        mentions: numbers and names of squares that the prose speaks of.
        facts: how a hand-kept record speaks of what this rule does, by kind of fact.
        api: the level of the host's vocabulary that the code is written for.
        file, line: where the code begins, for error messages.
    """

    number: str = field(name="number")
    version: int = field(default=1, name="version")
    title: str = field(default="", name="title")
    prose: str = field(default="", name="prose")
    code: str = field(default="", name="code")
    parameters: dict[str, Any] = field(default_factory=dict, name="parameters")
    declares: dict[str, dict[str, str]] = field(default_factory=dict, name="declares")
    commodities: dict[str, Commodity] = field(default_factory=dict, name="commodities")
    accounts: tuple[str, ...] = field(default=(), name="accounts")
    overrides: tuple[str, ...] = field(default=(), name="overrides")
    text_only: str | None = field(default=None, name="text_only")
    by_ruling: str | None = field(default=None, name="by_ruling")
    capabilities: Capabilities | None = field(default=None, name="capabilities")
    secret: tuple[str, ...] = field(default=(), name="secret")
    mentions: tuple[Any, ...] = field(default=(), name="mentions")
    facts: dict[str, Speech] = field(default_factory=dict, name="facts")
    api: int = field(default=0, name="api")
    file: str = field(default="", name="file")
    line: int = field(default=1, name="line")

    @property
    def name(self) -> str:
        """Number and version, as events cite it: `VII.2@1`."""
        return f"{self.number}@{self.version}"


class Enact(msgspec.Struct, frozen=True, tag_field="change", tag="enact", omit_defaults=True):
    """Add *rule*."""

    rule: Rule = field(name="rule")


class Amend(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="amend",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Replace what is given of rule *number*; *parameters* are merged into the old ones."""

    number: str = field(name="number")
    title: str | None = field(default=None, name="title")
    prose: str | None = field(default=None, name="prose")
    code: str | None = field(default=None, name="code")
    parameters: dict[str, Any] = field(default_factory=dict, name="parameters")
    declares: dict[str, dict[str, str]] | None = field(default=None, name="declares")
    commodities: dict[str, Commodity] | None = field(default=None, name="commodities")
    facts: dict[str, Speech] | None = field(default=None, name="facts")


class Repeal(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="repeal",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Remove rule *number*; *state*: keep, freeze or drop the attributes it declares."""

    number: str = field(name="number")
    state: str = field(default="keep", name="state")


class Renumber(
    msgspec.Struct, frozen=True, tag_field="change", tag="renumber", forbid_unknown_fields=True
):
    """Call rule *number* *to*."""

    number: str = field(name="number")
    to: str = field(name="to")


class Do(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="do",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Carry out an *operation* of the rules once, with named *arguments*."""

    operation: str = field(name="operation")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class Set(msgspec.Struct, frozen=True, tag_field="change", tag="set", forbid_unknown_fields=True):
    """Give *attribute* of the thing of *kind* called *entity* a *value*."""

    kind: str = field(name="kind")
    entity: Any = field(name="entity")
    attribute: str = field(name="attribute")
    value: Any = field(name="value")


class Post(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="post",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Move *amounts* (by account, as people write them) that come to nothing in all.

    *commodity* is the game's money where None; *why* stands in the posting.
    """

    amounts: dict[str, int | str] = field(name="amounts")
    commodity: str | None = field(default=None, name="commodity")
    why: str = field(default="", name="why")


Change = Enact | Amend | Repeal | Renumber | Do | Set | Post
