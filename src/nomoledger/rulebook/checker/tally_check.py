"""The check of labels under which uses are counted: what `tallied` reads, some `tally` counts."""

import ast
from collections.abc import Iterator, Mapping

from nomoledger.intake.nearest import meant
from nomoledger.language.syntax_tree import nodes_of
from nomoledger.rulebook.checker.code_check import CodeCheck
from nomoledger.rulebook.checker.constants import text_in


class TallyCheck:
    """The labels in all rules.

    Attributes:
        counted: the labels that some rule counts; None if code computes one of them.
    """

    def __init__(self, checks: Mapping[str, CodeCheck]) -> None:
        """Collect the labels in the code of all rules, whose *checks* are given by number."""
        self.checks = checks
        counted = [
            text_in(label) for check in checks.values() for label in _labels(check.tree, "tally")
        ]
        self.counted = None if None in counted else {label for label in counted if label}

    def faults(self, number: str) -> Iterator[tuple[int, str]]:
        """Yield the faults of the rule *number*, as pairs of a line of its code and a text."""
        if self.counted is None:
            return
        for label in _labels(self.checks[number].tree, "tallied"):
            text = text_in(label)
            if text is not None and text not in self.counted:
                hint = meant(text, self.counted)
                yield label.lineno, f"nothing counts {text!r} by tally{hint}"


def _labels(tree: ast.Module, verb: str) -> Iterator[ast.expr]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == verb and node.args:
            yield node.args[0]
