"""The format of case files, and their parser.

A YAML file has one case, several separated by `---`, or a list under `cases:`. Other fields next to
`cases:` are defaults for all of them. Unknown fields are errors, except that `given`, `then` and
`pending` also take the plural of any kind that the rules declare (`options: [...]`); these entries
are stored in `things`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from nomoledger.errors import RulebookError, UnknownError
from nomoledger.intake.bounds import CASE
from nomoledger.intake.unreadable import why_unreadable
from nomoledger.intake.wrong_form import plain_words
from nomoledger.rulebook.cases.parts import Part, parts_of
from nomoledger.rulebook.exact_yaml import ExactLoader, yaml_fault
from nomoledger.rulebook.loading import find_rulebook, recordable
from nomoledger.sandbox.sandbox import call_in_sandbox

Table = dict[Any, Any]
Things = dict[str, Any]


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state before the first step.

    Attributes:
        board: the number of squares, which sets the parameter `squares`.
        settings: other parameters, by name (or as `VI.1.squares` if the name is ambiguous).
        time: when the case begins. period: the number of the open period.
        players, squares: their attributes, by name or number; the rules decide all others.
        accounts: the balances of accounts that belong to nobody, by default 0.
        game: attributes of the game itself.
        last: when something last happened, by event: a time, or times by player.
        timers: what is to come: `do`, `with`, `at`, `by`.
        rulings, proposals: those made before the first step.
        things: entities of other kinds, by the plural of the kind.
    """

    board: int | None = None
    settings: dict[str, Any] = {}
    time: Any = None
    period: int = 1
    players: Table = {}
    squares: Table = {}
    accounts: Table = {}
    game: dict[str, Any] = {}
    last: dict[str, Any] = {}
    timers: list[Table] = []
    rulings: list[Table] = []
    proposals: list[Table] = []
    things: Things = {}


class Pending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is still open: questions (part of their text), proposals, timers and *things*."""

    questions: list[str] | Table | None = None
    proposals: list[int] | None = None
    timers: int | None = None
    things: Things = {}

    @property
    def is_nothing(self) -> bool:
        """Whether nothing may be open."""
        return self == Pending()


class ValueQuery(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"with_": "with", "is_": "is"}
):
    """The value that the rules must return for *value* with the arguments *with_*."""

    value: str
    is_: Any
    with_: dict[str, Any] = {}


class Then(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The expected state. See docs/cases.md for how each part is compared."""

    board: int | None = None
    players: Table = {}
    squares: Table = {}
    accounts: Table = {}
    payments: list[Table] | Table | None = None
    moves: list[Table] | Table | None = None
    whole: bool = False
    values: list[ValueQuery] = []
    rules: Table = {}
    game: dict[str, Any] = {}
    pending: Pending | None = None
    things: Things = {}


