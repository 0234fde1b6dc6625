"""The check of words: texts that attributes are set to or compared with, such as states."""

import ast
import difflib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from nomoledger.events.rules import Rule
from nomoledger.intake.nearest import meant, nearest
from nomoledger.language.syntax_tree import nodes_of
from nomoledger.rulebook.checker.code_check import CodeCheck
from nomoledger.rulebook.told import OF_VALUE

#: A word of an attribute: the attribute, the word, and the line of the code.
_Use = tuple[str, str, int]
_ALIKE = 0.75


class WordCheck:
    """The words of attributes in all rules: a word that stands once and is like another is wrong.

    Attributes:
        counts: how often the rules state each word of each attribute.
    """

    def __init__(self, checks: Mapping[str, CodeCheck]) -> None:
        """Count the words in the code of all rules, whose *checks* are given by number."""
        self.uses = {number: list(_uses(check.tree)) for number, check in checks.items()}
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        for uses in self.uses.values():
            for attribute, word, _line in uses:
                self.counts[attribute][word] += 1
        self.texts = Counter(
            node.value
            for check in checks.values()
            for node in nodes_of(check.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )

    def faults(self, number: str) -> Iterator[tuple[int, str]]:
        """Yield the faults of the rule *number*, as pairs of a line of its code and a text."""
        for attribute, word, line in self.uses[number]:
            others = [w for w, n in self.counts[attribute].items() if n > 1 and _are_alike(word, w)]
            if self.texts[word] == 1 and others:
                text = f"nothing else says {word!r} of {attribute!r}; did you mean {others[0]!r}?"
                yield line, text

    def faults_of_endings(self, rule: Rule) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the words under `when_gone` that no code states, with their places in the data."""
        for ending in rule.when_gone:
            for attribute, word in ending.where.items():
                known = self.counts[attribute]
                if not isinstance(word, str) or not known or word in known:
                    continue
                if word not in self.texts or nearest(word, known):
                    yield ("when_gone", ending.kind, attribute), self._unsaid(attribute, word)
            for attribute, word in ending.set.items():
                if isinstance(word, str) and self._is_misspelt(attribute, word):
                    yield ("when_gone", ending.kind, word), self._unsaid(attribute, word)

    def faults_of_told(self, rule: Rule) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the words under `told` that no code states, with their places in the data."""
        for subject, entry in rule.told.items():
            _kind, _, attribute = subject.partition(".")
            for word in entry if isinstance(entry, dict) and attribute else ():
                if word not in OF_VALUE and self._is_misspelt(attribute, word):
                    yield ("told", subject, word), self._unsaid(attribute, word)

    def _is_misspelt(self, attribute: str, word: str) -> bool:
        """Return whether no code states *word*, which is like a word of *attribute*."""
        others = self.counts[attribute]
        return word not in self.texts and any(_are_alike(word, other) for other in others)

    def _unsaid(self, attribute: str, word: str) -> str:
        return f"nothing says {word!r} of {attribute!r}{meant(word, self.counts[attribute])}"


def _are_alike(word: str, other: str) -> bool:
    """Return whether *word* may be *other* misspelt. Numbered words and parts of words are not."""
    if word in other or other in word or any(letter.isdigit() for letter in word):
        return False
    return difflib.SequenceMatcher(None, word, other).ratio() >= _ALIKE


def _uses(tree: ast.Module) -> Iterator[_Use]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Compare):
            yield from _compared(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "set" and len(node.args) > 2:
                yield from _stated(node.args[1], node.args[2])
            elif node.func.id == "where":
                for keyword in node.keywords:
                    yield from _stated(ast.Constant(keyword.arg), keyword.value)
            elif node.func.id == "create" and len(node.args) > 1:
                table = node.args[1]
                if isinstance(table, ast.Dict):
                    for key, value in zip(table.keys, table.values, strict=True):
                        yield from _stated(key, value)


def _compared(node: ast.Compare) -> Iterator[_Use]:
    for one, other in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
        is_call = isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
        if is_call and one.func.id == "get" and len(one.args) > 1:  # type: ignore[attr-defined]
            items = other.elts if isinstance(other, ast.Tuple | ast.List) else [other]
            for item in items:
                yield from _stated(one.args[1], item)  # type: ignore[attr-defined]


def _stated(attribute: ast.expr | None, value: ast.expr) -> Iterator[_Use]:
    if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
        values = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
        for each in values:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                yield attribute.value, each.value, each.lineno
