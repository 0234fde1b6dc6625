"""Surveys the rules in force: which hooks each operation has, and whether they fit together."""

import hashlib
import keyword
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.language.code import Code, Hook, parse_code

#: Host verbs that rules may hook like operations of their own, with their signatures.
VERBS = {
    "pay": 'payer, payee, amount, why = "", commodity = None',
    "give": 'giver, taker, quantity, commodity, why = ""',
    "mint": 'account, amount, why = "", commodity = None',
    "burn": 'account, amount, why = "", commodity = None',
    "split": 'payer, shares, amount, remainder_to, why = "", commodity = None',
    "move": 'piece, square, mode = "step"',
    "set": "entity, attribute, value, until = None",
    "create": "kind, attributes, name = None",
    "destroy": "entity",
    "act": "player, action, arguments",
}
#: The other host functions a rule may call.
WORDS = (
    "adopt", "all", "amend", "ask", "balance", "cancel", "divide", "draw", "end_game", "enact",
    "find", "get", "history", "holdings", "kind", "label", "mentioned", "now", "once", "param",
    "period", "proposed", "refuse", "renumber", "repeal", "reveal", "roll", "rounded", "ruling",
    "schedule", "settle", "use", "where", "within",
)  # fmt: skip
#: Those of them that only look, and not at who is acting.
READS = frozenset(
    (
        "all", "balance", "divide", "find", "get", "history", "holdings", "kind", "label",
        "mentioned", "now", "param", "period", "proposed", "rounded", "where",
    )
)  # fmt: skip
#: Words that the prelude defines on top of those.
PRELUDE_WORDS = ("set_to", "add", "times", "at_most", "at_least", "may", "would")
BUILTINS = frozenset(
    (
        "abs", "any", "bool", "dict", "enumerate", "fail", "getattr", "hasattr", "hash", "int",
        "len", "list", "max", "min", "range", "repr", "reversed", "sorted", "str", "struct",
        "tuple", "type", "zip", "True", "False", "None",
    )
)  # fmt: skip
TYPES = ("Number", "Text", "Flag", "Money", "List", "Rule")

_NUMBER = re.compile(r"[A-Za-z0-9]+([.-][A-Za-z0-9]+)*")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_NUMBER_CHARACTERS_MAX = 40
_LINE_MAX = 100_000


class Operation(msgspec.Struct, frozen=True, dict=True):
    """What the rules in force say about one operation: (rule number, hook) in rule order."""

    name: str
    hooks: tuple[tuple[str, Hook], ...]

    def of(self, *kinds: str) -> list[tuple[str, Hook]]:
        """The hooks of these kinds."""
        return [(number, hook) for number, hook in self.hooks if hook.kind in kinds]

    @cached_property
    def definitions(self) -> list[tuple[str, Hook]]:
        """Who says what the operation is."""
        return self.of("define", "value", "action")

    @property
    def definer(self) -> str:
        """The rule whose definition it is; "" where only its hooks are known."""
        return self.definitions[0][0] if self.definitions else ""

    @property
    def signature(self) -> str:
        """Its parameters as they are written, with their defaults."""
        if self.definitions:
            _, hook = self.definitions[0]
            return ", ".join(
                p.name if p.default is None else f"{p.name} = {p.default}" for p in hook.parameters
            )
        if self.name in VERBS:
            return VERBS[self.name]
        _, hook = max(self.hooks, key=lambda each: len(each[1].parameters))
        return ", ".join(p.name for p in hook.parameters[hook.kind == "instead" :])

    @property
    def names(self) -> list[str]:
        """The names of its parameters."""
        parts = self.signature.split(",")
        return [part.split("=")[0].strip() for part in parts if part.strip()]

    @property
    def is_value(self) -> bool:
        """Whether it states something instead of doing something."""
        return any(hook.kind in ("value", "adjust") for _, hook in self.hooks)

    @cached_property
    def is_action(self) -> bool:
        """Whether a player may submit it."""
        return any(hook.kind == "action" for _, hook in self.hooks)


class Links(msgspec.Struct, frozen=True):
    """The ruleset as the linker sees it, before anything is compiled."""

    rules: tuple[Rule, ...]
    codes: dict[str, Code]
    operations: dict[str, Operation]
    plain: frozenset[str]
    undefined: dict[str, tuple[str, ...]]

    def rules_with(self, hook: str) -> list[str]:
        """Numbers of the rules that have this hook (`on_enact`)."""
        return [n for n, code in self.codes.items() if any(h.name == hook for h in code.hooks)]


