"""The names that cases and players can use with a rulebook.

They are read from the code of the rules, which is not run.
"""

from typing import Any

import msgspec

from nomoledger.language.code import Hook
from nomoledger.language.linker import analyze_rules
from nomoledger.language.operations import Links, kind_type
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.questions import DrawSite, QuestionSite, draw_sites, question_sites
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.declared_rules import Ruleset


class Argument(msgspec.Struct, frozen=True, omit_defaults=True):
    """An argument: its *name*, the *type* that resolves it, and its *default* if it has one."""

    name: str
    type: str = ""
    default: str | None = None


class Word(msgspec.Struct, frozen=True):
    """An action, operation or value: its *name*, the *rule* that defines it, its *arguments*."""

    name: str
    rule: str
    arguments: list[Argument]
    doc: str = ""


class Kind(msgspec.Struct, frozen=True):
    """A kind of entity: the attribute that names one, and all attributes with their types."""

    name: str
    key: str | None
    attributes: dict[str, str]


class Vocabulary(msgspec.Struct, frozen=True):
    """The words of a rulebook.

    Attributes:
        actions: what a player (or "admin") submits: `do: buy`. The player is not an argument.
        inputs: what players and the admin can do in every game.
        operations: what changes can carry out: `changes: [{do: paint, with: ...}]`.
        values: what a case can ask for: `{value: block, with: ..., is: ...}`.
        kinds, accounts: all that the rules declare. commodities: each with its decimal places.
        questions: what the rules ask players and the admin. draws: dice and random choices.
        settings: the parameters, each with its value at the start.
    """

    rulebook: str
    actions: list[Word]
    inputs: list[Word]
    operations: list[Word]
    values: list[Word]
    kinds: list[Kind]
    commodities: dict[str, int]
    accounts: list[str]
    questions: list[QuestionSite]
    draws: list[DrawSite]
    settings: dict[str, Any]

    def as_text(self) -> str:
        """Return the vocabulary as text."""
        parts = [
            ("actions (do:)", [_describe_word(word) for word in self.actions]),
            ("inputs of every game (do:)", [_describe_word(word) for word in self.inputs]),
            ("operations (do: within changes)", [_describe_word(word) for word in self.operations]),
            ("values (value:)", [_describe_word(word) for word in self.values]),
            ("kinds and their attributes", [_describe_kind(kind) for kind in self.kinds]),
            ("commodities", [_describe_commodity(*item) for item in self.commodities.items()]),
            ("accounts besides players'", self.accounts),
            ("questions", [_describe_question(question) for question in self.questions]),
            ("dice and draws", [_describe_draw(draw) for draw in self.draws]),
            ("settings (--set)", [f"{name} = {value}" for name, value in self.settings.items()]),
        ]
        lines = [f"vocabulary of {self.rulebook}"]
        for title, entries in parts:
            lines += ["", f"{title}:", *(f"  {entry}" for entry in entries or ["none"])]
        return "\n".join(lines)


def vocabulary(rulebook: Rulebook) -> Vocabulary:
    """Return the vocabulary of *rulebook*.

    Raises:
        RulebookError: its code cannot be read.
    """
    return call_in_sandbox(_vocabulary, rulebook, kind=Vocabulary)


def _vocabulary(rulebook: Rulebook) -> Vocabulary:
    links = analyze_rules(Ruleset(rulebook.rules))
    accounts = {name for rule in rulebook.rules for name in rule.accounts}
    return Vocabulary(
        rulebook=rulebook.name,
        actions=_words(links, "action"),
        inputs=[
            _input(links, name, arguments, doc)
            for name, operation, arguments, doc in INPUTS
            if not operation or operation in links.operations
        ],
        operations=_words(links, "define"),
        values=_words(links, "value"),
        kinds=_kinds(rulebook),
        commodities={
            name: commodity.places
            for rule in rulebook.rules
            for name, commodity in rule.commodities.items()
        },
        accounts=["admin", "mint", *sorted(accounts - {"admin", "mint"})],
        questions=question_sites(links),
        draws=draw_sites(links),
        settings={
            f"{rule.number}.{name}": value
            for rule in rulebook.rules
            for name, value in rule.parameters.items()
        },
    )


