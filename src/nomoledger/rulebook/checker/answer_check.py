"""The check of answers: what an answer is compared with is one of the options of the question."""

import ast
from collections.abc import Iterator

from nomoledger.intake.nearest import meant
from nomoledger.language.syntax_tree import nodes_of
from nomoledger.rulebook.checker.constants import text_in

#: The verbs that return one of their options, and the place of the options in a call.
_PLACES = {"ask": 2, "ruling": 1, "draw": 0}


def faults_of_answers(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield the faults of *function*, as pairs of a line and a text."""
    answers = _answers(function)
    for node in nodes_of(*function.body):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from _compared(node, answers)
        elif isinstance(node, ast.If | ast.IfExp):
            test = node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test
            if options := _options(test, answers):
                text = "an answer is always a text, so this always holds: compare it, such as with"
                yield test.lineno, f"{text} == {options[0]!r}"


def _compared(node: ast.Compare, answers: dict[str, list[str]]) -> Iterator[tuple[int, str]]:
    options = _options(node.left, answers)
    other = node.comparators[0]
    for each in other.elts if isinstance(other, ast.Tuple | ast.List) else [other]:
        text = text_in(each)
        if options and text is not None and text not in options:
            hint = meant(text, options)
            yield each.lineno, f"{text!r} is none of the options of the question{hint}"


def _answers(function: ast.FunctionDef) -> dict[str, list[str]]:
    """Return the options of the answers that are assigned to names, and nothing else is."""
    names = [
        node.id
        for node in nodes_of(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {
        node.targets[0].id: options
        for node in nodes_of(*function.body)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and names.count(node.targets[0].id) == 1
        and (options := _options(node.value, {}))
    }


def _options(node: ast.expr, answers: dict[str, list[str]]) -> list[str]:
    """Return the options of the question that *node* asks, if all are texts in the code."""
    if isinstance(node, ast.Name):
        return answers.get(node.id, [])
    verb = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or verb not in _PLACES:
        return []
    written = [*node.args[_PLACES[verb] :][:1]]
    written += [keyword.value for keyword in node.keywords if keyword.arg == "options"]
    default = [keyword for keyword in node.keywords if keyword.arg == "default"]
    if not written or default or len(node.args) > 3 or not isinstance(written[0], ast.List):
        return []
    options = [text_in(each) for each in written[0].elts]
    return [] if None in options else [option for option in options if option]
