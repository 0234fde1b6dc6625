"""What the rules ask of chance, of players and of the admin, found by reading their code."""

import ast
from collections.abc import Iterator

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.language.operations import Links


class QuestionSite(msgspec.Struct, frozen=True):
    """A question: in which *rule*, to whom, its *text* (with %s for what varies), its options."""

    rule: str
    to: str
    text: str
    options: list[str]


class DrawSite(msgspec.Struct, frozen=True):
    """Dice or a draw: in which *rule*, under which *label*, and *what* is thrown or drawn."""

    rule: str
    label: str
    what: str


def question_sites(links: Links) -> list[QuestionSite]:
    """Every question that the rules may put to somebody."""
    return [question for site in _sites(links, "ask", "ruling") for question in site.asked()]


def draw_sites(links: Links) -> list[DrawSite]:
    """Every throw of dice and every draw that the rules may ask for."""
    return [throw for site in _sites(links, "roll", "draw") for throw in site.thrown(links)]


class _Site:
    """A *call* within *function* of a rule."""

    def __init__(self, rule: Rule, function: ast.FunctionDef, call: ast.Call, word: str) -> None:
        self.rule = rule.number
        self.parameters = rule.parameters
        self.function = function
        self.call = call
        self.word = word

    def asked(self) -> Iterator[QuestionSite]:
        first = 1 if self.word == "ask" else 0
        to = "the player" if self.word == "ask" else "admin"
        text, options = self._argument(first, "question"), self._argument(first + 1, "options")
        yield QuestionSite(self.rule, to, _template(self._assigned(text)), _listed(options))

    def thrown(self, links: Links) -> Iterator[DrawSite]:
        first, second = self._argument(0, ""), self._argument(1, "")
        if self.word == "roll":
            what = f"{self._number(first)} dice of {self._number(second)} sides"
            label = self._argument(2, "for_")
        else:
            what = f"one of {_written(first)}"
            label = self._argument(1, "for_")
        for each in self._labels(label, links):
            yield DrawSite(self.rule, each, what)

    def _number(self, value: ast.expr | None) -> str:
        """How it is written; the value itself where it is a parameter of the rule."""
        written = _written(value)
        return str(self.parameters.get(written, written))

    def _labels(self, label: ast.expr | None, links: Links) -> list[str]:
        """The label; where it is a parameter of an operation, what that is called with."""
        names = [each.arg for each in self.function.args.args]
        if isinstance(label, ast.Name) and label.id in names:
            place = names.index(label.id)
            operation = self.function.name.partition("_")[2]
            found = [
                call.constants[place]
                for code in links.codes.values()
                for call in code.calls
                if call.name in (operation, self.function.name) and place < len(call.constants)
            ]
            return list(dict.fromkeys(str(each) for each in found if each is not None))
        return [self.word if label is None else _template(self._assigned(label))]

    def _argument(self, place: int, name: str) -> ast.expr | None:
        if place < len(self.call.args):
            return self.call.args[place]
        return next((each.value for each in self.call.keywords if each.arg == name), None)

    def _assigned(self, value: ast.expr | None) -> ast.expr | None:
        """What a local name stands for, where it is given a value once."""
        if not isinstance(value, ast.Name):
            return value
        for node in ast.walk(self.function):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.Assign) and any(
                isinstance(each, ast.Name) and each.id == value.id for each in targets
            ):
                return node.value
        return value


def _sites(links: Links, *words: str) -> Iterator[_Site]:
    for rule in links.rules:
        for function in ast.parse(rule.code).body:
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                name = node.func if isinstance(node, ast.Call) else None
                if isinstance(name, ast.Name) and name.id in words:
                    assert isinstance(node, ast.Call)
                    yield _Site(rule, function, node, name.id)


def _template(value: ast.expr | None) -> str:
    """Text as it stands in the code, with %s where something is filled in."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
        return _template(value.left)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _template(value.left) + _template(value.right)
    return "%s"


def _listed(value: ast.expr | None) -> list[str]:
    if value is None:
        return []
    if isinstance(value, ast.List | ast.Tuple):
        return [str(e.value) if isinstance(e, ast.Constant) else _written(e) for e in value.elts]
    return [_written(value)]


def _written(value: ast.expr | None) -> str:
    return "?" if value is None else ast.unparse(value)
