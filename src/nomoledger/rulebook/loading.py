"""Rulebooks and their file format: Markdown with a heading, prose, data and code per rule.

A long rulebook is a folder of such files, its chapters, read in the order of their names. The first
chapter has the front matter for all of them.

---
rulebook: my-game          (front matter: the name, and the API level of the code)
api: 0
---
### IV.2 Fines             (number and title of a rule; other headings group rules)
The prose of the rule.
```yaml
parameters: {fine: 10}     (data: see `Rule`; also text_only and by_ruling with the reason)
```
```python
def define_fine(player, amount): ...      (Starlark, which is highlighted as Python)
```
"""

import re
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from nomoledger.errors import RulebookError, UnknownError, UsageError
from nomoledger.events.rules import (
    Capabilities,
    Commodity,
    Ending,
    FactMapping,
    PageContent,
    PageTable,
    Rule,
)
from nomoledger.intake.bounds import FILE, Bounds, admitted
from nomoledger.intake.nearest import meant
from nomoledger.intake.unreadable import why_unreadable
from nomoledger.intake.wrong_form import plain_words
from nomoledger.language.host_verbs import API_LEVELS
from nomoledger.rulebook.data_block import DataBlock
from nomoledger.rulebook.exact_yaml import load_yaml, yaml_fault
from nomoledger.rulebook.told import malformed, with_words
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.declared_rules import Ruleset

_HEADING = re.compile(r"(?P<number>[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*)\s+(?P<title>\S.*)$")
_RULE_TAG = "h3"
Value = TypeVar("Value")
_OF_FRONT = ("rulebook", "api")
_OF_DATA = ("yaml",)
_OF_CODE = ("python", "starlark")
_SET_BY_ENGINE = frozenset(
    ("version", "file", "line", "api", "number", "title", "prose", "code", "units", "mechanics")
)


class Rulebook(msgspec.Struct, frozen=True):
    """The rules that a game starts from.

    Attributes:
        name: the name of the rulebook.
        rules: the rules, in order.
        file: the file or folder that they were read from.
        data: the blocks of data of each rule, by its number.
        game: the ruleset of the game whose rules these are, if the game has begun: its level, and
            what its former rules declared.
    """

    name: str
    rules: tuple[Rule, ...]
    file: str = ""
    game: Ruleset | None = None
    data: dict[str, tuple[DataBlock, ...]] = {}

    def line_of(self, number: str, path: tuple[str, ...]) -> int:
        """Return the line of what *path* leads to in the data of the rule *number*."""
        found = [block.line_of(path) for block in self.data.get(number, ())]
        rule = next(rule for rule in self.rules if rule.number == number)
        depth, line = max(found, key=lambda each: each[0], default=(0, rule.line))
        return line if depth else rule.line

    def only(self, numbers: list[str]) -> "Rulebook":
        """Return the rulebook with only the rules *numbers*."""
        known = {rule.number for rule in self.rules}
        if missing := [number for number in numbers if number not in known]:
            raise UnknownError(f"{self.name} has no rule {missing[0]}")
        kept = tuple(rule for rule in self.rules if rule.number in numbers)
        return msgspec.structs.replace(self, rules=kept)

    def with_settings(self, settings: dict[str, Any]) -> "Rulebook":
        """Return the rulebook with parameters set: `squares`, or `VI.1.squares` if ambiguous."""
        rules = list(self.rules)
        for key, value in settings.items():
            place = self._place(key)
            name = key.rpartition(".")[2]
            _check_setting(key, rules[place].parameters[name], value)
            parameters = rules[place].parameters | {name: value}
            rules[place] = msgspec.structs.replace(rules[place], parameters=parameters)
        return msgspec.structs.replace(self, rules=tuple(rules))

    def _place(self, key: str) -> int:
        number, _, name = key.rpartition(".")
        places = [
            i
            for i, rule in enumerate(self.rules)
            if name in rule.parameters and number in ("", rule.number)
        ]
        if len(places) == 1:
            return places[0]
        if places:
            owners = ", ".join(f"{self.rules[i].number}.{name}" for i in places)
            raise UnknownError(f"{self.name}: {key!r} could be any of {owners}: name the rule")
        known = sorted({name for rule in self.rules for name in rule.parameters})
        raise UnknownError(f"{self.name} has no parameter {key!r}; it has {', '.join(known)}")


def _check_setting(key: str, old: Any, new: Any) -> None:
    names = {bool: "yes or no", int: "a whole number", str: "text", list: "a list"}
    if type(new) is not type(old) and type(old) in names:
        raise UsageError(f"{key} is {names[type(old)]}, not {new!r}")


