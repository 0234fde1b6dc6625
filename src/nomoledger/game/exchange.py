"""Export and import of ledgers as JSON lines, and copies of ledgers.

An export has one header line per game, then one line per event. It holds everything, including the
secret of the game, so that an import recreates the same ledger, hash for hash. An export is for
moving and archiving a ledger, not for publishing it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

import msgspec

from nomoledger.errors import CorruptError, RecordError, StoreError, UsageError
from nomoledger.events import Event
from nomoledger.events.codec import decode, decode_json, encode, tag_of
from nomoledger.game.commit import Commit
from nomoledger.game.import_check import ImportCheck
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Encoded, Ledger, Transaction

FORMAT = 1
BATCH = 1000
#: How long a line of a file may be, in bytes.
LINE_MAX = 2**26
#: What decoding a line raises if the line is none of ours.
_UNREADABLE = (
    msgspec.MsgspecError, ArithmeticError, RecursionError, StoreError, TypeError, ValueError,
)  # fmt: skip
NOTHING = msgspec.Raw()


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a game.

    Attributes:
        nomoledger: version of the format.
        game: name of the game.
        secret: secret of the game, hexadecimal.
        records: number of records that follow.
        head: head of the game's chain.
        following: number of games that follow in the file.
    """

    nomoledger: int
    game: str
    secret: str
    records: int
    head: str
    following: int


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One record.

    Attributes:
        number: number of the event.
        body: the event as JSON.
        topic: the stored tag, if the record cannot be recreated from JSON byte for byte.
        state: the stored bytes, hexadecimal, in the same case.
    """

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
    """Write *games* (all if None) to *file*, and return the head of each.

    Raises:
        UsageError: there is no game, or one is named twice.
        UnknownError: a game does not exist.
        CorruptError: a game fails verification; what was written so far is useless.
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
        file.write(_encode_line(_line_of(number, topic, state)) + b"\n")
    return head


def _line_of(number: int, topic: str, state: bytes) -> _Line:
    with suppress(CorruptError, TypeError):  # keys in JSON are always text
        body = _encode_line(decode(topic, state))
        if _encoded(decode_json(body)) == (topic, state):
            return _Line(number, msgspec.Raw(body))
    return _Line(number, topic=topic, state=state.hex())


def import_ledger(ledger: Ledger, file: BinaryIO) -> dict[str, Head]:
    """Add all games in *file*, an export, to *ledger*, and return the head of each.

    Nothing is added unless the whole file is sound: each event is checked (see
    `nomoledger.game.import_check`), the chain is computed again, and must end at the head that each
    header states. Then snapshots are taken of the closes.

    Raises:
        RecordError: the file is cut off, was altered, is not an export, does not verify, or holds a
            game that the ledger has already. The message begins with file:line.
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
        secret = bytes.fromhex(header.secret)
        commit.begin(transaction, secret)
    except (UsageError, ValueError) as error:
        raise source.error(str(error)) from error
    head = commit.append_records([])
    records = source.records(header, ImportCheck(header.game, secret))
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
    """Copy *games* (all if None) from *source* to *target*, and return the head of each.

    Each game is copied completely or not at all, and then verified in *target*. A game that is in
    *target* already, with the same head, is only verified, so an interrupted copy can be repeated.

    Raises:
        UsageError: *target* has another game of that name, or there is nothing to copy.
        CorruptError: a game is not what was written; it is not copied.
    """
    names = source.games() if games is None else list(games)
    if not names:
        raise UsageError(f"nothing to copy: there is no game in {source.store.location}")
    return {game: _copy_and_verify(source, target, game) for game in names}


def _copy_and_verify(source: Ledger, target: Ledger, game: str) -> Head:
    head = source.head(game)
    if target.store.secret(game) is None:
        try:
            _copy_game(source, target, game, head)
        except UsageError:
            if target.store.secret(game) is None:
                raise
            # another copy has just been committed; it is compared below
    if (target.head(game), target.secret(game)) != (head, source.secret(game)):
        raise UsageError(
            f"{target.store.location} has a game {game!r} already, with another history: nothing"
            " of it was copied"
        )
    verdict = target.verify(game, head)
    if not verdict.ok or verdict.head != head:
        raise CorruptError(f"game {game!r} in {target.store.location}: {verdict.detail}")
    target.confirm()
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
    """The lines of an export, and the current position."""

    def __init__(self, file: BinaryIO) -> None:
        """Read *file* from its first line."""
        self._file = file
        self._name = getattr(file, "name", "import")
        self._number = 0

    def error(self, problem: str) -> RecordError:
        """Return an error for *problem* at the current line."""
        return RecordError(f"{self._name}:{self._number}: {problem}")

    def line(self) -> bytes:
        """Return the next line, without its end."""
        self._number += 1
        line = self._file.readline(LINE_MAX)
        if len(line) == LINE_MAX:
            raise self.error(f"the line is longer than {LINE_MAX} bytes")
        if not line.endswith(b"\n"):
            raise self.error("the file is cut off here" if line or self._number > 1 else "empty")
        return line

    def header(self) -> _Header:
        """Return the next line as the header of a game."""
        line = self.line()
        try:
            version = msgspec.json.decode(line, type=dict[str, object]).get("nomoledger")
            if version != FORMAT:
                raise self.error(f"an export of format {FORMAT} begins a game with its header")
            return _decode_header(line)
        except _UNREADABLE as error:
            raise self.error(f"not the header of a game: {error}") from error

    def records(self, header: _Header, check: ImportCheck) -> Iterator[Encoded]:
        """Yield the records that *header* announces, after *check*."""
        for number in range(header.records):
            line = self.line()
            try:
                decoded_line = _decode_line(line)
                event, record = _record(decoded_line)
            except _UNREADABLE as error:
                raise self.error(f"not a record: {error}") from error
            if decoded_line.number != number:
                raise self.error(f"expected record #{number} here, not #{decoded_line.number}")
            if (why := check.check(event, record)) is not None:
                raise self.error(f"record #{number} was not recorded in play: {why}")
            yield record

    def end(self) -> None:
        """Check that nothing follows."""
        self._number += 1
        if self._file.read(1):
            raise self.error("something follows after the last game")


def _record(line: _Line) -> tuple[Event, Encoded]:
    if line.body and line.topic is None and line.state is None:
        event = decode_json(bytes(line.body))
        return event, _encoded(event)
    if line.body or line.topic is None or line.state is None:
        raise CorruptError("a record has a number and a body, or a number, a topic and a state")
    state = bytes.fromhex(line.state)
    return decode(line.topic, state), (line.topic, state)


def _encoded(event: Event) -> Encoded:
    return tag_of(event), encode(event)