class CaseStep(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"with_": "with", "is_": "is"}
):
    """A step: somebody acts, or (with *value*) the rules are asked for a value.

    Attributes:
        do: the action. by: who acts. with_: its arguments. at: its time, by default unchanged.
        dice, draws, answers: the results and answers to use when the step asks for them.
        refused: the rule or rules that must refuse the step, or what follows from it; True if any
            may. A table says what is refused, and by which rules: `act`, or an operation.
        asks: part of the text of the question that the step leaves open.
        value, is_: the value asked for, and what it must be.
        then: the expected state after the step; only what it names is compared.
        note: a comment.
    """

    do: str | None = None
    by: str | None = None
    with_: dict[str, Any] = {}
    at: Any = None
    dice: Any = None
    draws: Any = None
    answers: Any = None
    refused: bool | str | list[str] | dict[str, bool | str | list[str]] = False
    asks: str | None = None
    value: str | None = None
    is_: Any = msgspec.UNSET
    then: Then | None = None
    note: str = ""


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case as written; *note* and *cites* (the rules it is about) are for the reader.

    *rules* names the rules that are in force, and *without* those of them that are left out: a
    number, or the first part of several numbers (`XIV` for `XIV.1` and `XIV.2`).
    """

    case: str
    rulebook: str
    rules: str | list[str] = "all"
    without: list[str] = []
    note: str = ""
    cites: list[str] = []
    given: Given = Given()
    steps: list[CaseStep] = []
    then: Then = Then()


class Case(msgspec.Struct, frozen=True):
    """A case and its location.

    Attributes:
        source: its text, to search for rule numbers.
        fault: what is wrong with it, so that it cannot be run; "" for nothing.
    """

    name: str
    file: str
    line: int
    body: Body
    source: str = ""
    fault: str = ""

    @property
    def place(self) -> str:
        """Return file, line and name, for messages."""
        return f"{self.file}:{self.line}: {self.name}"


def load_cases(path: str | Path, *, keeps_faulty: bool = False) -> list[Case]:
    """Return the cases in the file *path*, or in all `.yaml` files of that folder.

    With *keeps_faulty*, a case that is not well formed is among them, and says so in its `fault`.

    Raises:
        UnknownError: there is no such file.
        RulebookError: a file is not well formed. The message has file, line and case.
    """
    path = Path(path)
    return parse_cases({str(file): _text(file) for file in _files(path)}, keeps_faulty=keeps_faulty)


def _files(path: Path) -> list[Path]:
    return sorted(path.rglob("*.yaml")) if path.is_dir() else [path]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnknownError(f"no cases: there is no file or folder {str(path)!r}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise RulebookError(f"{path} cannot be read: {why_unreadable(error)}") from None


def cases_beside(name: str, *, keeps_faulty: bool = False) -> list[Case]:
    """Return the cases in the folder `cases/NAME/` beside the rulebook *name*.

    Raises:
        UnknownError, RulebookError: see `load_cases`.
    """
    folder = _folder_beside(name)
    return load_cases(folder, keeps_faulty=keeps_faulty) if folder.is_dir() else []


def _folder_beside(name: str) -> Path:
    book = find_rulebook(name).resolve()
    return book.parent / "cases" / book.stem


def texts_beside(name: str) -> dict[str, str]:
    """Return the texts of the cases beside the rulebook *name*, by file within their folder.

    Raises:
        UnknownError, RulebookError: see `load_cases`.
    """
    folder = _folder_beside(name)
    files = _files(folder) if folder.is_dir() else []
    return {file.relative_to(folder).as_posix(): _text(file) for file in files}


def parse_cases(texts: dict[str, str], *, keeps_faulty: bool = False) -> list[Case]:
    """Return the cases in *texts*; the files are for messages and relative names.

    Raises:
        RulebookError: see `load_cases`.
    """
    cases = call_in_sandbox(_parse_all, texts, kind=list[Case])
    faulty = next((case for case in cases if case.fault), None)
    if faulty is not None and not keeps_faulty:
        raise RulebookError(f"{faulty.place}: {faulty.fault}" if faulty.name else faulty.fault)
    return cases


def _parse_all(texts: dict[str, str]) -> list[Case]:
    return [case for file, text in texts.items() for case in _parse(text, file)]


def _parse(text: str, file: str) -> Iterator[Case]:
    """Yield the cases in *text*; where it is no YAML, those of its parts that are."""
    try:
        found = list(_documents(text))
    except yaml.YAMLError as error:
        line, what = yaml_fault(error)
        parts = list(parts_of(text))
        if len(parts) < 2:
            yield _faulty("", file, line, f"{file}:{line}: {what}")
        for part in parts if len(parts) > 1 else ():
            yield from _parse_part(part, file)
        return
    for raw, line in found:
        yield _case(raw, file, line)


def _parse_part(part: Part, file: str) -> Iterator[Case]:
    try:
        for raw, line in _documents(part.text):
            yield _case(raw, file, line + part.lines_before)
    except yaml.YAMLError as error:
        line, what = yaml_fault(error)
        yield _faulty(part.name, file, line + part.lines_before, what)


def _faulty(name: str, file: str, line: int, fault: str) -> Case:
    body = Body(case=name, rulebook="")
    return Case(name=name, file=file, line=line, body=body, fault=fault)


def _documents(text: str) -> Iterator[tuple[Any, int]]:
    loader = ExactLoader(text)
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
        for item, child in zip(raw["cases"] or (), _children(node, "cases"), strict=True):
            case = common | item if isinstance(item, dict) else item
            yield case, child.start_mark.line + 1


def _children(node: yaml.Node, key: str) -> list[yaml.Node]:
    for name, value in node.value:
        if name.value == key:
            return list(value.value)
    return []


def _case(raw: Any, file: str, line: int) -> Case:
    name = str(raw.get("case", "a case without a name")) if isinstance(raw, dict) else "?"
    try:
        body = msgspec.convert(_expand(raw), Body)
        body = recordable(body, CASE)
    except msgspec.ValidationError as error:
        return _faulty(name, file, line, plain_words(error))
    except RulebookError as error:
        return _faulty(name, file, line, str(error))
    return Case(name=body.case, file=file, line=line, body=body, source=str(raw))


def _expand(raw: Any) -> Any:
    """Return *raw* with shorthands expanded: lists of players, plurals of kinds, `none`."""
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
        raw["steps"] = [_step(item) if isinstance(item, dict) else item for item in raw["steps"]]
    return {key: value for key, value in raw.items() if value is not None}


def _step(raw: dict[str, Any]) -> dict[str, Any]:
    step = dict(raw)
    if "then" in raw:
        step["then"] = _part(raw["then"], Then)
    if "refused" in raw:
        step["refused"] = _numbers(raw["refused"])
    return step


def _numbers(rules: Any) -> Any:
    """Return the numbers of rules as text, including those that YAML reads as integers."""
    if isinstance(rules, list):
        return [_numbers(rule) for rule in rules]
    if isinstance(rules, dict):
        return {str(what): _numbers(by) for what, by in rules.items()}
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
    if isinstance(named, list) and _are_names(named):
        return {name: {} for name in named}
    if isinstance(named, dict):
        return {key: _row(value) for key, value in named.items()}
    return {} if named is None else named


def _are_names(value: Any) -> bool:
    """Return whether *value* is a list of names or numbers."""
    return isinstance(value, list) and all(isinstance(item, str | int) for item in value)


def _row(row: Any) -> Any:
    """Return the attributes in *row*, with `statuses: [speeding]` as `speeding: yes`."""
    if row is None:
        return {}
    if isinstance(row, dict) and _are_names(row.get("statuses")):
        attributes = {key: value for key, value in row.items() if key != "statuses"}
        return attributes | dict.fromkeys(row["statuses"], True)
    return row