#: The texts of the mechanics that rules can use, by name. They are read when this module is
#: imported, as a sandbox can open no file.
_MECHANICS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted(Path(str(files("nomoledger.rulebook") / "mechanics")).glob("*.md"))
}


def shipped() -> list[str]:
    """Return the names of the shipped rulebooks."""
    return sorted(_shipped())


def _shipped() -> dict[str, Path]:
    folder = Path(str(files("nomoledger.rulebook") / "shipped"))
    return {path.stem: path for path in folder.iterdir() if path.suffix == ".md" or chapters(path)}


def chapters(folder: Path) -> list[Path]:
    """Return the chapters in *folder*, in order; an empty list if it is not a rulebook."""
    return sorted(folder.glob("*.md")) if folder.is_dir() else []


def find_rulebook(name: str) -> Path:
    """Return the path of a rulebook: a shipped one by name, a file, or a folder of chapters.

    Raises:
        UnknownError: there is no such rulebook.
    """
    by_name = _shipped()
    if name in by_name:
        return by_name[name]
    path = Path(name)
    if path.is_dir() and not chapters(path):
        raise UnknownError(
            f"no rulebook {name!r}: that folder has no chapters, that is no .md file"
        )
    if not path.exists():
        listed = ", ".join(sorted(by_name))
        raise UnknownError(f"no rulebook {name!r}: there is no such file, and shipped are {listed}")
    return path


def load(name: str) -> Rulebook:
    """Return the rulebook called *name*, or the one in the file or folder *name*.

    Raises:
        UnknownError: there is no such rulebook.
        RulebookError: the rulebook is not well formed. The message has file and line.
    """
    path = find_rulebook(name).resolve()
    if not path.is_dir():
        return parse(_text(path), path.name)
    texts = {f"{path.name}/{chapter.name}": _text(chapter) for chapter in chapters(path)}
    return call_in_sandbox(_join_chapters, texts, path.name, kind=Rulebook)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RulebookError(f"{path} cannot be read: {why_unreadable(error)}") from None


def parse(text: str, file: str) -> Rulebook:
    """Parse the rulebook in *text*; *file* is for messages.

    Raises:
        RulebookError: the rulebook is not well formed. The message has file and line.
    """
    return call_in_sandbox(_join_chapters, {file: text}, file, kind=Rulebook)


def _join_chapters(texts: dict[str, str], file: str) -> Rulebook:
    """Return the rulebook whose chapters are *texts*, by file name."""
    head: dict[str, Any] = {}
    rules: list[Rule] = []
    data: dict[str, tuple[DataBlock, ...]] = {}
    for place, (name, text) in enumerate(texts.items()):
        front, body, offset = _front_matter(text, name)
        if place == 0:
            head = front
            _check_api(front, text, name)
        elif front:
            raise RulebookError(f"{name}:1: front matter stands in the first chapter, for all")
        parsed = MarkdownIt("commonmark").parse(body)
        _check_blocks(parsed, name, offset)
        for heading, tokens in _sections(parsed):
            rule, blocks = _rule(heading, tokens, body.splitlines(), name, offset)
            if any(earlier.number == rule.number for earlier in rules):
                raise _error(name, offset, heading, f"there are two rules {rule.number}")
            rules.append(msgspec.structs.replace(rule, api=head.get("api", 0)))
            data[rule.number] = blocks
    _check_told(rules, texts)
    if not rules:
        raise RulebookError(f"{file}: no rules in it; a rule begins with a heading: ### I.1 Title")
    name = str(head.get("rulebook", file.removesuffix(".md")))
    return Rulebook(name, tuple(rules), file, data=data)


def _check_told(rules: list[Rule], texts: dict[str, str]) -> None:
    """Check the texts under `told`.

    Raises:
        RulebookError: one is not well formed.
    """
    faults = [fault for rule in rules for fault in malformed(rule)]
    for rule, near, what in faults:
        lines = texts[rule.file].splitlines()
        heading = re.compile(rf"###\s+{re.escape(rule.number)}\s")
        start = next((i for i, line in enumerate(lines) if heading.match(line)), 0)
        told = _line_with("told:", lines, start)
        line = _line_with(near, lines, told) + 1
        raise RulebookError(f"{rule.file}:{line}: rule {rule.number}: told: {what}")


def _line_with(text: str, lines: list[str], start: int) -> int:
    """Return the index of the first line from *start* on with *text* in it; else *start*."""
    return next((i for i, line in enumerate(lines[start:], start) if text in line), start)


