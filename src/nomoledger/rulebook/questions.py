"""The questions and draws of a rulebook, found by reading its code."""

import ast
from collections.abc import Iterator

import msgspec

from nomoledger.events.rules import Rule
from nomoledger.language.operations import Links


class QuestionSite(msgspec.Struct, frozen=True):
    """A question in *rule*: whom it asks, its *text* with %s for what varies, and its options."""

    rule: str
    to: str
    text: str
    options: list[str]


class DrawSite(msgspec.Struct, frozen=True):
    """Dice or a draw in *rule*: its *label*, and *what* is rolled or drawn."""

    rule: str
    label: str
    what: str


def question_sites(links: Links) -> list[QuestionSite]:
    """Return every question that the rules may ask a player or the admin."""
    return [site.question() for site in _sites(links, "ask", "ruling")]


def draw_sites(links: Links) -> list[DrawSite]:
    """Return every roll of dice and every draw that the rules may ask for."""
    return [draw for site in _sites(links, "roll", "draw") for draw in site.draws(links)]


class _Site:
    """A *call* of *word* in a *function* of a rule."""

    def __init__(self, rule: Rule, function: ast.FunctionDef, call: ast.Call, word: str) -> None:
        self.rule = rule.number
        self.parameters = rule.parameters
        self.function = function
        self.call = call
        self.word = word

    def question(self) -> QuestionSite:
        """Return the question that the call asks."""
        first = 1 if self.word == "ask" else 0
        to = "the player" if self.word == "ask" else "admin"
        text, options = self._argument(first, "question"), self._argument(first + 1, "options")
        return QuestionSite(self.rule, to, _template(self._assigned(text)), _listed(options))

    def draws(self, links: Links) -> Iterator[DrawSite]:
        """Yield the dice or draw of the call, once for each label."""
        first, second = self._argument(0, ""), self._argument(1, "")
        if self.word == "roll":
            what = f"{self._number(first)} dice of {self._number(second)} sides"
            label = self._argument(2, "for_")
        else:
            what = f"one of {_written(first)}"
            label = self._argument(1, "for_")
        for text in self._labels(label, links):
            yield DrawSite(self.rule, text, what)

    def _number(self, value: ast.expr | None) -> str:
        """Return *value* as code; the value itself if it is a parameter of the rule."""
        written = _written(value)
        return str(self.parameters.get(written, written))

    def _labels(self, label: ast.expr | None, links: Links) -> list[str]:
        """Return the label; for a parameter of an operation, the constants passed for it."""
        names = [argument.arg for argument in self.function.args.args]
        if isinstance(label, ast.Name) and label.id in names:
            place = names.index(label.id)
            operation = self.function.name.partition("_")[2]
            labels = [
                call.constants[place]
                for code in links.codes.values()
                for call in code.calls
                if call.name in (operation, self.function.name) and place < len(call.constants)
            ]
            return list(dict.fromkeys(str(text) for text in labels if text is not None))
        return [self.word if label is None else _template(self._assigned(label))]

    def _argument(self, place: int, name: str) -> ast.expr | None:
        if place < len(self.call.args):
            return self.call.args[place]
        return next((k.value for k in self.call.keywords if k.arg == name), None)

    def _assigned(self, value: ast.expr | None) -> ast.expr | None:
        """Return the expression assigned to a local name, or *value* itself."""
        if not isinstance(value, ast.Name):
            return value
        for node in ast.walk(self.function):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == value.id for target in targets
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
    """Return the text in the code, with %s for each part that is computed."""
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
