r"""The notation of changes to the game in cases, on the command line and in records.

{do: paint, with: {square: 1, color: red}}
{set: {square: 1, color: red}}              the first key names the entity, the others set
{amend: V.1, parameters: {dollars_per_number: 20}}       also title, prose, code, mentions
{amend: V.1, functions: {value_rent: "def value_rent(square):\n    return 1"}}    null removes it
{amend: V.1, entries: {colors: [[red, pink], [blue, null], [null, gold]]}}        old and new
{enact: {number: X.1, title: Tax, prose: ..., code: ...}}
{repeal: V.1, state: drop}                  state: keep (the default), freeze or drop
{renumber: V.1, to: V.2}
{post: {Ann: 5, admin: -5}, commodity: "$", why: ...}       amounts sum to 0
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec
import yaml

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Amend, Change, Do, Enact, Post, Renumber, Repeal, Rule, Set
from nomoledger.intake.short_text import shortened
from nomoledger.intake.wrong_form import plain_words
from nomoledger.language.amendments import REPEAL_STATES
from nomoledger.language.code import parse_code, replace_functions
from nomoledger.rulebook.exact_yaml import load_yaml, yaml_fault
from nomoledger.rulebook.loading import (
    recordable,
    split_units,
    with_mechanics,
    with_rule_numbers,
)
from nomoledger.rulebook.told import malformed, with_words
from nomoledger.sandbox.sandbox import call_in_sandbox

_AMENDED = (
    *("title", "prose", "code", "parameters", "declares", "commodities", "facts", "told"),
    *("pages", "mentions", "subjects", "functions", "entries"),
)
#: How many places an amount may have before or after the point, to be added up.
_EXPONENT_MAX = 1000
_SET_BY_ENGINE = {"version", "file", "line", "units", "mechanics"}


def read_changes(data: Any) -> tuple[Change, ...]:
    """Return the changes in *data*: one change or a list of them, as plain values.

    >>> read_changes([{"renumber": "V.1", "to": "V.2"}])
    (Renumber(number='V.1', to='V.2'),)

    Raises:
        RulebookError: a change is not well formed, or its code cannot be parsed.
    """
    return call_in_sandbox(_read_all, data, kind=tuple[Change, ...])


def parse_changes(text: str, file: str, *, with_code: bool = True) -> tuple[Change, ...]:
    """Return the changes in the YAML *text*; *file* is for messages.

    Without *with_code*, the code in the changes is not read: `check_code` does that.

    Raises:
        RulebookError: *text* is not YAML, has no change, or a change is not well formed.
    """
    return call_in_sandbox(_parse, text, file, with_code, kind=tuple[Change, ...])


def _parse(text: str, file: str, with_code: bool) -> tuple[Change, ...]:
    try:
        changes = _read_all(load_yaml(text), with_code)
    except yaml.YAMLError as error:
        line, what = yaml_fault(error)
        raise RulebookError(f"{file}:{line}: {what}") from None
    except RulebookError as error:
        raise RulebookError(shortened(f"{file}: {error}")) from None
    if not changes:
        raise RulebookError(
            f"{file}: there is no change in it: write one, such as {{repeal: IV.2}}"
        )
    return changes


def _read_all(data: Any, with_code: bool = True) -> tuple[Change, ...]:
    if data is None:
        return ()
    items = data if isinstance(data, list | tuple) else [data]
    changes = tuple(change for item in items for change in _read(item))
    changes = recordable(changes)
    if with_code:
        check_code(changes)
    return changes


def check_code(changes: tuple[Change, ...]) -> None:
    """Check that the code in *changes* can be read. Call this in a sandbox.

    Raises:
        RulebookError: code is not in the language of rules.
    """
    for change in changes:
        if isinstance(change, Enact):
            parse_code(change.rule)
        elif isinstance(change, Amend):
            if change.code is not None:
                parse_code(Rule(number=change.number, code=change.code))
            written = {name: code for name, code in change.functions.items() if code is not None}
            replace_functions(Rule(number=change.number), written)


def change_to(rule: Rule, old: Rule | None) -> Enact | Amend:
    """Return the change that brings in *rule* from a file of rules.

    It amends *old*, the rule in force with the same number; if there is none, it enacts *rule*.
    """
    if old is None:
        return Enact(rule)
    data = ("declares", "commodities", "facts", "pages")
    new = {name: value for name in data if (value := getattr(rule, name)) != getattr(old, name)}
    return Amend(rule.number, rule.title, rule.prose, rule.code, rule.parameters, **new)


def _read(item: Any) -> tuple[Change, ...]:
    kinds = [kind for kind in _READERS if isinstance(item, dict) and kind in item]
    if len(kinds) != 1:
        raise RulebookError(
            f"a change says one of {', '.join(_READERS)}, and this does not: {item!s:.60}"
        )
    return _READERS[kinds[0]](item)


def _fields(one: dict[str, Any], *known: str) -> dict[str, Any]:
    if unknown := sorted(set(map(str, one)) - set(known)):
        raise RulebookError(f"a change has no {unknown[0]!r}; {known[0]} takes {', '.join(known)}")
    return one


def _table(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RulebookError(f"{what} must be `name: value` pairs, not {value!r}")
    return {str(key): item for key, item in value.items()}


def _do(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "do", "with")
    return (Do(str(one["do"]), _table(one.get("with") or {}, "with")),)


def _set(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "set")
    (kind, thing), *attributes = _table(one["set"], "set").items() or [("", None)]
    if not attributes:
        raise RulebookError(f"set needs a thing and an attribute: set: {{square: 1, ...}}: {one}")
    return tuple(Set(kind, thing, attribute, value) for attribute, value in attributes)


def _amend(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "amend", *_AMENDED)
    number = str(one["amend"])
    fields = {key: value for key, value in one.items() if key != "amend" and value is not None}
    if not fields:
        raise RulebookError(f"amend {number}: says nothing new")
    if "told" in fields:
        fields |= {"told": with_words(fields["told"])}
    change = _converted(fields | {"number": number}, Amend, f"amend {number}")
    _check_told(Rule(number=number, told=change.told or {}), f"amend {number}")
    return (change,)


def _enact(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "enact")
    data = _table(one["enact"], "enact")
    number = str(data.get("number", ""))
    if not number:
        raise RulebookError("enact: a rule needs a number")
    known = set(Rule.__struct_fields__) - _SET_BY_ENGINE
    if unknown := sorted(set(data) - known):
        raise RulebookError(
            f"enact {number}: a rule has no {unknown[0]!r}; it has {', '.join(sorted(known))}"
        )
    data = with_rule_numbers(split_units(data)) | {
        "number": number,
        "told": with_words(data.get("told", {})),
    }
    rule = with_mechanics(_converted(data, Rule, f"enact {number}"))
    _check_told(rule, f"enact {number}")
    return (Enact(rule),)


def _check_told(rule: Rule, what: str) -> None:
    for fault in malformed(rule):
        raise RulebookError(f"{what}: told: {fault.what}")


def _repeal(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "repeal", "state")
    state = str(one.get("state", "keep"))
    if state not in REPEAL_STATES:
        raise RulebookError(f"repeal {one['repeal']}: state is keep, freeze or drop, not {state!r}")
    return (Repeal(str(one["repeal"]), state),)


def _renumber(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "renumber", "to")
    if "to" not in one:
        raise RulebookError(f"renumber {one['renumber']}: to what? say to:")
    return (Renumber(str(one["renumber"]), str(one["to"])),)


def _post(one: dict[str, Any]) -> tuple[Change, ...]:
    _fields(one, "post", "commodity", "why")
    amounts = {name: _amount(name, amount) for name, amount in _table(one["post"], "post").items()}
    if not amounts or sum(map(Decimal, amounts.values())) != 0:
        listed = (
            ", ".join(f"{name} {amount!s:.60}" for name, amount in amounts.items()) or "nothing"
        )
        raise RulebookError(f"post {listed}: that would break the sum: it must come to 0 in all")
    commodity = one.get("commodity")
    return (
        Post(amounts, None if commodity is None else str(commodity), str(one.get("why") or "")),
    )


def _amount(account: str, written: Any) -> int | str:
    if isinstance(written, int) and not isinstance(written, bool):
        return written
    try:
        number = Decimal(str(written))
        if number.is_finite() and not isinstance(written, bool):
            if abs(number.adjusted()) > _EXPONENT_MAX:
                size = "large" if number.adjusted() > 0 else "small"
                raise RulebookError(
                    f"post: {account} gets {written!s:.60}, which is far too {size}"
                )
            return str(written)
    except InvalidOperation:
        pass
    raise RulebookError(f"post: what {account} gets is a number, not {written!r}")


def _converted(data: dict[str, Any], struct: type[Any], what: str) -> Any:
    try:
        return msgspec.convert(data, struct)
    except msgspec.ValidationError as error:
        raise RulebookError(f"{what}: {plain_words(error)}") from None


_READERS: dict[str, Callable[[dict[str, Any]], tuple[Change, ...]]] = {
    "do": _do,
    "set": _set,
    "amend": _amend,
    "enact": _enact,
    "repeal": _repeal,
    "renumber": _renumber,
    "post": _post,
}
