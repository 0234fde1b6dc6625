"""Check a public export on its own, and against seals that were published elsewhere."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from nomoledger import events as e
from nomoledger.errors import RecordError, StoreError
from nomoledger.events.codec import decode_json
from nomoledger.proof.dice_audit import DiceAudit
from nomoledger.proof.key_chain import KeyChain
from nomoledger.proof.public_export import ExportEnd, ExportHeader, PublicEvent
from nomoledger.proof.seal import NO_SEAL, Seal, decode_seal
from nomoledger.proof.sealer import FOLD, PublicChain

#: How long a line of a file may be, in bytes.
LINE_MAX = 2**26
Read = TypeVar("Read", ExportHeader, PublicEvent, ExportEnd)


class PublicVerdict(msgspec.Struct, frozen=True):
    """The result of checking a public export of *game*.

    Attributes:
        ok: whether nothing is wrong.
        events: the number of sound events.
        seals: the number of sealed periods.
        head: the public head after those events.
        key: the public key of the seals.
        level: the level of the game, which selects what is checked of its dice (see
            `nomoledger.events.levels`); None if the file does not say it.
        detail: what is wrong, after the file and the line; None if nothing is.
        passed: the events by which the game passed to another key, in order.
    """

    game: str
    ok: bool
    events: int
    seals: int
    head: str
    key: str
    level: int | None = None
    detail: str | None = None
    passed: tuple[e.KeyPassed, ...] = ()


def check_export(file: str | Path, published: Sequence[Seal] = ()) -> PublicVerdict:
    """Check the public export in *file*, also against seals that were *published* elsewhere.

    Raises:
        OSError: the file cannot be read.
    """
    with open(file, "rb") as source:
        check = _Check(str(file), published)
        try:
            check.run(source)
        except RecordError as error:
            return check.verdict(str(error))
        return check.verdict(None)


class _Check:
    def __init__(self, name: str, published: Sequence[Seal]) -> None:
        self._name = name
        self._number = 0
        self._header = ExportHeader("", "")
        self._chain = PublicChain("")
        self._dice = DiceAudit()
        self._keys = KeyChain("")
        self._previous, self._fold = NO_SEAL, FOLD
        self._closed: int | None = None
        self._seals = 0
        self._published = {seal.period: seal for seal in published}
        self._signers = {seal.period: seal.key for seal in published}

    def run(self, file: BinaryIO) -> None:
        """Check all lines of *file*.

        Raises:
            RecordError: a line is wrong.
        """
        self._header = self._read(self._line(file), ExportHeader)
        self._chain = PublicChain(self._header.game)
        self._keys = KeyChain(self._header.game)
        while True:
            line = self._line(file)
            if line.startswith(b'{"nomoledger":"end/1"'):
                break
            if line.startswith(b'{"nomoledger":"seal/1"'):
                self._seal(decode_seal(line, self._where))
            else:
                self._event(self._read(line, PublicEvent))
        self._end(self._read(line, ExportEnd), file)

    def verdict(self, detail: str | None) -> PublicVerdict:
        """Return the result, with *detail* as the problem."""
        return PublicVerdict(
            game=self._header.game,
            ok=detail is None,
            events=self._chain.number + 1,
            seals=self._seals,
            head=str(self._chain),
            key=self._header.key,
            level=self._chain.world.level if self._chain.number >= 0 else None,
            detail=detail,
            passed=tuple(self._keys.passed),
        )

    @property
    def _where(self) -> str:
        return f"{self._name}:{self._number}"

    def _wrong(self, problem: str) -> RecordError:
        return RecordError(f"{self._where}: {problem}")

    def _line(self, file: BinaryIO) -> bytes:
        self._number += 1
        line = file.readline(LINE_MAX)
        if len(line) == LINE_MAX:
            raise self._wrong(f"the line is longer than {LINE_MAX} bytes")
        if not line.endswith(b"\n"):
            raise self._wrong("the file is cut off here")
        return line[:-1]

    def _read(self, line: bytes, kind: type[Read]) -> Read:
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise self._wrong(f"not a line of a public export: {error}") from None

    # --- kinds of lines

    def _event(self, line: PublicEvent) -> None:
        if self._closed is not None:
            raise self._wrong(f"the seal of period {self._closed} is missing before this event")
        if line.number != self._chain.number + 1:
            raise self._wrong(f"expected event #{self._chain.number + 1}, not #{line.number}")
        event = bytes(line.event)
        try:
            body = decode_json(event)
            if self._chain.hash_with(event).hex() != line.hash:
                raise self._wrong(f"event #{line.number} is not what was chained: it was altered")
            if problem := self._dice.check(body, self._chain.world):
                raise self._wrong(problem)
            if isinstance(body, e.KeyPassed) and (problem := self._key_problem(body)):
                raise self._wrong(problem)
            self._chain.take(event)
        except (RecordError, OSError):
            raise
        except StoreError as error:
            raise self._wrong(str(error)) from None
        except Exception as error:  # whoever wrote the file may have written anything
            text = f"it cannot follow from the events before it: {error!r:.200}"
            raise self._wrong(text) from None
        if isinstance(body, e.PeriodClosed):
            self._closed = body.period

    def _key_problem(self, body: e.KeyPassed) -> str | None:
        return self._keys.take(body, self._chain.world.period, self._previous, self._fold)

    def _seal(self, seal: Seal) -> None:
        if self._closed is None or seal.period != self._closed:
            raise self._wrong(f"a seal of period {seal.period} does not belong here")
        if seal.key != self._header.key:
            raise self._wrong(f"the seal of period {seal.period} is signed with another key")
        published = self._published.pop(seal.period, None)
        if published is not None and (why := published.differs(seal)):
            raise self._wrong(f"period {seal.period} is not what was published: {why}")
        for is_sound, problem in (
            (seal.game == self._header.game, "is of another game"),
            (seal.public == str(self._chain), "does not fit the public events"),
            (seal.previous == self._previous, "does not follow the seal before it"),
            (
                seal.fold != FOLD or seal.state == self._chain.world.digest(),
                "does not fit the public state of the events",
            ),
        ):
            if not is_sound:
                raise self._wrong(f"the seal of period {seal.period} {problem}")
        self._previous, self._fold, self._closed = seal.digest, seal.fold, None
        self._seals += 1

    def _end(self, end: ExportEnd, file: BinaryIO) -> None:
        if self._closed is not None:
            raise self._wrong(f"the seal of period {self._closed} is missing")
        if end.head != str(self._chain):
            raise self._wrong("the last line does not fit the events before it")
        if self._keys.current not in ("", self._header.key):
            raise self._wrong(
                f"the seals are signed with {self._header.key}, but since the game was handed over"
                f" its key is {self._keys.current}"
            )
        found = (self._keys.reason_against(key, period) for period, key in self._signers.items())
        if (reason := next(filter(None, found), None)) is not None:
            raise self._wrong(reason)
        if self._published:
            raise self._wrong(
                f"the file ends before period {min(self._published)}, whose seal is published"
            )
        self._number += 1
        if file.read(1):
            raise self._wrong("there is more after the last line")
