"""How events become bytes and come back: msgpack in the store, JSON lines in exports.

The topic stored beside a record is the tag of its Struct, looked up in our own table and never
imported by name, so a database from a stranger cannot choose what code runs.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.json import Decoder as JsonDecoder
from msgspec.json import Encoder as JsonEncoder
from msgspec.msgpack import Decoder, Encoder

from nomoledger.errors import CorruptError
from nomoledger.events import Event, GameOpened, events
from nomoledger.events.levels import check_level

EVENTS = events()
#: An event as it is stored: its tag and its bytes.
Encoded = tuple[str, bytes]

#: Retired tags and the function that turns such an event into its successor.
UPCASTS: dict[str, Callable[[Any], Event]] = {}


class _Tagged(msgspec.Struct):
    """What tells which event a line is."""

    event: str


_encode = Encoder().encode
_tags = {cls: tag for tag, cls in EVENTS.items()}
_decoders = {tag: Decoder(cls).decode for tag, cls in EVENTS.items()}
_encode_json = JsonEncoder(order="deterministic").encode
_decode_tag = JsonDecoder(_Tagged).decode
_json_decoders = {tag: JsonDecoder(cls).decode for tag, cls in EVENTS.items()}


def tag_of(event: Event) -> str:
    """The tag (name and schema version) of *event*."""
    return _tags[type(event)]


def encode(event: Event) -> bytes:
    """The stored bytes of *event*."""
    return _encode(event)


def encoded(events: Iterable[Event]) -> list[Encoded]:
    """The tags and stored bytes of *events*."""
    tags, encode = _tags, _encode
    return [(tags[type(event)], encode(event)) for event in events]


def decode(tag: str, state: bytes) -> Event:
    """The event stored as *state* under *tag*, upcast to the newest schema.

    Raises:
        CorruptError: the tag is unknown or the bytes are not such an event.
    """
    decoder = _decoders.get(tag)
    if decoder is None:
        raise CorruptError(f"unknown kind of event {tag!r}: written by a newer nomoledger?")
    try:
        event: Event = decoder(state)
    except msgspec.MsgspecError as error:
        raise CorruptError(f"unreadable {tag} event: {error}") from error
    if type(event) is GameOpened:
        check_level(event.game, event.level)
    while (upcast := UPCASTS.get(tag)) is not None:
        event = upcast(event)
        tag = tag_of(event)
    return event


def encode_json(event: Event) -> bytes:
    """*event* as one line of JSON with sorted keys."""
    return _encode_json(event)


def decode_json(line: bytes) -> Event:
    """The event written as a *line* of JSON.

    Raises:
        CorruptError: the line is not an event.
    """
    try:
        tag = _decode_tag(line).event
        event: Event = _json_decoders[tag](line)
    except (KeyError, TypeError, msgspec.MsgspecError) as error:
        raise CorruptError(f"not an event: {error}") from error
    if type(event) is GameOpened:
        check_level(event.game, event.level)
    return event
