"""The linker: sorts the hooks of a ruleset by operation, and checks that they fit together."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule, is_rule_number
from nomoledger.language import amendments, reads, verbs
from nomoledger.language.code import Hook, Parameter, parse_code
from nomoledger.language.host_verbs import HOST_VERBS, host_verbs_of, is_hookable
from nomoledger.language.operations import Links, Operation, Remembered, kind_type
from nomoledger.language.prelude import prelude_verbs_of
from nomoledger.language.reserved import (
    BUILTINS,
    TYPES,
    faults_of_reserved_names,
    is_keyword,
    reserved_words,
)
from nomoledger.state.declared_rules import Ruleset

#: The modules that define the host verbs. Importing them fills the registry.
VERB_MODULES = (verbs, reads, amendments)
#: Verbs that only read, whatever operations are under way.
_READS = frozenset(
    verb.name
    for verb in HOST_VERBS.values()
    if verb.purpose == "read" and not verb.depends_on_caller
)
#: The kinds of hooks that define an operation.
DEFINING = ("define", "value", "action")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LINE_MAX = 100_000


def fingerprint(ruleset: Ruleset) -> str:
    """Return a SHA-256, in hexadecimal, of everything in *ruleset* that decides what it means."""
    return hashlib.sha256(msgspec.msgpack.encode(ruleset)).hexdigest()


def analyze_rules(ruleset: Ruleset, *, reserves_words: bool = True) -> Links:
    """Parse the code of the rules and sort their hooks by operation.

    Unless *reserves_words*, names that are words of the language are let pass, for a check that
    tells them itself.

    Raises:
        RulebookError: code cannot be parsed, or hooks do not fit together.
    """
    rules = ruleset.rules
    for rule in rules:
        _check_names(rule)
    codes = {rule.number: parse_code(rule) for rule in rules}
    for rule in rules:
        for _, fault in faults_of_reserved_names(rule, ruleset.level) if reserves_words else ():
            raise RulebookError(f"rule {rule.number}: {fault}")
    common = frozenset(rule.number for rule in rules if rule.common)
    hooks: dict[str, list[tuple[str, Hook]]] = defaultdict(list)
    of_mechanics: set[tuple[str, str]] = set()
    for rule in rules:
        for hook in codes[rule.number].hooks:
            _check_capability(rule, hook)
            place = hook.mechanic, hook.name
            if hook.kind not in ("check", "on") and place not in of_mechanics:
                hooks[hook.operation].append((rule.number, hook))
            if hook.mechanic:  # Several rules may use one mechanic: the first of them acts.
                of_mechanics.add(place)
    remembered = _remembered(ruleset)
    names = dict.fromkeys((*hooks, *remembered))
    operations = {
        name: Operation(
            name, _prevailing(hooks.get(name, []), common), remembered.get(name), common
        )
        for name in names
    }
    plain = _plain_operations(rules, operations)
    links = Links(ruleset, codes, operations, plain, {})
    for operation in operations.values():
        _check_operation(links, operation)
    return msgspec.structs.replace(links, undefined=_undefined(links))


def _prevailing(
    hooks: list[tuple[str, Hook]], common: frozenset[str]
) -> tuple[tuple[str, Hook], ...]:
    """Return *hooks* without the definitions that give way to others.

    What a rule with a number says itself prevails over mechanics, and mechanics prevail over common
    definitions.
    """
    rank = {
        pair: 0 if pair[0] in common else 1 if pair[1].mechanic else 2
        for pair in hooks
        if pair[1].kind in DEFINING
    }
    highest = max(rank.values(), default=0)
    return tuple(pair for pair in hooks if rank.get(pair, highest) == highest)


def _remembered(ruleset: Ruleset) -> dict[str, Remembered]:
    """Return the moments of all rules, and what former rules defined."""
    known: dict[str, Remembered] = {}
    for rule in ruleset.former:
        for hook in _hooks_of_former(rule):
            is_word = hook.operation in reserved_words(ruleset.level)
            if hook.kind in DEFINING and not (is_word or is_keyword(hook.operation)):
                is_moment = hook.kind == "define" and hook.is_empty
                kind = "moment" if is_moment else hook.kind
                returns = hook.returns or _type_of_parameter(rule, hook.returned)
                known[hook.operation] = Remembered(kind, hook.parameters, returns)
    for rule in ruleset.declaring:
        for name, types in rule.moments.items():
            parameters = tuple(Parameter(name, type_) for name, type_ in types.items())
            known[name] = Remembered("moment", parameters)
    return known


def _hooks_of_former(rule: Rule) -> tuple[Hook, ...]:
    """Return the hooks of a rule that is gone; none if its code cannot be read any more."""
    try:
        return parse_code(rule).hooks
    except RulebookError:
        return ()


def _type_of_parameter(rule: Rule, name: str) -> str:
    types = {bool: "Flag", int: "Number", str: "Text", list: "List", tuple: "List"}
    return types.get(type(rule.parameters.get(name)), "")


def _plain_operations(rules: tuple[Rule, ...], operations: dict[str, Operation]) -> frozenset[str]:
    """Return the plain operations: no limit counts them, and they need not report to the host.

    Such an operation has no hook but one definition without loops, only reads, only calls plain
    operations, and belongs to an unrestricted rule.
    """
    known = _READS | BUILTINS
    restricted = {rule.number for rule in rules if rule.capabilities is not None}
    parameters = {rule.number: frozenset(rule.parameters) for rule in rules}
    lacking: dict[str, frozenset[str]] = {}  # what each may turn out to use that is not plain
    users: dict[str, list[str]] = defaultdict(list)
    plain: list[str] = []
    for name, operation in operations.items():
        if name in known:
            plain.append(name)
        elif (
            len(operation.hooks) == 1
            and (hook := operation.hooks[0][1]).kind in ("define", "value")
            and not hook.loops
            and operation.definer not in restricted
        ):
            lacking[name] = hook.uses - known - parameters[operation.definer]
            for used in lacking[name]:
                users[used].append(name)
    left = {name: len(used) for name, used in lacking.items()}
    plain += [name for name, count in left.items() if not count]
    for name in plain:  # grows while it is read
        for user in users[name] if name in lacking else ():
            left[user] -= 1
            if not left[user]:
                plain.append(user)
    return frozenset(plain)


def _check_names(rule: Rule) -> None:
    """Check the number and the names in the data, which become part of the program's text."""
    if not is_rule_number(rule.number):
        raise RulebookError(f"{rule.number!r:.60} is no number for a rule: write one like IV.2")
    if not 1 <= rule.line <= _LINE_MAX:
        raise RulebookError(f"rule {rule.number}: its code cannot begin on line {rule.line}")
    for fault in faults_of_names(rule):
        raise RulebookError(f"rule {rule.number}: {fault}")


