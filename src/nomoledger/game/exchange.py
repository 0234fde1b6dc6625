"""Ledgers as JSON lines: one header line per game, then one line per event; copies of ledgers.

An export holds everything, the game's secret included, so that importing it gives the very same
ledger, hash for hash. It is for moving and keeping a ledger, not for publishing it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

import msgspec

from nomoledger.errors import CorruptError, RecordError, UsageError
from nomoledger.events import Event
from nomoledger.events.codec import decode, decode_json, encode, tag_of
from nomoledger.game.commit import Commit
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Encoded, Ledger, Transaction

FORMAT = 1
BATCH = 1000
NOTHING = msgspec.Raw()


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a game; *following* games come after it in the file."""

    nomoledger: int
    game: str
    secret: str
    records: int
    head: str
    following: int


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One record: its *body* as JSON; or its *topic* and *state* (hexadecimal) as they stand,
    where JSON would not give back the same bytes."""

    number: int
    body: msgspec.Raw = NOTHING
    topic: str | None = None
    state: str | None = None


_encode_line = msgspec.json.Encoder().encode
_decode_line = msgspec.json.Decoder(_Line).decode
_decode_header = msgspec.json.Decoder(_Header).decode


def export_ledger(
    ledger: Ledger, file: BinaryIO, games: Sequence[str] | None = None
) -> dict[str, Head]:
    """Write *games* (all unless named) into *file*, and return the head of each.

    Raises:
        UsageError: there is no game, or one is named twice; UnknownError: one is not there.
        CorruptError: a game does not verify; what was written until then is of no use.
    """
    names = ledger.games() if games is None else list(games)
    if not names or len(set(names)) != len(names):
        raise UsageError("nothing to export: name one game or more, each once")
    heads: dict[str, Head] = {}
    for following, game in zip(reversed(range(len(names))), names, strict=True):
        heads[game] = _export_game(ledger, file, game, following)
    return heads


def _export_game(ledger: Ledger, file: BinaryIO, game: str, following: int) -> Head:
    verdict = ledger.verify(game)
    if not verdict.ok:
        raise CorruptError(f"game {game!r} cannot be exported: {verdict.detail}")
    head, secret = verdict.head, ledger.secret(game).hex()
    header = _Header(FORMAT, game, secret, verdict.records, str(head), following)
    file.write(_encode_line(header) + b"\n")
    for number, topic, state in ledger.store.rows(game, -1, head.number):
        file.write(_encode_line(_line(number, topic, state)) + b"\n")
    return head


def _line(number: int, topic: str, state: bytes) -> _Line:
    with suppress(CorruptError, TypeError):  # JSON has no other keys than text
        body = _encode_line(decode(topic, state))
        if _encoded(decode_json(body)) == (topic, state):
            return _Line(number, msgspec.Raw(body))
    return _Line(number, topic=topic, state=state.hex())


def import_ledger(ledger: Ledger, file: BinaryIO) -> dict[str, Head]:
    """Add all games in *file*, an export, to *ledger*, and return the head of each.

    Nothing is added unless the whole file is sound: the chain is recomputed from the events and
    must come to the head that each header states. Then snapshots are taken of the closes.

    Raises:
        RecordError: the file is cut off, was altered, is no export, or holds a game that the
            ledger has already; the message begins with file:line.
    """
    source = _Source(file)
    heads: dict[str, Head] = {}
    following: int | None = None
    with ledger.transaction() as transaction:
        while following != 0:
            header = source.header()
            if following is not None and header.following != following - 1:
                raise source.error("a game is missing before this one")
            following = header.following
            commit = Commit(ledger, header.game)
            heads[header.game] = _import_game(commit, transaction, source, header)
        source.end()
    for game in heads:
        Commit(ledger, game).observe_records()
    return heads


def _import_game(
    commit: Commit, transaction: Transaction, source: "_Source", header: _Header
) -> Head:
    try:
        commit.begin(transaction, bytes.fromhex(header.secret))
    except (UsageError, ValueError) as error:
        raise source.error(str(error)) from error
    head = commit.append_records([])
    records = source.records(header)
    while batch := list(islice(records, BATCH)):
        head = commit.append_records(batch)
    if str(head) != header.head:
        raise source.error(
            f"the events of game {header.game!r} come to another head than its header states:"
            " the file was altered"
        )
    return head


def copy_ledger(
    source: Ledger, target: Ledger, games: Sequence[str] | None = None
) -> dict[str, Head]:
    """Copy *games* (all unless named) from *source* to *target*, and return the head of each.

    Each is copied whole or not at all, and then verified in *target*: its head there is the head
    in *source*. One that is there already, with that head, is only verified; so a copy that broke
    off is repeated.

    Raises:
        UsageError: *target* has another game of that name, or there is nothing to copy.
        CorruptError: a game is not what was written; it is not copied.
    """
    names = source.games() if games is None else list(games)
    if not names:
        raise UsageError(f"nothing to copy: there is no game in {source.store.location}")
    return {game: _copied(source, target, game) for game in names}


def _copied(source: Ledger, target: Ledger, game: str) -> Head:
    head = source.head(game)
    if target.store.secret(game) is None:
        with suppress(UsageError):  # a copy thought dead was still being stored: it is compared
            _copy_game(source, target, game, head)
    if (target.head(game), target.secret(game)) != (head, source.secret(game)):
        raise UsageError(
            f"{target.store.location} has a game {game!r} already, with another history: nothing"
            " of it was copied"
        )
    verdict = target.verify(game, head)
    if not verdict.ok or verdict.head != head:
        raise CorruptError(f"game {game!r} in {target.store.location}: {verdict.detail}")
    Commit(target, game).observe_records()
    return head


def _copy_game(source: Ledger, target: Ledger, game: str, head: Head) -> None:
    rows = source.store.rows(game, -1, head.number)
    commit = Commit(target, game)
    with commit.together(source.secret(game)):
        reached = commit.append_records([])
        while batch := [(topic, state) for _, topic, state in islice(rows, BATCH)]:
            reached = commit.append_records(batch)
        if reached != head:
            raise CorruptError(
                f"game {game!r} in {source.store.location} is not what was written, so it is not"
                " copied: verify it"
            )


class _Source:
    """The lines of an export, and where in it we are."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._name = getattr(file, "name", "import")
        self._number = 0

    def error(self, problem: str) -> RecordError:
        """*problem* at the present line."""
        return RecordError(f"{self._name}:{self._number}: {problem}")

    def line(self) -> bytes:
        """The next line, without its end."""
        self._number += 1
        line = self._file.readline()
        if not line.endswith(b"\n"):
            raise self.error("the file is cut off here" if line or self._number > 1 else "empty")
        return line

    def header(self) -> _Header:
        """The next line, as the header of a game."""
        line = self.line()
        try:
            version = msgspec.json.decode(line, type=dict[str, object]).get("nomoledger")
            if version != FORMAT:
                raise self.error(f"an export of format {FORMAT} begins a game with its header")
            return _decode_header(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self.error(f"not the header of a game: {error}") from error

    def records(self, header: _Header) -> Iterator[Encoded]:
        """The records that *header* announces."""
        for number in range(header.records):
            line = self.line()
            try:
                found = _decode_line(line)
                record = _record(found)
            except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, CorruptError) as error:
                raise self.error(f"not a record: {error}") from error
            if found.number != number:
                raise self.error(f"expected record #{number} here, not #{found.number}")
            yield record

    def end(self) -> None:
        """Nothing may follow."""
        self._number += 1
        if self._file.read(1):
            raise self.error("something follows after the last game")


def _record(line: _Line) -> Encoded:
    if line.body and line.topic is None and line.state is None:
        return _encoded(decode_json(bytes(line.body)))
    if line.body or line.topic is None or line.state is None:
        raise CorruptError("it needs a number and a body, or a number, topic and state")
    state = bytes.fromhex(line.state)
    decode(line.topic, state)
    return line.topic, state


def _encoded(event: Event) -> Encoded:
    return tag_of(event), encode(event)
