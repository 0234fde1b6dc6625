"""Rules, and changes to the ruleset, as values."""

import re
from typing import Any

import msgspec
from msgspec import field

_NUMBER = re.compile(r"[A-Za-z0-9]+([.-][A-Za-z0-9]+)*")
_NUMBER_CHARACTERS_MAX = 40


def is_rule_number(number: str) -> bool:
    """Return whether *number* can be the number of a rule.

    >>> is_rule_number("IV.2"), is_rule_number("IV 2")
    (True, False)
    """
    return bool(_NUMBER.fullmatch(number)) and len(number) <= _NUMBER_CHARACTERS_MAX


class Capabilities(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The limits of a restricted rule, and of every operation that it calls.

    Attributes:
        hooks: the hooks that it may define (`after_land`).
        verbs: the host verbs that it may call (`move`).
        attributes: the attributes that `set` may write.
        reads: the attributes that it may read besides public ones; None is all.
        subject: a value operation that must return true for the subject of every verb.
    """

    hooks: tuple[str, ...] = field(default=(), name="hooks")
    verbs: tuple[str, ...] = field(default=(), name="verbs")
    attributes: tuple[str, ...] = field(default=(), name="attributes")
    reads: tuple[str, ...] | None = field(default=None, name="reads")
    subject: str | None = field(default=None, name="subject")


class Commodity(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Something that is owned in quantity.

    Attributes:
        places: number of decimal places of its smallest unit.
    """

    places: int = field(default=0, name="places")


class FactMapping(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How facts of one kind in a hand-kept record map to the operations and the state of a rule.

    A fact may be checked against the rules, start an attempt, or do both in this order. A field is
    given by its name; `detail.1` is item 1, counted from 0, of the list in field `detail`.

    Attributes:
        subject: the field that names the entity that the fact is about.
        attribute: the attribute of *subject* that must equal the field *value*.
        paid: the reason of the postings of the last attempt to sum up for *subject*, with fields in
            braces (`rent on {square}`); the sum must equal *value*, and is negative if *subject*
            paid.
        commodity: the commodity of *paid*; the game's money by default.
        asks: a value operation, called with the fields *given*, that must equal *value* instead; if
            the fact has no such field, the result must only not be None. An operation that takes
            fewer arguments gets the fields with the names of its parameters.
        value: the field with the recorded value.
        prevails: the operation, called with *given* and *value*, that corrects the state if they
            differ.
        attempt: the operation that such a fact attempts, called with the fields *given*. An action
            is done by the player whom the first of them names, or by the admin if it is missing.
        given: the fields passed as arguments.
        dice: the field with the dice or the draw of that attempt.
        note: the fact is a note and is not checked.
        payer: the field that names who paid *subject*. The fact is then about one of the payments
            of the period between the two that no fact of this kind has stated yet; *paid* is a
            pattern (`rent for *`). A payment of a player that a record of such facts does not
            state is a difference.
        otherwise: the operation, called with *given* and *value*, that such a payment was if the
            rules know of none.
        defaults: whether questions that the attempt puts to players get their default answers.
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
    payer: str | None = field(default=None, name="payer")
    otherwise: str | None = field(default=None, name="otherwise")
    defaults: bool = field(default=False, name="defaults")


class Ending(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What becomes of things of one kind that are under way when their rule is repealed.

    Attributes:
        kind: the kind of the things.
        where: the attributes and values that the things have; empty for all things of the kind.
        set: the attributes that each of the things gets; if empty, the things are destroyed.
    """

    kind: str = field(name="kind")
    where: dict[str, Any] = field(default_factory=dict, name="where")
    set: dict[str, Any] = field(default_factory=dict, name="set")


#: The name of a column with all that a thing holds.
HOLDINGS = "holdings"


class PageTable(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A table on a published page: a row for each thing of a kind.

    A name is that of an attribute, of a value that the rules compute for the thing, or of a
    commodity that the thing holds; `holdings` is all that it holds.

    Attributes:
        kind: the kind of the things.
        where: names, with what each has to be for the things that are listed.
        columns: names, by the heading of the column.
    """

    kind: str = field(name="kind")
    where: dict[str, Any] = field(default_factory=dict, name="where")
    columns: dict[str, str] = field(default_factory=dict, name="columns")


class PageContent(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a rule has on a page of the published site.

    Attributes:
        account: the account whose balances the page shows.
        values: values that the rules compute, by what the page calls them.
        tables: tables of things, by heading.
    """

    account: str | None = field(default=None, name="account")
    values: dict[str, str] = field(default_factory=dict, name="values")
    tables: dict[str, PageTable] = field(default_factory=dict, name="tables")


class Rewording(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a rule changes once a subject is removed from the rules; empty if nobody has said it.

    Attributes:
        repeal: whether the rule is repealed. If so, the other fields are empty.
        title, prose, code: the new text and code, where they change.
        parameters: parameters with new values.
        functions: the new code of single functions by name; None removes the function.
    """

    repeal: bool = field(default=False, name="repeal")
    title: str | None = field(default=None, name="title")
    prose: str | None = field(default=None, name="prose")
    code: str | None = field(default=None, name="code")
    parameters: dict[str, Any] = field(default_factory=dict, name="parameters")
    functions: dict[str, str | None] = field(default_factory=dict, name="functions")


class Rule(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One version of one rule: its text, the code that carries it out, and its data.

    Attributes:
        number: the number that players use (`VII.2`).
        version: 1 when enacted, one more with each amendment.
        title: a short name, for people.
        prose: the normative text.
        code: the text as Starlark code; empty where nothing is executed.
        parameters: named values that the code reads, so that an amendment can be small.
        declares: kinds of entity, their attributes and the type of each.
        commodities: what can be owned in quantity.
        accounts: accounts that belong to no player.
        overrides: numbers of rules that give way to this one where they conflict.
        text_only, by_ruling: why nothing is executed.
        capabilities: the limits of a restricted rule; None for no limits.
        secret: actions whose submissions only their author and the admin see.
        mentions: numbers and names of squares in the prose.
        facts: how a hand-kept record maps to this rule, by kind of fact.
        api: the level of the host verbs that the code is written for.
        file, line: where the code begins, for error messages.
        units: what each parameter is measured in (`dollars`, `days`), where the rule says so.
        moments: what other rules react to, each with its parameters and their types.
        common: whether this is a common definition, to which other rules are preferred.
        uses: the mechanics that the rule uses, by name and version (`clocks-1`).
        mechanics: the code of these mechanics, which is part of the rule's code.
        when_gone: what becomes of things under way when the rule is repealed.
        essential: why there is no game without the rule, if that is so.
        told: how events are told, as templates: by kind (`created`, `destroyed`, and `label` for
            what its things are called), or by `kind.attribute` and the value that is set. An empty
            text means that the event is not mentioned.
        pages: what the published site shows besides its own pages, by the title of the page.
        shown: the values that are shown instead of attributes, by `kind.attribute`: the owner that
            the rules compute for a square, instead of the one that is stored.
        subjects: what the rule speaks of, each with the change that is prepared for the time when
            it is removed from the rules.
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
    facts: dict[str, FactMapping] = field(default_factory=dict, name="facts")
    api: int = field(default=0, name="api")
    file: str = field(default="", name="file")
    line: int = field(default=1, name="line")
    units: dict[str, str] = field(default_factory=dict, name="units")
    moments: dict[str, dict[str, str]] = field(default_factory=dict, name="moments")
    common: bool = field(default=False, name="common")
    uses: tuple[str, ...] = field(default=(), name="uses")
    mechanics: dict[str, str] = field(default_factory=dict, name="mechanics")
    when_gone: tuple[Ending, ...] = field(default=(), name="when_gone")
    essential: str | None = field(default=None, name="essential")
    told: dict[str, str | dict[str, str]] = field(default_factory=dict, name="told")
    pages: dict[str, PageContent] = field(default_factory=dict, name="pages")
    shown: dict[str, str] = field(default_factory=dict, name="shown")
    subjects: dict[str, Rewording] = field(default_factory=dict, name="subjects")

    @property
    def name(self) -> str:
        """The number and version of the rule, as events cite it: `VII.2@1`."""
        return f"{self.number}@{self.version}"


class Enact(msgspec.Struct, frozen=True, tag_field="change", tag="enact", omit_defaults=True):
    """Enact a new rule.

    Attributes:
        rule: the rule.
    """

    rule: Rule = field(name="rule")


class Amend(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="amend",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Amend a rule: replace the fields that are given, and merge *parameters* into the old ones.

    Attributes:
        number: number of the rule. The other fields are those of `Rule`.
        functions: the new code of single functions by name; None removes the function.
        entries: by list parameter, pairs of an entry and the entry that takes its place. None
            instead of the old entry adds one; None instead of the new entry removes one.

    With its tag the struct has 15 fields, which is all it may have: MessagePack writes the size of
    a table with more fields in another way, and old records would not be encoded as they were.
    """

    number: str = field(name="number")
    title: str | None = field(default=None, name="title")
    prose: str | None = field(default=None, name="prose")
    code: str | None = field(default=None, name="code")
    parameters: dict[str, Any] = field(default_factory=dict, name="parameters")
    declares: dict[str, dict[str, str]] | None = field(default=None, name="declares")
    commodities: dict[str, Commodity] | None = field(default=None, name="commodities")
    facts: dict[str, FactMapping] | None = field(default=None, name="facts")
    functions: dict[str, str | None] = field(default_factory=dict, name="functions")
    entries: dict[str, tuple[tuple[Any, Any], ...]] = field(default_factory=dict, name="entries")
    told: dict[str, str | dict[str, str]] | None = field(default=None, name="told")
    pages: dict[str, PageContent] | None = field(default=None, name="pages")
    mentions: tuple[Any, ...] | None = field(default=None, name="mentions")
    subjects: dict[str, Rewording] | None = field(default=None, name="subjects")


class Repeal(
    msgspec.Struct,
    frozen=True,
    tag_field="change",
    tag="repeal",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Repeal a rule.

    Attributes:
        number: number of the rule.
        state: what happens to the attributes that it declares: "keep", "freeze" or "drop".
    """

    number: str = field(name="number")
    state: str = field(default="keep", name="state")


class Renumber(
    msgspec.Struct, frozen=True, tag_field="change", tag="renumber", forbid_unknown_fields=True
):
    """Give a rule a new number.

    Attributes:
        number: the old number.
        to: the new number.
    """

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
    """Carry out an operation of the rules once.

    Attributes:
        operation: name of the operation.
        arguments: its named arguments.
    """

    operation: str = field(name="operation")
    arguments: dict[str, Any] = field(default_factory=dict, name="arguments")


class Set(msgspec.Struct, frozen=True, tag_field="change", tag="set", forbid_unknown_fields=True):
    """Set an attribute of an entity.

    Attributes:
        kind: the kind of the entity.
        entity: what people call the entity: its key or id.
        attribute: name of the attribute.
        value: the new value.
    """

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
    """Transfer amounts between accounts.

    Attributes:
        amounts: the amount by account, as people write it; the amounts sum to zero.
        commodity: what is transferred; the game's money by default.
        why: the reason recorded with the posting.
    """

    amounts: dict[str, int | str] = field(name="amounts")
    commodity: str | None = field(default=None, name="commodity")
    why: str = field(default="", name="why")


Change = Enact | Amend | Repeal | Renumber | Do | Set | Post