def faults_of_names(rule: Rule) -> Iterator[str]:
    """Yield what is wrong with names that the data of *rule* gives to something."""
    for name in (*rule.parameters, *rule.declares, *rule.moments):
        if not _NAME.fullmatch(name) or is_keyword(name):
            yield f"{name!r:.60} is no name: try one like in_row"


def _check_capability(rule: Rule, hook: Hook) -> None:
    allowed = rule.capabilities
    if allowed is not None and hook.name not in allowed.hooks:
        raise RulebookError(
            f"{rule.file or 'rule'}:{rule.line}: rule {rule.number} may not have {hook.name}; "
            f"it is allowed {', '.join(allowed.hooks) or 'no hook'}"
        )


def _check_operation(links: Links, operation: Operation) -> None:
    name = operation.name
    number = operation.hooks[0][0] if operation.hooks else _rule_of_moment(links, name)
    if name in reserved_words(links.ruleset.level) or is_keyword(name):
        raise RulebookError(f"rule {number}: {name} is a word of the language itself")
    if operation.definitions and is_hookable(name):
        number = operation.definitions[0][0]
        raise RulebookError(f"rule {number}: {name} is a verb: bend it with instead_{name}")
    if not links.binds_by_position:
        return
    signature = operation.names
    for number, hook in operation.hooks:
        parameters_max = len(signature) + (hook.kind == "instead")
        if operation.definitions and len(hook.parameters) > parameters_max:
            raise RulebookError(
                f"rule {number}: {hook.name} asks for {len(hook.parameters)} arguments, but "
                f"{operation.name} has {parameters_max}: ({', '.join(signature)})"
            )


def _rule_of_moment(links: Links, name: str) -> str:
    numbers = (rule.number for rule in links.ruleset.declaring if name in rule.moments)
    return next(numbers, "")


def _undefined(links: Links) -> dict[str, tuple[str, ...]]:
    level = links.ruleset.level
    known = {*host_verbs_of(level), *prelude_verbs_of(level), *BUILTINS, *TYPES, *links.operations}
    known |= {kind_type(kind) for rule in links.ruleset.declaring for kind in rule.declares}
    users: dict[str, list[str]] = defaultdict(list)
    for rule in links.rules:
        for name in sorted(links.codes[rule.number].free - known - set(rule.parameters)):
            users[name].append(rule.number)
    return {name: tuple(numbers) for name, numbers in users.items()}
