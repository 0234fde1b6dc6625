"""The shape of a case file, and reading it: YAML, one case or several.

A file holds one case, several parted by `---`, or a list of them under `cases:` (beside which
any other field may stand once for all that do not have it). Whatever is not a field of these
structs is a mistake, except that `given`, `then` and `pending` also take the plural of any kind of
thing that the rules declare (`options: [...]`); those land in `things`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nomoledger.errors import RulebookError, UnknownError
from nomoledger.rulebook.loading import ExactLoader, find_rulebook

Table = dict[Any, Any]
Things = dict[str, Any]
_MERGE = "tag:yaml.org,2002:merge"


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How things stand before the first step.

    Attributes:
        board: the number of squares: sets the parameter `squares`.
        settings: any other parameters, by name (or `VI.1.squares` where the name is ambiguous).
        time: when the case begins. period: the number of the period that is open then.
        players, squares: what is so of each, by name or number; unnamed ones are as the rules say.
        accounts: what is in the accounts that belong to nobody, 0 where not stated.
        game: attributes of the game itself.
        rulings, proposals: made before the first step.
        things: things of other kinds, by the plural of the kind.
    """

    board: int | None = None
    settings: dict[str, Any] = {}
    time: Any = None
    period: int = 1
    players: Table = {}
    squares: Table = {}
    accounts: Table = {}
    game: dict[str, Any] = {}
    rulings: list[Table] = []
    proposals: list[Table] = []
    things: Things = {}


class Pending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is still open: questions (a part of their text), proposals, timers, and *things*."""

    questions: list[str] | None = None
    proposals: list[int] | None = None
    timers: int | None = None
    things: Things = {}

    @property
    def is_nothing(self) -> bool:
        """Whether it says that nothing at all is open."""
        return self == Pending()


class ValueQuery(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"with_": "with", "is_": "is"}
):
    """What the rules must say when asked for *value* with the arguments *with_*."""

    value: str
    is_: Any
    with_: dict[str, Any] = {}


class Then(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be so. See docs/cases.md for what each part compares."""

    board: int | None = None
    players: Table = {}
    squares: Table = {}
    accounts: Table = {}
    payments: list[Table] | None = None
    values: list[ValueQuery] = []
    rules: Table = {}
    game: dict[str, Any] = {}
    pending: Pending | None = None
    things: Things = {}


class CaseStep(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"with_": "with", "is_": "is"}
):
    """Something that somebody does, or (with *value*) a question put to the rules.

    Attributes:
        do: the action. by: who. with_: its arguments. at: when (else with the step before).
        dice, draws, answers: what chance and people say when the step asks.
        refused: the rule, or rules, that must say no; True where any may.
        asks: a part of the text of the question that the step leaves open.
        value, is_: the value asked for, and what it must be.
        then: what must be so after the step; only what it names.
        note: for the reader.
    """

    do: str | None = None
    by: str | None = None
    with_: dict[str, Any] = {}
    at: Any = None
    dice: Any = None
    draws: Any = None
    answers: Any = None
    refused: bool | str | list[str] = False
    asks: str | None = None
    value: str | None = None
    is_: Any = msgspec.UNSET
    then: Then | None = None
    note: str = ""


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case as it is written; *note* and *cites* (rules it is about) are for the reader."""

    case: str
    rulebook: str
    rules: str | list[str] = "all"
    note: str = ""
    cites: list[str] = []
    given: Given = Given()
    steps: list[CaseStep] = []
    then: Then = Then()


class Case(msgspec.Struct, frozen=True):
    """A case, and where it stands. *source* is its text as read, to look for rules in."""

    name: str
    file: str
    line: int
    body: Body
    source: str = ""

    @property
    def place(self) -> str:
        """File, line and name, for messages."""
        return f"{self.file}:{self.line}: {self.name}"


class _Loader(ExactLoader):
    """Like `ExactLoader`, but what is said twice is a mistake."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Table:
        said: set[str] = set()
        for key, _ in node.value:
            if key.value in said and key.tag != _MERGE:
                raise yaml.constructor.ConstructorError(
                    None, None, f"{key.value!r} is said twice", key.start_mark
                )
            said.add(str(key.value))
        return super().construct_mapping(node, deep)


