"""Changes written as people write them: the reverse of `nomoledger.rulebook.changes`."""

from collections.abc import Sequence
from typing import Any

import msgspec
import yaml

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Amend, Change, Do, Enact, Renumber, Repeal, Rule, Set
from nomoledger.rulebook.changes import parse_changes

#: The fields of a rule that nobody writes.
_UNWRITTEN = ("version", "file", "line", "units", "mechanics", "api")


def write_changes(changes: Sequence[Change]) -> str:
    """Return *changes* in YAML; "" if they cannot be written so that they read the same."""
    try:
        data = [_written(change) for change in changes]
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
        again = parse_changes(text, "changes", with_code=False)
    except (RulebookError, yaml.YAMLError, TypeError):
        return ""
    is_same = list(map(_content, again)) == list(map(_content, changes))
    return text if is_same else ""


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines line by line."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)


def _written(change: Change) -> dict[str, Any]:
    """Return *change* as plain values in the notation of changes.

    Raises:
        TypeError: there is no notation for it.
    """
    fields = msgspec.to_builtins(change, enc_hook=str)
    verb = fields.pop("change")
    if isinstance(change, Enact):
        return {verb: _rule(change.rule)}
    if isinstance(change, Amend | Repeal | Renumber):
        return {verb: fields.pop("number"), **fields}
    if isinstance(change, Do):
        return {verb: change.operation, "with": fields.get("arguments", {})}
    if isinstance(change, Set):
        return {verb: {change.kind: change.entity, change.attribute: fields["value"]}}
    raise TypeError(f"no notation for {type(change).__name__}")


def _rule(rule: Rule) -> dict[str, Any]:
    fields = msgspec.to_builtins(rule, enc_hook=str)
    written = {name: value for name, value in fields.items() if name not in _UNWRITTEN}
    for name, unit in rule.units.items():
        written["parameters"][name] = {"value": written["parameters"][name], "unit": unit}
    return written


def _content(change: Change) -> Any:
    """Return what *change* says, without where it stood."""
    if isinstance(change, Enact):
        rule = msgspec.structs.replace(change.rule, file="", line=1, version=1, api=0)
        return Enact(rule)
    return change
