"""The audit of addresses of draws, from level 3 on: each is computed from the events before it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.language.draw_address import label_in, operations_of, place_before_label
from nomoledger.proof.public_numbering import SEALED
from nomoledger.state.draws import is_of_ruling, next_ordinal, split_address
from nomoledger.state.reducer import SETTLE
from nomoledger.state.world import Attempt, World

_LITERAL = re.compile(r'"([^"\\\n]*)"|\'([^\'\\\n]*)\'')
_WORD = re.compile(r"[^\W\d_]+|\d+")
_PLACE = re.compile(r"(\d+)( for [^/]+)?/(player \d+|admin|nobody)/([^/]+)\([^/]*\)/([^/]*)")
#: The labels of rolls and draws to which a rule gives none.
_DEFAULTS = {"roll", "draw"}


class AddressAudit:
    """Checks the address of each draw, in the order of the events."""

    def __init__(self) -> None:
        """Begin before the first draw."""
        self._taken: dict[str, str] = {}
        self._of_ruling: dict[int | None, list[str]] = {}
        self._labels = _Labels()

    def note(self, body: e.Event) -> None:
        """Note that a ruling was refused: its draws were not used."""
        if isinstance(body, e.AttemptRefused) and body.operation == SETTLE:
            for address in self._of_ruling.pop(body.cause, ()):
                self._taken.pop(address, None)

    def check(self, body: e.DrawRecorded, world: World) -> str | None:
        """Return what is wrong with the address of the draw *body*, or None.

        *world* is the state before the draw.
        """
        why = self._check(body, world)
        return None if why is None else f"the address of the draw at {body.address} is wrong: {why}"

    def _check(self, body: e.DrawRecorded, world: World) -> str | None:
        place, ordinal = split_address(body.address)
        parts = _PLACE.fullmatch(place)
        if parts is None or ordinal is None or not body.asked:
            return "it is not made of period, actor, operation, label and ordinal"
        attempt = _attempt_of(world, body.asked.rpartition("|")[0])
        if not self._labels.is_known(parts[5], world, attempt):
            return "no rule gives such a label"
        if is_of_ruling(body):
            return self._check_of_ruling(body, int(parts[1]), world)
        before = place.rpartition("/")[0]
        if attempt is not None:
            expected = [
                place_before_label(world, attempt, operation, body.audience)
                for operation in operations_of(attempt)
            ]
            if body.cause != attempt.cause or before not in expected:
                return f"it begins with {expected[0]}"
        elif body.cause != SEALED:
            return "no attempt is under way that could draw"
        elif int(parts[1]) != world.period:
            return f"it is of period {world.period}"
        following = next_ordinal(world, place, body.cause)
        if ordinal != following:
            return f"it ends with #{following}"
        self._taken.setdefault(body.address, body.asked)
        return None

    def _check_of_ruling(self, body: e.DrawRecorded, period: int, world: World) -> str | None:
        expected = world.period if body.effective is None else body.effective
        if period != expected:
            return f"it is of period {expected}"
        place, ordinal = split_address(body.address)
        if ordinal and f"{place}#{ordinal - 1}" not in self._taken:
            return f"no draw has #{ordinal - 1}"
        if self._taken.setdefault(body.address, body.asked) != body.asked:
            return "another draw has it"
        self._of_ruling.setdefault(body.cause, []).append(body.address)
        return None


def check_request(body: e.DrawRecorded, world: World) -> str | None:
    """Return what is wrong with the address of a draw up to level 2, or None.

    It begins with the attempt under way. The rest is not computed again.
    """
    attempt = _attempt_of(world, body.address.rpartition("|")[0])
    if body.cause == SEALED or (attempt is not None and attempt.cause == body.cause):
        return None
    return f"the address of the draw at {body.address} is wrong: no such attempt is under way"


class _Labels:
    """Which labels draws can have: texts of the rules, of things, and of the request.

    A rule may compose a label, so a label of several words passes if each of its words is known.
    The things are searched again only for a label that is not known yet.
    """

    def __init__(self) -> None:
        self._known = set(_DEFAULTS)
        self._rules: tuple[Any, ...] = ()
        self._texts: set[str] = set()
        self._words: set[str] = set()
        self._searched_at = -1

    def is_known(self, part: str, world: World, attempt: Attempt | None) -> bool:
        """Return whether a draw of *attempt* can have *part* as the label in its address."""
        label = label_in(part)
        if label is None or label in self._known:
            return True
        if self._rules is not world.rules:
            self._rules = world.rules
            self._learn([_plain(rule) for rule in world.rules])
        is_known = self._has(label)
        if not is_known and self._searched_at != world.head:
            self._searched_at = world.head
            numbers = [f"player {n}" for n in world.dice.get("numbers", {}).values()]
            self._learn([list(world.entities), _plain(world.attributes), numbers, _plain(attempt)])
            is_known = self._has(label)
        if is_known:
            self._known.add(label)
        return is_known

    def _has(self, label: str) -> bool:
        return label in self._texts or set(_words([label])) <= self._words

    def _learn(self, values: list[Any]) -> None:
        texts = set(_texts_in(values)) - self._texts
        self._texts |= texts
        self._words.update(_words(texts))


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, str_keys=True, enc_hook=str)


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in *value*, and the literals in those that may be code."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts_in(item)
    elif isinstance(value, str):
        yield value
        if "\n" in value:
            yield from (first or second for first, second in _LITERAL.findall(value))
    elif value is not None:
        yield str(value)


def _words(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (word.casefold() for word in _WORD.findall(text))


def _attempt_of(world: World, id: str) -> Attempt | None:
    """Return the attempt with this *id* that is on the agenda."""
    return next((attempt for attempt in world.agenda if attempt.id == id), None)
