"""Encoding of events: msgpack in the store, JSON lines in exports.

The store keeps the tag of the event's class beside its bytes. Tags are looked up in a fixed table
and never imported by name, so a database from a stranger cannot choose which code runs.
"""

import copyreg
import sys
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.json import Decoder as JsonDecoder
from msgspec.msgpack import Decoder, Encoder

from nomoledger.errors import CorruptError
from nomoledger.events import Entry, Event, GameOpened, events
from nomoledger.events.canonical_json import canonical_json
from nomoledger.events.levels import check_level

#: Older versions recorded values that are nested almost 1,000 deep. The encoders of msgspec and
#: pickle count each level as a call, on top of the calls that are under way.
NESTED_CALLS_MAX = 5_000
sys.setrecursionlimit(max(sys.getrecursionlimit(), NESTED_CALLS_MAX))

EVENTS = events()
#: An event as it is stored: its tag and its bytes.
Encoded = tuple[str, bytes]

#: For each retired tag, the function that turns such an event into its successor.
UPCASTS: dict[str, Callable[[Any], Event]] = {}


class _Tagged(msgspec.Struct):
    """The tag of a line of JSON; all other fields are ignored."""

    event: str


_encode = Encoder().encode
_tags = {cls: tag for tag, cls in EVENTS.items()}
_decoders = {tag: Decoder(cls).decode for tag, cls in EVENTS.items()}
_decode_tag = JsonDecoder(_Tagged).decode
_json_decoders = {tag: JsonDecoder(cls).decode for tag, cls in EVENTS.items()}


def tag_of(event: Event) -> str:
    """Return the tag (name and schema version) of *event*."""
    return _tags[type(event)]


def encode(event: Event) -> bytes:
    """Return the stored bytes of *event*."""
    return _encode(event)


def encoded(events: Iterable[Event]) -> list[Encoded]:
    """Return the tag and the stored bytes of each of *events*."""
    tags, encode = _tags, _encode
    return [(tags[type(event)], encode(event)) for event in events]


def decode(tag: str, state: bytes) -> Event:
    """Return the event stored as *state* under *tag*, upcast to the newest schema.

    Raises:
        CorruptError: the tag is unknown, or the bytes are not such an event.
        StoreError: the event opens a game of an unknown level.
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


def _reduce(event: Event) -> tuple[Callable[[str, bytes], Event], Encoded]:
    """Reduce *event* to its stored form: an event that is pickled comes back as one that is read.

    Fields that have their defaults must have the very objects, or the event would be encoded as
    other bytes.
    """
    return decode, (tag_of(event), encode(event))


def _reduce_entry(entry: Entry) -> tuple[Callable[..., Entry], tuple[str, int, str, bytes]]:
    return _entry, (entry.game, entry.number, tag_of(entry.body), encode(entry.body))


def _entry(game: str, number: int, tag: str, state: bytes) -> Entry:
    return Entry(game, number, decode(tag, state))


for _class in _tags:
    copyreg.pickle(_class, _reduce)
copyreg.pickle(Entry, _reduce_entry)


def encode_json(event: Event, *, in_order: bool = False) -> bytes:
    """Return *event* as one line of JSON. Keys are sorted, or keep their order if *in_order*."""
    return canonical_json(event, in_order=in_order)


def decode_json(line: bytes) -> Event:
    """Return the event written as a *line* of JSON.

    Raises:
        CorruptError: the line is not an event.
        StoreError: the event opens a game of an unknown level.
    """
    try:
        tag = _decode_tag(line).event
        event: Event = _json_decoders[tag](line)
    except (KeyError, TypeError, msgspec.MsgspecError) as error:
        raise CorruptError(f"not an event: {error}") from error
    if type(event) is GameOpened:
        check_level(event.game, event.level)
    return event
