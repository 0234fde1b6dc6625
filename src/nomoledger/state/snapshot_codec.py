"""Worlds as bytes, and back exactly: tuples stay tuples, events and rules what they are.

A world is written as parts, each under the hash of its content; the root refers to the others. What
did not change between two closes (the rules, the periods before) is the same part, stored once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, cast

import msgspec
from msgspec.msgpack import Decoder, Encoder, Ext

from nomoledger import events as e
from nomoledger.errors import CorruptError
from nomoledger.events.codec import decode, encode, tag_of
from nomoledger.events.rules import Rule
from nomoledger.state.world import SCHEMA, Attempt, Closing, Table, Timer, World

#: What msgpack cannot tell apart or hold, each as an extension: its code.
_TUPLE, _INTEGER, _EVENT, _STRUCT, _RULE, _PART, _SHARED = range(1, 8)
_ATOMS = {str, bool, float, bytes, datetime, type(None)}
_INTEGERS = range(-(2**63), 2**63)
#: Structs that are written field by field: what is in them may be anything.
_STRUCTS: dict[str, type[msgspec.Struct]] = {
    "act": e.Act,
    "attempt": Attempt,
    "closing": Closing,
    "reason": e.Reason,
    "timer": Timer,
}
_NAMES = {struct: name for name, struct in _STRUCTS.items()}
#: What is smaller is not worth a part of its own.
_SMALL = 128
#: So many periods of the past are referred to from one part.
BLOCK = 64

_encode = Encoder().encode
_decode_rule = Decoder(Rule).decode
Fetch = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]


class _Part(msgspec.Struct, frozen=True, array_like=True):
    """A part as it is stored: the keys of the parts that its *body* refers to, and the body."""

    children: tuple[bytes, ...]
    body: msgspec.Raw


_decode_part = Decoder(_Part).decode
_decode_root = Decoder(tuple[msgspec.Raw, list[Ext]]).decode
_decode_block = Decoder(dict[int, Ext]).decode


class EncodedSnapshot(msgspec.Struct, frozen=True):
    """A world as bytes: the key of its *root*, and *parts* by key (those not known before)."""

    root: bytes
    parts: dict[bytes, bytes]


def encode_snapshot(world: World) -> EncodedSnapshot:
    """*world* as bytes.

    Raises:
        TypeError: there is something in it that no event can have put there.
    """
    freezer = _Freezer()
    return EncodedSnapshot(freezer.world(world), freezer.parts)


def decode_snapshot(root: bytes, fetch: Fetch) -> World:
    """The world of that *root*, whose parts *fetch* gives.

    Raises:
        CorruptError: a part is missing, or is not what was written.
    """
    return _thawed(_Thawer(dict(_gathered(root, fetch))), root)


def _thawed(thawer: "_Thawer", root: bytes) -> World:
    try:
        return thawer.world(root)
    except (msgspec.MsgspecError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise CorruptError(f"a snapshot cannot be read: {error}") from error


def collect_parts(root: bytes, fetch: Fetch, known: set[bytes]) -> dict[bytes, bytes]:
    """What a `SnapshotReader` needs for the world of that *root*, but for the parts *known* already.

    Raises:
        CorruptError: a part is missing, or is not what was written.
    """
    return {key: bytes(body) for key, body in _gathered(root, fetch, known)}


class SnapshotReader:
    """Thaws several worlds of one game, which share what is past: they are only to be read."""

    def __init__(self) -> None:
        self._bodies: dict[bytes, msgspec.Raw] = {}
        self._thawer = _Thawer(self._bodies, {})

    def world(self, root: bytes, parts: Mapping[bytes, bytes]) -> World:
        """The world of that *root*, with the *parts* that were not known before.

        Raises:
            CorruptError: a part is missing, or is not what was written.
        """
        self._bodies.update((key, msgspec.Raw(body)) for key, body in parts.items())
        return _thawed(self._thawer, root)


def check_parts(root: bytes, fetch: Fetch, checked: set[bytes]) -> None:
    """Check all parts of the world of that *root* but those *checked* already.

    Raises:
        CorruptError: a part is missing, or is not what was written.
    """
    checked.update(key for key, _ in _gathered(root, fetch, checked))


def _gathered(
    root: bytes, fetch: Fetch, known: set[bytes] | frozenset[bytes] = frozenset()
) -> Iterator[tuple[bytes, msgspec.Raw]]:
    """The bodies of all parts that *root* leads to, by key, but for those *known*."""
    seen, wanted = {root}, [root]
    while wanted := [key for key in wanted if key not in known]:
        contents, following = fetch(wanted), dict[bytes, None]()
        for key in wanted:
            part = _read_part(key, contents.get(key))
            yield key, part.body
            following |= dict.fromkeys(part.children)
        wanted = [key for key in following if key not in seen]
        seen.update(wanted)


def _read_part(key: bytes, content: bytes | None) -> _Part:
    if content is None:
        raise CorruptError("a part of a snapshot is missing")
    try:
        if sha256(content).digest() == key:
            return _decode_part(content)
    except (TypeError, msgspec.MsgspecError):
        pass
    raise CorruptError("a part of a snapshot is not what was written")


def _key(part: Ext) -> bytes:
    """The key of a *part* that is referred to."""
    return bytes(part.data)


class _Freezer:
    """Writes one world; what it makes is in *parts*, by key."""

    def __init__(self) -> None:
        self.parts: dict[bytes, bytes] = {}
        self._children: list[bytes] = []
        self._shared: dict[int, tuple[object, Ext]] = {}

    def world(self, world: World) -> bytes:
        past = list(self._past(world))
        blocks = [
            self._part(dict(past[start : start + BLOCK])) for start in range(0, len(past), BLOCK)
        ]
        tables = {
            name: self._table(table) for name, table in world.tables().items() if name != "past"
        }
        tables |= {"head": world.head, "closing": self._table(world.closing)}
        return _key(self._part([tables, blocks]))

    def _past(self, world: World) -> Iterator[tuple[int, Ext]]:
        """A part for each period: a new one only where it is not as a snapshot has it already."""
        for period, stood in world.past.items():
            ruled = stood.get("ruled", ())
            as_of, key = world.frozen_past(period)
            if as_of != ruled:
                key = _key(self._part({name: self._table(each) for name, each in stood.items()}))
                world.keep_frozen(period, ruled, key)
            yield period, Ext(_PART, key)

    def _table(self, value: Any) -> Any:
        """*value* as a part, where it is a table that is worth one."""
        return self._part(value, least=_SMALL) if isinstance(value, dict) else value

    def _part(self, value: Any, code: int = _PART, least: int = 0) -> Any:
        outer, self._children = self._children, []
        body = _encode(self._plain(value))
        children, self._children = self._children, outer
        if len(body) < least:
            return value
        content = _encode(_Part(tuple(dict.fromkeys(children)), msgspec.Raw(body)))
        key = sha256(content).digest()
        self.parts[key] = content
        return Ext(code, key)

    def _plain(self, value: Any) -> Any:
        """*value* in terms of what msgpack has."""
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is int:
            return value if value in _INTEGERS else Ext(_INTEGER, str(value).encode())
        if kind is dict:
            return {key: self._plain(each) for key, each in value.items()}
        if kind is list:
            return [self._plain(each) for each in value]
        if kind is Ext:
            if value.code in (_PART, _SHARED):
                self._children.append(_key(value))
            return value
        if kind is Rule or (kind is tuple and value and type(value[0]) is Rule):
            return self._plain(self._share(value))
        if kind is tuple:
            return Ext(_TUPLE, _encode([self._plain(each) for each in value]))
        return Ext(*self._struct(value))

    def _struct(self, value: Any) -> tuple[int, bytes]:
        if isinstance(value, e.Event):
            return _EVENT, _encode((tag_of(value), encode(value)))
        name = _NAMES.get(type(value))
        if name is None:
            raise TypeError(f"a world cannot hold {value!r:.80}")
        fields = (self._plain(getattr(value, each)) for each in value.__struct_fields__)
        return _STRUCT, _encode([name, *fields])

    def _share(self, value: Any) -> Ext:
        """A rule, or all of them, as one part for all that refer to it."""
        known = self._shared.get(id(value))
        if known is None:
            content = (
                Ext(_RULE, _encode(value))
                if isinstance(value, Rule)
                else tuple(self._share(each) for each in value)
            )
            known = self._shared[id(value)] = value, self._part(content, _SHARED)
        return known[1]


class _Thawer:
    """Reads worlds from the *bodies* of their parts; what is past is made once where *shared*."""

    def __init__(
        self, bodies: Mapping[bytes, msgspec.Raw], shared: dict[bytes, Table] | None = None
    ) -> None:
        self._bodies = bodies
        self._shared = shared
        self._decode = Decoder(ext_hook=self._value).decode
        self._known: dict[tuple[int, bytes], Any] = {}

    def world(self, root: bytes) -> World:
        world = World()
        tables, blocks = _decode_root(self._bodies[root])
        stored = self._decode(tables)
        world.head, world.closing = stored.pop("head"), stored.pop("closing")
        for name, table in stored.items():
            setattr(world, SCHEMA[name], table)
        for block in blocks:
            for period, part in _decode_block(self._bodies[_key(block)]).items():
                stood = world.past[period] = self._stood(_key(part))
                world.keep_frozen(period, stood.get("ruled", ()), _key(part))
        return world

    def _stood(self, part: bytes) -> Table:
        """How things stood at the close of a period."""
        if self._shared is None:
            return cast(Table, self._decode(self._bodies[part]))
        if part not in self._shared:
            self._shared[part] = self._decode(self._bodies[part])
        return self._shared[part]

    def _value(self, code: int, data: memoryview) -> Any:
        """What stands behind an extension; what cannot be changed is made once."""
        if code == _PART:
            return self._decode(self._bodies[bytes(data)])
        if code in (_STRUCT, _EVENT):
            return self._struct(code, data)
        key = code, bytes(data)
        if key not in self._known:
            made = self._made(*key)
            if code == _TUPLE and not all(type(each) is str for each in made):
                return made
            self._known[key] = made
        return self._known[key]

    def _made(self, code: int, data: bytes) -> Any:
        if code == _TUPLE:
            return tuple(self._decode(data))
        if code == _SHARED:
            return self._decode(self._bodies[data])
        if code == _RULE:
            return _decode_rule(data)
        return int(data)

    def _struct(self, code: int, data: memoryview) -> Any:
        name, *fields = self._decode(data)
        return decode(name, *fields) if code == _EVENT else _STRUCTS[name](*fields)