def load_cases(path: str | Path) -> list[Case]:
    """The cases in the file *path*, or in all `.yaml` files of that folder.

    Raises:
        UnknownError: there is no such file.
        RulebookError: a file is not well formed; says file, line and case.
    """
    path = Path(path)
    if path.is_dir():
        return [case for each in sorted(path.rglob("*.yaml")) for case in load_cases(each)]
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnknownError(f"no cases: there is no file or folder {str(path)!r}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RulebookError(f"{path}: cannot be read: {error}") from None
    return list(parse_cases(text, str(path)))


def cases_beside(name: str) -> list[Case]:
    """The cases that stand beside the rulebook called *name* (or in that file): `cases/NAME/`.

    Raises:
        UnknownError, RulebookError: see `load_cases`.
    """
    book = find_rulebook(name).resolve()
    folder = book.parent / "cases" / book.stem
    return load_cases(folder) if folder.is_dir() else []


def parse_cases(text: str, file: str) -> Iterator[Case]:
    """The cases written in *text*; *file* is for messages, and for what they name relative to it.

    Raises:
        RulebookError: see `load_cases`.
    """
    try:
        for raw, line in _documents(text):
            yield _case(raw, file, line)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or " ".join(str(error).split())
        raise RulebookError(f"{file}:{mark.line + 1 if mark else 1}: {what}") from None


def _documents(text: str) -> Iterator[tuple[Any, int]]:
    loader = _Loader(text)
    while loader.check_node():
        node = loader.get_node()
        assert node is not None
        raw = loader.construct_document(node)
        if raw is None:
            continue
        if not isinstance(raw, dict) or "cases" not in raw:
            yield raw, node.start_mark.line + 1
            continue
        common = {key: value for key, value in raw.items() if key != "cases"}
        for each, child in zip(raw["cases"] or (), _children(node, "cases"), strict=True):
            whole = common | each if isinstance(each, dict) else each
            yield whole, child.start_mark.line + 1


def _children(node: yaml.Node, key: str) -> list[yaml.Node]:
    for name, value in node.value:
        if name.value == key:
            return list(value.value)
    return []


def _case(raw: Any, file: str, line: int) -> Case:
    name = str(raw.get("case", "a case without a name")) if isinstance(raw, dict) else "?"
    try:
        body = msgspec.convert(_arranged(raw), Body)
    except msgspec.ValidationError as error:
        raise RulebookError(f"{file}:{line}: {name}: {_explained(str(error))}") from None
    return Case(name=body.case, file=file, line=line, body=body, source=str(raw))


def _arranged(raw: Any) -> Any:
    """*raw* with the shorthands written out: lists of players, plurals of kinds, `none`."""
    if not isinstance(raw, dict):
        return raw
    raw = dict(raw)
    for key, struct in (("given", Given), ("then", Then)):
        if key in raw:
            raw[key] = _part(raw[key], struct)
    for key in ("rules", "cites"):
        if key in raw:
            raw[key] = _numbers(raw[key])
    if isinstance(raw.get("steps"), list):
        raw["steps"] = [_step(each) if isinstance(each, dict) else each for each in raw["steps"]]
    return {key: value for key, value in raw.items() if value is not None}


def _step(raw: dict[str, Any]) -> dict[str, Any]:
    arranged = dict(raw)
    if "then" in raw:
        arranged["then"] = _part(raw["then"], Then)
    if "refused" in raw:
        arranged["refused"] = _numbers(raw["refused"])
    return arranged


def _numbers(rules: Any) -> Any:
    """Numbers of rules as text, also those that are plain numbers."""
    if isinstance(rules, list):
        return [_numbers(each) for each in rules]
    return str(rules) if type(rules) is int else rules


def _part(part: Any, struct: type[Given] | type[Then] | type[Pending]) -> Any:
    if part is None or part in ("none", "nothing"):
        return {}
    if not isinstance(part, dict):
        return part
    known = struct.__struct_encode_fields__
    kept = {key: value for key, value in part.items() if key in known and key != "things"}
    kept["things"] = {str(key): value for key, value in part.items() if key not in known}
    for key in ("players", "squares"):
        if key in kept:
            kept[key] = _by_name(kept[key])
    if "pending" in kept:
        kept["pending"] = _part(kept["pending"], Pending)
    return kept


def _by_name(named: Any) -> Any:
    if isinstance(named, list):
        return {each: {} for each in named}
    if isinstance(named, dict):
        return {key: _row(value) for key, value in named.items()}
    return {} if named is None else named


def _row(row: Any) -> Any:
    """A player or square as told, with `statuses: [speeding]` written out as `speeding: yes`."""
    if row is None:
        return {}
    if isinstance(row, dict) and isinstance(row.get("statuses"), list):
        rest = {key: value for key, value in row.items() if key != "statuses"}
        return rest | dict.fromkeys(row["statuses"], True)
    return row


def _explained(text: str) -> str:
    what, _, path = text.partition(" - at `$")
    place = path.removesuffix("`").lstrip(".")
    return f"{place}: {what}" if place else what