def _front_matter(text: str, file: str) -> tuple[dict[str, Any], str, int]:
    match = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    if match is None:
        return {}, text, 0
    try:
        front = load_yaml(match[1]) or {}
    except yaml.YAMLError as error:
        line, what = yaml_fault(error, 2)
        raise RulebookError(f"{file}:{line}: the front matter: {what}") from None
    if not isinstance(front, dict):
        raise RulebookError(f"{file}:1: the front matter must be `name: value` lines")
    for key in front:
        if key not in _OF_FRONT:
            lines = match[1].splitlines()
            line = 2 + _line_with(str(key), lines, 0)
            what = f"unknown word {key!r}{meant(str(key), _OF_FRONT)}"
            raise RulebookError(f"{file}:{line}: the front matter: {what}")
    return front, text[match.end() :], text[: match.end()].count("\n")


def _check_api(front: dict[str, Any], text: str, file: str) -> None:
    api = front.get("api", 0)
    if type(api) is int and api in API_LEVELS:
        return
    line = next((i for i, line in enumerate(text.splitlines(), 1) if line.startswith("api:")), 1)
    known = ", ".join(map(str, API_LEVELS))
    raise RulebookError(f"{file}:{line}: unknown api {api!r}: this nomoledger knows api {known}")


def _sections(tokens: list[Token]) -> list[tuple[Token, list[Token]]]:
    sections: list[tuple[Token, list[Token]]] = []
    inside = False
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            inside = token.tag == _RULE_TAG
            if inside:
                sections.append((tokens[i + 1], []))
        elif inside and tokens[i - 1].type != "heading_open" and token.type != "heading_close":
            sections[-1][1].append(token)
    return sections


def _check_blocks(tokens: list[Token], file: str, offset: int) -> None:
    """Check that every block of data or code belongs to a rule.

    Raises:
        RulebookError: one stands under another heading.
    """
    inside = False
    for token in tokens:
        if token.type == "heading_open":
            inside = token.tag == _RULE_TAG
        elif token.type == "fence" and token.info.strip() in (*_OF_DATA, *_OF_CODE) and not inside:
            text = "this block belongs to no rule: a rule begins with a heading: ### I.1 Title"
            raise _error(file, offset, token, text)


def _rule(
    heading: Token, tokens: list[Token], lines: list[str], file: str, offset: int
) -> tuple[Rule, tuple[DataBlock, ...]]:
    """Return the rule under *heading*, and the blocks of its data."""
    match = _HEADING.match(heading.content)
    if match is None:
        raise _error(file, offset, heading, f"not a number and a title: {heading.content!r}")
    prose: list[str] = []
    data: dict[str, Any] = {}
    blocks: list[DataBlock] = []
    code, line = "", 1
    for token in tokens:
        if token.level != 0 or token.map is None:
            continue
        if token.type == "fence" and token.info.strip() in _OF_DATA:
            blocks.append(DataBlock(token.map[0] + 2 + offset, token.content))
            data |= _data(blocks[-1], file, match["number"])
        elif token.type == "fence" and token.info.strip() in _OF_CODE:
            if code:
                raise _error(file, offset, token, f"rule {match['number']} has two pieces of code")
            code, line = token.content, token.map[0] + 2 + offset
        else:
            prose.append("\n".join(lines[token.map[0] : token.map[1]]).strip())
    fields = {"number": match["number"], "title": match["title"], "code": code}
    fields |= {"prose": "\n\n".join(prose), "file": file, "line": line}
    at = (heading.map[0] if heading.map else 0) + 1 + offset
    return _convert(data | fields, blocks, at), tuple(blocks)


def _data(block: DataBlock, file: str, number: str) -> dict[str, Any]:
    try:
        data = load_yaml(block.text) or {}
    except yaml.YAMLError as error:
        line, what = yaml_fault(error, block.line)
        raise RulebookError(f"{file}:{line}: rule {number}: {what}") from None
    if not isinstance(data, dict):
        text = "a rule's data must be `name: value` lines"
        raise RulebookError(f"{file}:{block.line}: rule {number}: {text}")
    return data


def _convert(fields: dict[str, Any], blocks: list[DataBlock], at: int) -> Rule:
    """Return the rule with these *fields*; errors are on the line *at*, unless data is wrong."""
    number, file = fields["number"], fields["file"]

    if "told" in fields:
        fields |= {"told": with_words(fields["told"])}

    def error_in(word: str, text: str) -> RulebookError:
        lines = [line for block in blocks if (line := block.find(word)) is not None]
        return RulebookError(f"{file}:{lines[0] if lines else at}: rule {number}: {text}")

    for word in fields:
        if word not in Rule.__struct_fields__:
            known = set(Rule.__struct_fields__) - _SET_BY_ENGINE
            raise error_in(str(word), f"unknown data {word!r}{meant(str(word), known)}")
    try:
        rule = msgspec.convert(with_rule_numbers(split_units(fields)), Rule)
    except msgspec.ValidationError as error:
        unknown = re.match(r"Object contains unknown field `(\w+)`", str(error))
        path = re.search(r"\$\.(\w+)", str(error))
        word = unknown[1] if unknown else path[1] if path else ""
        text = plain_words(error) + (_meant_field(word) if unknown else "")
        raise error_in(word, text) from None
    for name in rule.uses:
        if name not in _MECHANICS:
            raise error_in("uses", _no_mechanic(name))
    rule = with_mechanics(rule)
    try:
        rule = recordable(rule)
    except RulebookError as error:
        raise error_in("", str(error)) from None
    states = [bool(rule.code or rule.uses), rule.text_only is not None, rule.by_ruling is not None]
    if sum(states) != 1:
        text = "needs code, or text_only or by_ruling with a reason, and just one"
        raise RulebookError(f"{file}:{at}: rule {number} {text}")
    return rule


