"""Blocks of data: the YAML of a rule as it stands in a file, to find the line of what it holds."""

from collections.abc import Iterator, Sequence

import msgspec
import yaml

from nomoledger.rulebook.exact_yaml import compose_yaml


class DataBlock(msgspec.Struct, frozen=True):
    """A block of data of a rule.

    Attributes:
        line: the line of the file where its text begins.
        text: the YAML.
    """

    line: int
    text: str

    def line_of(self, path: Sequence[str]) -> tuple[int, int]:
        r"""Return how many words of *path* lead to something in the block, and the line of that.

        >>> DataBlock(10, "accounts: [bank]\nfacts:\n  rent: {}").line_of(["facts", "rent"])
        (2, 12)
        """
        depth, line = 0, 0
        nodes = self._nodes()
        for word in path:
            found = next((pair for node in nodes for pair in _named(node, word)), None)
            if found is None:
                break
            depth, line, nodes = depth + 1, found[0].start_mark.line, [found[1]]
        return depth, self.line + line

    def _nodes(self) -> list[yaml.Node]:
        node = compose_yaml(self.text)
        return [] if node is None else [node]

    def find(self, word: str) -> int | None:
        """Return the line of the first key *word* in the block; None if there is none."""
        nodes = self._nodes()
        for node in nodes:
            if isinstance(node, yaml.MappingNode):
                for key, value in node.value:
                    if key.value == word:
                        return self.line + int(key.start_mark.line)
                    nodes.append(value)
            elif isinstance(node, yaml.SequenceNode):
                nodes += node.value
        return None


def _has(node: yaml.Node, part: str) -> bool:
    """Return whether *part* stands in a text in *node*."""
    if isinstance(node, yaml.MappingNode):
        return any(_has(value, part) for _key, value in node.value)
    return isinstance(node, yaml.ScalarNode) and part in node.value


def _named(node: yaml.Node, word: str) -> Iterator[tuple[yaml.Node, yaml.Node]]:
    """Yield what *word* names directly in *node*: the node that says it, and what belongs to it."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == word or (word[0] == "{" and _has(value, word)):
                yield key, value
        for _key, value in node.value:
            if value.value == word:
                yield value, node
        for _key, value in node.value:  # `when_gone: [{kind: option, set: {state: dropped}}]`
            if isinstance(value, yaml.MappingNode) and any(k.value == word for k, _ in value.value):
                yield from _named(value, word)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            if item.value == word:
                yield item, item
            elif isinstance(item, yaml.MappingNode):
                yield from _named(item, word)
