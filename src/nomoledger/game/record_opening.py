"""The opening of a hand-kept record: the initial state, also what only a later line declares."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from nomoledger.errors import RecordError
from nomoledger.events.rules import Rule
from nomoledger.state.world import World

#: What can be said of a thing whatever the rules declare.
_ALWAYS = ("money", "items", "at")
_KINDS = {"players": "player", "squares": "square"}


class RecordOpening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The initial state in a header, with the fields of `StateGiven`."""

    players: dict[str, dict[str, Any]] = {}
    squares: dict[str, dict[str, Any]] = {}
    accounts: dict[str, dict[str, Any]] = {}
    things: dict[str, tuple[dict[str, Any], ...]] = {}
    game: dict[str, Any] = {}


def split_opening(
    opening: dict[str, Any], rules: Sequence[Rule], place: str, lines: Iterable[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what of *opening* the *rules* declare, and the attributes that they do not declare.

    The second part is empty if no line of *lines* can declare more. *place* is for messages.

    Raises:
        RecordError: the opening has another form.
    """
    state = _initial_state(opening, place)
    late: dict[str, Any] = {"players": {}, "squares": {}, "game": {}}
    if not any({"rules", "proposal"} & set(line.fields) for line in lines):
        return state, {}
    for field, kind in _KINDS.items():
        known = {*_declared(rules, kind), *_ALWAYS}
        for name, row in state[field].items():
            state[field][name] = {key: value for key, value in row.items() if key in known}
            if unknown := {key: value for key, value in row.items() if key not in known}:
                late[field][name] = unknown
    known = _declared(rules, "game")
    late["game"] = {key: value for key, value in state["game"].items() if key not in known}
    state["game"] = {key: value for key, value in state["game"].items() if key in known}
    return state, {field: rows for field, rows in late.items() if rows}


def take_unplaced(given: dict[str, Any], late: dict[str, Any], *, is_new: bool) -> tuple[str, ...]:
    """Return the players of whom an opening does not say where they stand.

    That is so if their square is null, or unless the game *is_new* if it is not stated. *given* and
    *late* are the parts of the opening; a null is taken out of them.
    """
    unplaced = []
    for name, row in given["players"].items():
        rows = (row, late.get("players", {}).get(name, {}))
        if all(each.get("square") is None for each in rows):
            if not is_new or any("square" in each for each in rows):
                unplaced.append(name)
            for each in rows:
                each.pop("square", None)
    return tuple(unplaced)


def _declared(rules: Iterable[Rule], kind: str) -> set[str]:
    return {name for rule in rules for name in rule.declares.get(kind, {})}


def _initial_state(opening: dict[str, Any], place: str) -> dict[str, Any]:
    state = dict(opening)
    players = state.get("players", {})
    if isinstance(players, list) and all(isinstance(name, str) for name in players):
        state["players"] = {name: {} for name in players}
    accounts = state.get("accounts", {})
    if isinstance(accounts, dict):
        state["accounts"] = {
            name: {"money": held} if isinstance(held, int) else held
            for name, held in accounts.items()
        }
    try:
        return msgspec.structs.asdict(msgspec.convert(state, RecordOpening))
    except msgspec.ValidationError as error:
        raise RecordError(f"{place}: the opening is none: {error}") from None


class LateOpening:
    """The part of an opening that waits until a line of the record declares its attributes."""

    #: How the ids of the inputs begin that state it.
    id = "opening"

    def __init__(self, waiting: dict[str, Any], world: World) -> None:
        """Wait with *waiting*, the fields of `StateGiven`, for the rules of *world*."""
        self._waiting = waiting
        self._world = world
        self._rules: tuple[Rule, ...] = ()

    def declared_now(self) -> dict[str, Any]:
        """Return the fields of `StateGiven` that the rules declare by now; each only once."""
        if not self._waiting or self._rules is self._world.rules:
            return {}
        self._rules, due = self._world.rules, dict[str, Any]()
        for field, rows in list(self._waiting.items()):
            if field == "game":
                found, left = self._split("game", rows)
            else:
                split = {name: self._split(_KINDS[field], row) for name, row in rows.items()}
                found = {name: now for name, (now, _) in split.items() if now}
                left = {name: later for name, (_, later) in split.items() if later}
            due |= {field: found} if found else {}
            self._waiting[field] = left
        self._waiting = {field: rows for field, rows in self._waiting.items() if rows}
        return due

    def _split(self, kind: str, row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        known = self._world.declared(kind)
        now = {name: value for name, value in row.items() if name in known}
        return now, {name: value for name, value in row.items() if name not in known}

    def check_empty(self) -> None:
        """Check that nothing waits any more.

        Raises:
            RecordError: no line has declared an attribute of the opening.
        """
        for field, rows in self._waiting.items():
            kind = _KINDS.get(field, field)
            name = next(iter(rows if field == "game" else next(iter(rows.values()))))
            raise RecordError(f"the opening: a {kind} has no {name!r}, and no line declares it")
