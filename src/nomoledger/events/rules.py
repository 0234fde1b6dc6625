"""A rule, and a change to the ruleset, as values."""

from typing import Any

import msgspec


class Capabilities(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a restricted rule may do, itself and through any operation it calls.

    Attributes:
        hooks: the hooks it may have (`after_land`).
        verbs: the host verbs that may be reached (`move`).
        attributes: the attributes that `set` may write.
        reads: the attributes that may be read besides public ones; None is all.
        subject: a value operation that must say yes to the subject of every verb.
    """

    hooks: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    reads: tuple[str, ...] | None = None
    subject: str | None = None


class Commodity(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something owned in quantity; *places* is how many decimal places its smallest unit has."""

    places: int = 0


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

    subject: str | None = None
    attribute: str | None = None
    paid: str | None = None
    commodity: str | None = None
    asks: str | None = None
    value: str | None = None
    prevails: str | None = None
    attempt: str | None = None
    given: tuple[str, ...] = ()
    dice: str | None = None
    note: bool = False


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

    number: str
    version: int = 1
    title: str = ""
    prose: str = ""
    code: str = ""
    parameters: dict[str, Any] = {}
    declares: dict[str, dict[str, str]] = {}
    commodities: dict[str, Commodity] = {}
    accounts: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    text_only: str | None = None
    by_ruling: str | None = None
    capabilities: Capabilities | None = None
    secret: tuple[str, ...] = ()
    mentions: tuple[Any, ...] = ()
    facts: dict[str, Speech] = {}
    api: int = 0
    file: str = ""
    line: int = 1

    @property
    def name(self) -> str:
        """Number and version, as events cite it: `VII.2@1`."""
        return f"{self.number}@{self.version}"


class Enact(msgspec.Struct, frozen=True, tag_field="change", tag="enact", omit_defaults=True):
    """Add *rule*."""

    rule: Rule


class Amend(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="amend",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Replace what is given of rule *number*; *parameters* are merged into the old ones."""

    number: str
    title: str | None = None
    prose: str | None = None
    code: str | None = None
    parameters: dict[str, Any] = {}
    declares: dict[str, dict[str, str]] | None = None
    commodities: dict[str, Commodity] | None = None
    facts: dict[str, Speech] | None = None


class Repeal(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="repeal",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Remove rule *number*; *state*: keep, freeze or drop the attributes it declares."""

    number: str
    state: str = "keep"


class Renumber(
    msgspec.Struct, frozen=True, tag_field="change", tag="renumber", forbid_unknown_fields=True
):
    """Call rule *number* *to*."""

    number: str
    to: str


class Do(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="do",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Carry out an *operation* of the rules once, with named *arguments*."""

    operation: str
    arguments: dict[str, Any] = {}


class Set(msgspec.Struct, frozen=True, tag_field="change", tag="set", forbid_unknown_fields=True):
    """Give *attribute* of the thing of *kind* called *entity* a *value*."""

    kind: str
    entity: Any
    attribute: str
    value: Any


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

    amounts: dict[str, int | str]
    commodity: str | None = None
    why: str = ""


Change = Enact | Amend | Repeal | Renumber | Do | Set | Post
