"""YAML as rules, changes and cases are written in it: exact numbers, and no name twice."""

from typing import Any

import yaml

#: How deep lists and tables may be nested, and how many parts there may be in all.
DEPTH_MAX = 60
PARTS_MAX = 2_000_000
_MERGE = "tag:yaml.org,2002:merge"

#: PyYAML's parser in C, which is eight times as fast, where PyYAML was built with it.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class ExactLoader(_SafeLoader):  # type: ignore[misc]
    """A YAML loader that leaves fractions as text: rule number 12.10 is not 12.1.

    It rejects a table that says a name twice, as one of the two would be lost, and data that are
    nested too deeply or far larger than their text.
    """

    def __init__(self, stream: str) -> None:
        """Load the text *stream*.

        Raises:
            yaml.YAMLError: the text is not YAML, or its data are too large.
        """
        _check_size(stream)
        super().__init__(stream)
        self._examined: dict[int, yaml.Node] = {}

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Put the tables that *node* merges into it, once its own names are examined."""
        if id(node) not in self._examined:
            self._examined[id(node)] = node
            _check_names(node)
        super().flatten_mapping(node)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return the value of *node*."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            is_long = isinstance(node, yaml.ScalarNode) and "digits" in str(error)
            text = "a number is too large to be recorded: at most 18 digits"
            raise _fault(node, text if is_long else str(error)) from None


ExactLoader.yaml_implicit_resolvers = {
    key: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:float"]
    for key, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _check_names(node: yaml.MappingNode) -> None:
    seen: set[str] = set()
    for key, _value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            what = "a list" if isinstance(key, yaml.SequenceNode) else "a table"
            raise _fault(key, f"a name is a word or a number, and this is {what}")
        if key.value in seen and key.tag != _MERGE:
            raise _fault(key, f"{key.value!r:.60} is said twice")
        seen.add(key.value)


def _fault(node: yaml.Node, text: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)


def load_yaml(text: str) -> Any:
    """Return the YAML in *text*, with fractions left as text.

    Aliases (`*name`) are read, but what they stand for counts each time.

    >>> load_yaml("{number: 12.10, fine: 5}")
    {'number': '12.10', 'fine': 5}

    Raises:
        yaml.YAMLError: *text* is not YAML, a table says a name twice, or the data are nested too
            deeply or far larger than their text.
    """
    return yaml.load(text, Loader=ExactLoader)


def compose_yaml(text: str) -> yaml.Node | None:
    """Return the nodes of the YAML in *text*, which `load_yaml` has read; None if it is empty.

    The parsers of PyYAML in C and in Python do not accept quite the same.
    """
    node: yaml.Node | None = yaml.compose(text, Loader=_SafeLoader)
    return node


def _check_size(text: str) -> None:
    """Check the depth and the parts of the YAML in *text* before anything is made of it.

    The parser of events needs no recursion. What an alias stands for counts as often as the alias
    is written, so that few lines cannot stand for billions of parts.
    """
    depth, parts = 0, 0
    sizes: dict[str, int] = {}
    under_way: list[tuple[str | None, int]] = []
    for event in yaml.parse(text, Loader=_SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            parts += sizes.get(event.anchor or "", 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            parts, depth = parts + 1, depth + 1
            under_way.append((event.anchor, parts))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
            anchor, before = under_way.pop()
            if anchor is not None:
                sizes[anchor] = parts - before + 1
        elif isinstance(event, yaml.ScalarEvent):
            parts += 1
        if depth > DEPTH_MAX or parts > PARTS_MAX:
            what = f"more than {DEPTH_MAX} lists and tables in each other"
            many = f"more than {PARTS_MAX} parts, aliases counted each time"
            text = what if depth > DEPTH_MAX else many
            mark: Any = event.start_mark
            raise yaml.constructor.ConstructorError(None, None, text, mark)


def yaml_fault(error: yaml.YAMLError, first: int = 1) -> tuple[int, str]:
    """Return the line of *error* and what is wrong there; the YAML begins on line *first*."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or " ".join(str(error).split())
    line = first + (mark.line if mark else 0)
    if isinstance(error, yaml.constructor.ConstructorError):
        return line, what
    context = getattr(error, "context", None)
    return line, f"not YAML: {what}{f' {context}' if context else ''}"