def fingerprint(rules: Iterable[Rule]) -> str:
    """SHA-256 of everything in *rules* that decides what they do."""
    return hashlib.sha256(msgspec.msgpack.encode(tuple(rules))).hexdigest()


def analyze_rules(rules: tuple[Rule, ...]) -> Links:
    """Read the code of *rules* and sort their hooks by operation.

    Raises:
        RulebookError: code that cannot be read, or hooks that do not fit together.
    """
    for rule in rules:
        _check_names(rule)
    codes = {rule.number: parse_code(rule) for rule in rules}
    found: dict[str, list[tuple[str, Hook]]] = defaultdict(list)
    for rule in rules:
        for hook in codes[rule.number].hooks:
            _check_capability(rule, hook)
            if hook.kind not in ("check", "on"):
                found[hook.operation].append((rule.number, hook))
    operations = {name: Operation(name, tuple(hooks)) for name, hooks in found.items()}
    links = Links(rules, codes, operations, _plain(rules, operations), {})
    for operation in operations.values():
        _check_operation(links, operation)
    return msgspec.structs.replace(links, undefined=_undefined(links))


def _plain(rules: tuple[Rule, ...], operations: dict[str, Operation]) -> frozenset[str]:
    """Operations of which nobody could tell that they were entered.

    They run straight through, only look, and no other rule has anything to say about them.
    """
    known = READS | BUILTINS
    outsiders = {rule.number for rule in rules if rule.capabilities is not None}
    parameters = {rule.number: frozenset(rule.parameters) for rule in rules}
    while True:
        more = {
            each.name
            for each in operations.values()
            if each.name not in known
            and len(each.hooks) == 1
            and (hook := each.hooks[0][1]).kind in ("define", "value")
            and not hook.loops
            and each.definer not in outsiders
            and hook.uses <= known | parameters[each.definer]
        }
        if not more:
            return known & operations.keys()
        known |= more


def _check_names(rule: Rule) -> None:
    """What becomes part of the program's text must be what it seems to be."""
    if not _NUMBER.fullmatch(rule.number) or len(rule.number) > _NUMBER_CHARACTERS_MAX:
        raise RulebookError(f"{rule.number!r:.60} is no number for a rule: write one like IV.2")
    if not 1 <= rule.line <= _LINE_MAX:
        raise RulebookError(f"rule {rule.number}: its code cannot begin on line {rule.line}")
    for name in (*rule.parameters, *rule.declares):
        if not _NAME.fullmatch(name) or _is_reserved(name):
            raise RulebookError(f"rule {rule.number}: {name!r:.60} is no name: try one like in_row")


def _is_reserved(name: str) -> bool:
    return keyword.iskeyword(name) or name == "load"


def _check_capability(rule: Rule, hook: Hook) -> None:
    allowed = rule.capabilities
    if allowed is not None and hook.name not in allowed.hooks:
        raise RulebookError(
            f"{rule.file or 'rule'}:{rule.line}: rule {rule.number} may not have {hook.name}; "
            f"it is allowed {', '.join(allowed.hooks) or 'no hook'}"
        )


def _check_operation(links: Links, operation: Operation) -> None:
    name, number = operation.name, operation.hooks[0][0]
    if name in BUILTINS or name in WORDS or name in PRELUDE_WORDS or _is_reserved(name):
        raise RulebookError(f"rule {number}: {name} is a word of the language itself")
    if operation.definitions and name in VERBS:
        number = operation.definitions[0][0]
        raise RulebookError(f"rule {number}: {name} is a verb: bend it with instead_{name}")
    signature = operation.names
    for number, hook in operation.hooks:
        given = len(signature) + (hook.kind == "instead")
        if operation.definitions and len(hook.parameters) > given:
            raise RulebookError(
                f"rule {number}: {hook.name} asks for {len(hook.parameters)} arguments, but "
                f"{operation.name} has {given}: ({', '.join(signature)})"
            )


def _undefined(links: Links) -> dict[str, tuple[str, ...]]:
    known = {*VERBS, *WORDS, *PRELUDE_WORDS, *BUILTINS, *TYPES, *links.operations}
    known |= {kind_type(kind) for rule in links.rules for kind in rule.declares}
    found: dict[str, list[str]] = defaultdict(list)
    for rule in links.rules:
        for name in sorted(links.codes[rule.number].free - known - set(rule.parameters)):
            found[name].append(rule.number)
    return {name: tuple(numbers) for name, numbers in found.items()}


@lru_cache(maxsize=1024)
def kind_type(kind: str) -> str:
    """The name of the type of *kind* in annotations: `Square` for square."""
    return "".join(part.capitalize() for part in kind.split("_"))
