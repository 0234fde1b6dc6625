"""Encoding of worlds as bytes, and exact decoding: tuples stay tuples, events stay events.

A world is encoded as parts, each stored under the hash of its content. The root part refers to the
others. What did not change between two closes (the rules, earlier periods) is the same part and is
stored once.
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

#: Codes of msgpack extensions, for values that msgpack cannot hold or cannot distinguish.
_TUPLE, _INTEGER, _EVENT, _STRUCT, _RULE, _PART, _SHARED = range(1, 8)
_ATOMS = {str, bool, float, bytes, datetime, type(None)}
_INTEGERS = range(-(2**63), 2**63)
#: Structs that are encoded field by field, because their fields may hold any value.
_STRUCTS: dict[str, type[msgspec.Struct]] = {
    "act": e.Act,
    "attempt": Attempt,
    "closing": Closing,
    "reason": e.Reason,
    "timer": Timer,
}
_NAMES = {struct: name for name, struct in _STRUCTS.items()}
#: A value of fewer bytes gets no part of its own.
_SMALL = 128
#: Number of past periods that one part refers to.
BLOCK = 64

_encode = Encoder().encode
_decode_rule = Decoder(Rule).decode
#: Returns the stored parts with these keys, by key.
Fetch = Callable[[Sequence[bytes]], Mapping[bytes, bytes]]


class _Part(msgspec.Struct, frozen=True, array_like=True):
    """A part as it is stored.

    Attributes:
        children: keys of the parts that the body refers to.
        body: the encoded value.
    """

    children: tuple[bytes, ...]
    body: msgspec.Raw


_decode_part = Decoder(_Part).decode
_decode_root = Decoder(tuple[msgspec.Raw, list[Ext]]).decode
_decode_block = Decoder(dict[int, Ext]).decode


class EncodedSnapshot(msgspec.Struct, frozen=True):
    """A world as bytes.

    Attributes:
        root: key of the root part.
        parts: the parts by key, except those that an earlier snapshot has.
    """

    root: bytes
    parts: dict[bytes, bytes]


def encode_snapshot(world: World) -> EncodedSnapshot:
    """Encode *world*.

    Raises:
        TypeError: the world holds a value that no event can have put there.
    """
    encoder = _WorldEncoder()
    return EncodedSnapshot(encoder.encode(world), encoder.parts)


def decode_snapshot(root: bytes, fetch: Fetch) -> World:
    """Decode the world with the root part *root*; *fetch* returns its parts.

    Raises:
        CorruptError: a part is missing, or is not what was written.
    """
    return _decode_world(_WorldDecoder(dict(_gather_parts(root, fetch))), root)


def _decode_world(decoder: "_WorldDecoder", root: bytes) -> World:
    try:
        return decoder.decode(root)
    except (msgspec.MsgspecError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise CorruptError(f"a snapshot cannot be read: {error}") from error


def collect_parts(root: bytes, fetch: Fetch, known: set[bytes]) -> dict[bytes, bytes]:
    """Return the parts that a `SnapshotReader` needs to decode *root*, except those *known*.

    Raises:
        CorruptError: a part is missing, or is not what was written.
    """
    return {key: bytes(body) for key, body in _gather_parts(root, fetch, known)}


class SnapshotReader:
    """Decodes several worlds of one game. They share closed periods and are read-only."""

    def __init__(self) -> None:
        """Create a reader that has decoded nothing yet."""
        self._bodies: dict[bytes, msgspec.Raw] = {}
        self._decoder = _WorldDecoder(self._bodies, {})

    def world(self, root: bytes, parts: Mapping[bytes, bytes]) -> World:
        """Return the world with that *root*; *parts* are those that were not known before.

        Raises:
            CorruptError: a part is missing, or is not what was written.
        """
        self._bodies.update((key, msgspec.Raw(body)) for key, body in parts.items())
        return _decode_world(self._decoder, root)


def check_parts(root: bytes, fetch: Fetch, checked: set[bytes]) -> None:
    """Check all parts of the world with that *root*, except those *checked* already.

    Raises:
        CorruptError: a part is missing, or is not what was written.
    """
    checked.update(key for key, _ in _gather_parts(root, fetch, checked))


def _gather_parts(
    root: bytes, fetch: Fetch, known: set[bytes] | frozenset[bytes] = frozenset()
) -> Iterator[tuple[bytes, msgspec.Raw]]:
    """Yield key and body of all parts that *root* refers to, except those *known*."""
    seen, keys = {root}, [root]
    while keys := [key for key in keys if key not in known]:
        contents, children = fetch(keys), dict[bytes, None]()
        for key in keys:
            part = _read_part(key, contents.get(key))
            yield key, part.body
            children |= dict.fromkeys(part.children)
        keys = [key for key in children if key not in seen]
        seen.update(keys)


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
    """Return the key of a *part* that another part refers to."""
    return bytes(part.data)


class _WorldEncoder:
    """Encodes one world; *parts* holds the parts by key."""

    def __init__(self) -> None:
        self.parts: dict[bytes, bytes] = {}
        self._children: list[bytes] = []
        self._shared: dict[int, tuple[object, Ext]] = {}

    def encode(self, world: World) -> bytes:
        """Encode *world*, and return the key of its root part."""
        past = list(self._encode_past(world))
        blocks = [
            self._make_part(dict(past[start : start + BLOCK]))
            for start in range(0, len(past), BLOCK)
        ]
        tables = {
            name: self._encode_table(table)
            for name, table in world.tables().items()
            if name != "past" and (table or name != "dice")
        }
        tables |= {"head": world.head, "closing": self._encode_table(world.closing)}
        return _key(self._make_part([tables, blocks]))

    def _encode_past(self, world: World) -> Iterator[tuple[int, Ext]]:
        """Yield a reference to the part of each closed period.

        A period is encoded only if no earlier snapshot has it as it is now.
        """
        for period, state in world.past.items():
            ruled = state.get("ruled", ())
            encoded_as_of, key = world.frozen_past(period)
            if encoded_as_of != ruled:
                tables = {name: self._encode_table(table) for name, table in state.items()}
                key = _key(self._make_part(tables))
                world.keep_frozen(period, ruled, key)
            yield period, Ext(_PART, key)

    def _encode_table(self, value: Any) -> Any:
        """Return a reference to a new part for *value*, or *value* if it is no large table."""
        return self._make_part(value, bytes_min=_SMALL) if isinstance(value, dict) else value

    def _make_part(self, value: Any, code: int = _PART, bytes_min: int = 0) -> Any:
        """Return a reference to a new part that holds *value*, or *value* if it is too small."""
        outer, self._children = self._children, []
        body = _encode(self._plain(value))
        children, self._children = self._children, outer
        if len(body) < bytes_min:
            return value
        content = _encode(_Part(tuple(dict.fromkeys(children)), msgspec.Raw(body)))
        key = sha256(content).digest()
        self.parts[key] = content
        return Ext(code, key)

    def _plain(self, value: Any) -> Any:
        """Return *value* in types that msgpack has."""
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is int:
            return value if value in _INTEGERS else Ext(_INTEGER, str(value).encode())
        if kind is dict:
            return {key: self._plain(item) for key, item in value.items()}
        if kind is list:
            return [self._plain(item) for item in value]
        if kind is Ext:
            if value.code in (_PART, _SHARED):
                self._children.append(_key(value))
            return value
        if kind is Rule or (kind is tuple and value and type(value[0]) is Rule):
            return self._plain(self._share(value))
        if kind is tuple:
            return Ext(_TUPLE, _encode([self._plain(item) for item in value]))
        return Ext(*self._encode_struct(value))

    def _encode_struct(self, value: Any) -> tuple[int, bytes]:
        """Return the extension code and the bytes of an event or another struct."""
        if isinstance(value, e.Event):
            return _EVENT, _encode((tag_of(value), encode(value)))
        name = _NAMES.get(type(value))
        if name is None:
            raise TypeError(f"a world cannot hold {value!r:.80}")
        fields = [self._plain(getattr(value, field)) for field in value.__struct_fields__]
        if isinstance(value, Closing) and value.dice is None:
            fields.pop()  # as snapshots were encoded before the state held anything about dice
        return _STRUCT, _encode([name, *fields])

    def _share(self, value: Any) -> Ext:
        """Return a reference to the one part for a rule, or for a tuple of rules."""
        known = self._shared.get(id(value))
        if known is None:
            content = (
                Ext(_RULE, _encode(value))
                if isinstance(value, Rule)
                else tuple(self._share(rule) for rule in value)
            )
            known = self._shared[id(value)] = value, self._make_part(content, _SHARED)
        return known[1]


class _WorldDecoder:
    """Decodes worlds from the *bodies* of their parts.

    With *shared*, worlds share each closed period that they have in common.
    """

    def __init__(
        self, bodies: Mapping[bytes, msgspec.Raw], shared: dict[bytes, Table] | None = None
    ) -> None:
        self._bodies = bodies
        self._shared = shared
        self._decode = Decoder(ext_hook=self._decode_extension).decode
        self._immutable: dict[tuple[int, bytes], Any] = {}

    def decode(self, root: bytes) -> World:
        """Return the world with that *root*."""
        world = World()
        tables, blocks = _decode_root(self._bodies[root])
        stored = self._decode(tables)
        world.head, world.closing = stored.pop("head"), stored.pop("closing")
        for name, table in stored.items():
            setattr(world, SCHEMA[name], table)
        for block in blocks:
            for period, part in _decode_block(self._bodies[_key(block)]).items():
                state = world.past[period] = self._decode_past(_key(part))
                world.keep_frozen(period, state.get("ruled", ()), _key(part))
        return world

    def _decode_past(self, part: bytes) -> Table:
        """Return the state at the close of a period."""
        if self._shared is None:
            return cast(Table, self._decode(self._bodies[part]))
        if part not in self._shared:
            self._shared[part] = self._decode(self._bodies[part])
        return self._shared[part]

    def _decode_extension(self, code: int, data: memoryview) -> Any:
        """Return the value of an extension; equal immutable values are decoded once."""
        if code == _PART:
            return self._decode(self._bodies[bytes(data)])
        if code in (_STRUCT, _EVENT):
            return self._decode_struct(code, data)
        key = code, bytes(data)
        if key not in self._immutable:
            value = self._decode_immutable(*key)
            if code == _TUPLE and not all(type(item) is str for item in value):
                return value  # it may hold something that changes
            self._immutable[key] = value
        return self._immutable[key]

    def _decode_immutable(self, code: int, data: bytes) -> Any:
        if code == _TUPLE:
            return tuple(self._decode(data))
        if code == _SHARED:
            return self._decode(self._bodies[data])
        if code == _RULE:
            return _decode_rule(data)
        return int(data)

    def _decode_struct(self, code: int, data: memoryview) -> Any:
        name, *fields = self._decode(data)
        return decode(name, *fields) if code == _EVENT else _STRUCTS[name](*fields)