def _words(links: Links, kind: str) -> list[Word]:
    return [
        Word(name, number, _arguments(hook, kind), hook.doc)
        for name, operation in links.operations.items()
        for number, hook in operation.of(kind)[:1]
    ]


def _arguments(hook: Hook, kind: str) -> list[Argument]:
    parameters = hook.parameters[1:] if kind == "action" else hook.parameters
    return [Argument(each.name, each.type, each.default) for each in parameters]


def _kinds(rulebook: Rulebook) -> list[Kind]:
    declared: dict[str, dict[str, str]] = {}
    for rule in rulebook.rules:
        for kind, attributes in rule.declares.items():
            declared.setdefault(kind, {}).update(attributes)
    kinds = []
    for kind, attributes in declared.items():
        keys = [name for name, type_ in attributes.items() if type_.endswith(" key")]
        types = {name: type_.removesuffix(" key") for name, type_ in attributes.items()}
        kinds.append(Kind(kind, keys[0] if keys else None, types))
    return kinds


#: The inputs of every game: name, the operation that the rules must define ("" for none),
#: arguments, description.
INPUTS = (
    ("join", "join", "name: Text", "somebody asks to join"),
    ("leave", "depart", "", "the player asks to leave"),
    ("propose", "propose", "text: Text, changes: List = []", "the player makes a proposal"),
    ("vote", "vote", "proposal: Number = latest, choice: Text", "the player votes"),
    ("judge", "judge", "proposal: Number = latest, verdict: Text", "accepted or rejected"),
    ("accept", "judge", "proposal: Number = latest", "the admin's verdict: accepted"),
    ("reject", "judge", "proposal: Number = latest", "the admin's verdict: rejected"),
    ("ruling", "", "text: Text, value = None, changes: List = []", "an answer or a correction"),
    (
        "order",
        "",
        "when: Text, while: Text = '', acts: List = [], answer = None",
        "what the player wants done once something is so",
    ),
    ("answer", "", "value", "a player answers the question that waits"),
    ("roll", "", "dice: List", "dice thrown by hand for the question that waits"),
    ("draw", "", "value", "a draw made by hand for the question that waits"),
    ("advance", "", "", "time passes: what is due falls due"),
    ("close", "", "", "the admin closes the period"),
)


def _input(links: Links, name: str, arguments: str, doc: str) -> Word:
    parsed = [_argument(text) for text in arguments.split(", ") if text]
    join = links.operations.get(name)
    if name == "join" and join is not None and join.definitions:
        parsed = _arguments(join.definitions[0][1], "define")
    return Word(name, "engine", parsed, doc)


def _argument(text: str) -> Argument:
    """Parse an argument such as `proposal: Number = latest`."""
    named, _, default = text.partition(" = ")
    name, _, type_ = named.partition(": ")
    return Argument(name, type_, default or None)


# --- text output ------------------------------------------------------------------------------


def _describe_word(word: Word) -> str:
    arguments = ", ".join(
        each.name
        + (each.type and f": {each.type}")
        + ("" if each.default is None else f" = {each.default}")
        for each in word.arguments
    )
    doc = f"  {' '.join(word.doc.split())}" if word.doc else ""
    return f"{word.name}({arguments})  [{word.rule}]{doc}"


def _describe_kind(kind: Kind) -> str:
    attributes = ", ".join(f"{name}: {type_}" for name, type_ in kind.attributes.items())
    called = f", called by {kind.key}" if kind.key else ""
    return f"{kind.name} ({kind_type(kind.name)}{called}): {attributes}"


def _describe_commodity(name: str, places: int) -> str:
    return name + (f" ({places} decimal places)" if places else "")


def _describe_question(question: QuestionSite) -> str:
    options = f"; options: {', '.join(question.options)}" if question.options else ""
    return f"{question.text!r} to {question.to}{options}  [{question.rule}]"


def _describe_draw(draw: DrawSite) -> str:
    return f"{draw.label!r}: {draw.what}  [{draw.rule}]"