def _meant_field(word: str) -> str:
    """Return which field of a fact, of capabilities or of an ending *word* is meant for."""
    structs = (FactMapping, Capabilities, Ending, Commodity, PageContent, PageTable)
    return meant(word, {name for struct in structs for name in struct.__struct_fields__})


def split_units(data: dict[str, Any]) -> dict[str, Any]:
    """Return the *data* of a rule with the units of its parameters in a table of their own.

    >>> split_units({"parameters": {"fine": {"value": 10, "unit": "dollars"}, "dice": 2}})
    {'parameters': {'fine': 10, 'dice': 2}, 'units': {'fine': 'dollars'}}
    """
    parameters = data.get("parameters")
    if not isinstance(parameters, dict):
        return data
    values, units = {}, {}
    for name, value in parameters.items():
        if isinstance(value, dict) and set(value) == {"value", "unit"}:
            values[name], units[name] = value["value"], value["unit"]
        else:
            values[name] = value
    return data | {"parameters": values} | ({"units": units} if units else {})


def with_rule_numbers(data: dict[str, Any]) -> dict[str, Any]:
    """Return the *data* of a rule with the numbers of other rules as texts: YAML reads 5 as 5.

    >>> with_rule_numbers({"overrides": [5, "VII.2"]})
    {'overrides': ['5', 'VII.2']}
    """
    if not isinstance(data.get("overrides"), list):
        return data
    numbers = [str(one) if type(one) is int else one for one in data["overrides"]]
    return data | {"overrides": numbers}


def with_mechanics(rule: Rule) -> Rule:
    """Return *rule* with a copy of the mechanics that it uses, code and declarations.

    A mechanic may use other mechanics, and replace functions of them.

    Raises:
        RulebookError: there is no such mechanic.
    """
    mechanics = {name: _mechanic(name, rule.number) for name in rule.uses}
    declares = {kind: dict(table) for kind, table in rule.declares.items()}
    codes: dict[str, str] = {}
    for name, mechanic in mechanics.items():
        codes |= {name: mechanic.code} | mechanic.mechanics
        for kind, table in mechanic.declares.items():
            declares[kind] = table | declares.get(kind, {})
    return msgspec.structs.replace(
        rule,
        mechanics=codes,
        declares=declares,
        moments={name: m for each in mechanics.values() for name, m in each.moments.items()}
        | rule.moments,
        when_gone=(*rule.when_gone, *(e for each in mechanics.values() for e in each.when_gone)),
    )


def mechanics() -> list[Rule]:
    """Return the mechanics that rules can use, by name: the number of each is its name."""
    return [_read_mechanic(name) for name in _MECHANICS]


def _mechanic(name: str, number: str) -> Rule:
    if name not in _MECHANICS:
        raise RulebookError(f"rule {number}: {_no_mechanic(name)}")
    return _read_mechanic(name)


def _no_mechanic(name: str) -> str:
    hint = meant(name, _MECHANICS) or f"; there is {', '.join(_MECHANICS)}"
    return f"no mechanic {name!r:.60}{hint}"


@lru_cache
def _read_mechanic(name: str) -> Rule:
    text = _MECHANICS[name]
    [(heading, tokens)] = _sections(MarkdownIt("commonmark").parse(text))
    rule, _data_blocks = _rule(heading, tokens, text.splitlines(), f"{name}.md", 0)
    return rule


def recordable(value: Value, bounds: Bounds = FILE) -> Value:
    """Return *value*, which is within *bounds*, as events can hold it.

    Raises:
        RulebookError: *value* is too large, or not plain data (see `nomoledger.intake.bounds`).
    """
    try:
        return admitted(value, "", bounds)
    except UsageError as error:
        raise RulebookError(str(error)) from None


def _error(file: str, offset: int, token: Token, text: str) -> RulebookError:
    line = (token.map[0] if token.map else 0) + 1 + offset
    return RulebookError(f"{file}:{line}: {text}")
