"""Faults of a rulebook that its code shows without playing, one line each."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.language.code import Code, parse_code
from nomoledger.language.host_verbs import HOST_VERBS, is_hookable
from nomoledger.language.linker import analyze_rules
from nomoledger.language.operations import Links
from nomoledger.language.program import link
from nomoledger.rulebook.loading import Rulebook
from nomoledger.state.ruleset import Ruleset
from nomoledger.state.world import World

_BENDING = ("adjust", "forbid", "instead", "before", "after")


def find_faults(rulebook: Rulebook) -> list[str]:
    """Return the faults of *rulebook* as `file:line: rule N: what`."""
    errors: list[str] = []
    for rule in rulebook.rules:
        try:
            parse_code(rule)
        except RulebookError as error:
            errors.append(_with_place(rulebook, str(error)))
    if errors:
        return errors
    ruleset = Ruleset(rulebook.rules)
    try:
        links = analyze_rules(ruleset)
        link(ruleset).compile(World())
    except RulebookError as error:
        return [_with_place(rulebook, str(error))]
    return [fault for rule in rulebook.rules for fault in _Reader(links, rule).faults()]


def faults_of_rule(links: Links, number: str) -> list[str]:
    """Return the faults of the rule *number* beside all rules of *links*."""
    rule = next(rule for rule in links.rules if rule.number == number)
    return list(_Reader(links, rule).faults())


def _with_place(rulebook: Rulebook, text: str) -> str:
    """Return *text* with file and line in front if it only names a rule."""
    match = re.match(r"rule (\S+): ", text)
    rules = [rule for rule in rulebook.rules if match and rule.number == match[1]]
    return f"{rules[0].file}:{rules[0].line}: {text}" if rules else text


class _Reader:
    """A reader that compares one rule with all rules of the rulebook."""

    def __init__(self, links: Links, rule: Rule) -> None:
        self.links = links
        self.rule = rule
        self.code: Code = links.codes[rule.number]
        self.declared: dict[str, set[str]] = defaultdict(set)
        for other in links.rules:
            for kind, attributes in other.declares.items():
                self.declared[kind] |= set(attributes)
        self.attributes = {name for names in self.declared.values() for name in names}
        self.commodities = {name for other in links.rules for name in other.commodities}

    def faults(self) -> Iterator[str]:
        """Yield the faults of the rule."""
        for name, numbers in self.links.undefined.items():
            if self.rule.number in numbers:
                yield self._at(self._line_of(name), f"no rule says what {name!r} is")
        yield from self._hooks()
        for node in ast.walk(ast.parse(self.rule.code)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for what in self._call(node.func.id, node):
                    yield self._at(node.lineno, what)
        for name in self.rule.parameters:
            if name not in self.code.free and not self._is_read_elsewhere(name):
                yield self._at(1, f"the parameter {name!r} is never used")

    def _at(self, line: int, what: str) -> str:
        rule = self.rule
        return f"{rule.file}:{rule.line + line - 1}: rule {rule.number}: {what}"

    def _line_of(self, name: str) -> int:
        lines = self.rule.code.splitlines()
        return next((i for i, line in enumerate(lines, 1) if re.search(rf"\b{name}\b", line)), 1)

    def _hooks(self) -> Iterator[str]:
        for hook in self.code.hooks:
            operation = self.links.operations.get(hook.operation)
            if hook.kind not in _BENDING or is_hookable(hook.operation):
                continue
            if operation is None or not (operation.definitions or operation.remembered):
                what = f"{hook.name} bends {hook.operation!r}, which no rule defines"
                yield self._at(self._line_of(hook.name), what)

    def _call(self, name: str, node: ast.Call) -> Iterator[str]:
        positions = HOST_VERBS[name].positions if name in HOST_VERBS else {}
        if "attribute" in positions:
            yield from self._attribute(node, positions["attribute"])
        if "commodity" in positions:
            yield from self._commodity(node, positions["commodity"])
        if "kind" in positions:
            yield from self._kind(node)
        if "operation" in positions or name in ("would", "may"):
            yield from self._operation(_text(node, 0), name not in ("schedule", "cancel"))
        if name == "once":
            per = next((_constant(k.value) for k in node.keywords if k.arg == "per"), None)
            if per not in (None, "period", "game"):
                yield from self._operation(per, True)
        if name == "param":
            yield from self._param(_text(node, 0), _text(node, 1))

    def _attribute(self, node: ast.Call, place: int) -> Iterator[str]:
        attribute = _text(node, place)
        known = self.declared["game"] if _text(node, 0) == "game" else self.attributes
        if attribute is not None and attribute not in known:
            yield f"no rule declares the attribute {attribute!r}"

    def _commodity(self, node: ast.Call, place: int) -> Iterator[str]:
        keyword = next((_constant(k.value) for k in node.keywords if k.arg == "commodity"), None)
        commodity = keyword or _text(node, place)
        if commodity is not None and commodity not in self.commodities:
            yield f"no rule declares the commodity {commodity!r}"

    def _kind(self, node: ast.Call) -> Iterator[str]:
        kind = _text(node, 0)
        if kind is None:
            return
        if kind not in self.declared:
            yield f"no rule declares the kind {kind!r}"
            return
        names = [keyword.arg for keyword in node.keywords if keyword.arg]
        if isinstance(node.func, ast.Name) and node.func.id == "create":
            tables = [argument for argument in node.args if isinstance(argument, ast.Dict)]
            names = [k for table in tables for key in table.keys if (k := _constant(key))]
        for name in names:
            if name not in self.declared[kind]:
                yield f"no rule declares the attribute {name!r} of {kind}"

    def _operation(self, name: str | None, verbs_too: bool) -> Iterator[str]:
        if name is None or (verbs_too and is_hookable(name)):
            return
        if name not in self.links.operations:
            yield f"no rule says what the operation {name!r} is"

    def _param(self, number: str | None, name: str | None) -> Iterator[str]:
        rule = next((rule for rule in self.links.rules if rule.number == number), None)
        if number is not None and rule is None:
            yield f"there is no rule {number}"
        elif rule is not None and name is not None and name not in rule.parameters:
            yield f"rule {number} has no parameter {name!r}"

    def _is_read_elsewhere(self, name: str) -> bool:
        parameter = (self.rule.number, name)
        calls = (call for code in self.links.codes.values() for call in code.calls)
        return any(call.name == "param" and call.constants[:2] == parameter for call in calls)


def _constant(node: ast.AST | None) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def _text(node: ast.Call, place: int) -> str | None:
    return _constant(node.args[place]) if place < len(node.args) else None
