"""Verification of a ledger: is every record what was written, and if not, what happened to it?

One streaming pass hashes all content again. At the first record that does not fit, the remaining
commitments show whether that record was altered, removed, inserted or moved.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Protocol

import msgspec

from nomoledger.errors import CorruptError
from nomoledger.events import Event, Posted
from nomoledger.events.codec import EVENTS, decode
from nomoledger.ledger.chain import (
    SIZE,
    Head,
    Link,
    commit,
    first_number,
    hash_records,
    link,
    origin,
    row_commitments,
)
from nomoledger.ledger.rollup import (
    POSTED,
    Sums,
    add_postings,
    decode_posted,
    find_wrong_cell,
    units_by_cell,
)
from nomoledger.ledger.stores.store import Content, Evidence

#: The least number of records compared with the chain at once, except at the end.
BLOCK = 64
#: One record's part of a chain row: number, commitment, and the hash if the row ends there.
ChainEntry = tuple[int, bytes, bytes | None]
#: A number with its record and its chain entry, either of which may be missing.
Pair = tuple[int, Content | None, ChainEntry | None]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The result of verifying *game*.

    Attributes:
        records: the number of sound records, from number 0 on.
        head: the head of these records, recomputed from their content.
        ok: whether nothing is wrong.
        number: the first record that is wrong, or None.
        problem: what is wrong with that record:
            "altered" (its content), "missing", "inserted", "swapped" (out of order),
            "chain" (its chain row is missing or altered), "unreadable" (as written, but this
            version does not understand it), "cut off" (the ledger ends before the given head, or
            before a seal), "differs" (the history up to the given head is another one),
            "roll-up" (a cell is not the sum of the postings; without a number),
            "unlisted" (there are records of a game that is not in the ledger; without a number),
            or the finding of an audit: "state", "dice", "key" (the game passes to a key that may
            not have it, or a seal is signed with a foreign key), "seal", "published", "snapshot".
        detail: the problem as a sentence.
    """

    game: str
    records: int
    head: Head
    ok: bool
    number: int | None = None
    problem: str | None = None
    detail: str | None = None


class Auditor(Protocol):
    """Checks the events themselves during verification; see `nomoledger.proof.content_audit`."""

    def check(self, number: int, body: Event, reached: bytes) -> tuple[str, str] | None:
        """Return the problem of event *number* as a word and a sentence, or None.

        *reached* is the hash of the event.
        """

    def foreign_snapshot(self) -> str | None:
        """Describe a snapshot that belongs to no close, after the last event; None if sound."""

    def missing_close(self) -> str | None:
        """Describe a seal without a close in the ledger, after the last event; None if sound."""

    def foreign_key(self) -> str | None:
        """Describe a seal that a foreign key signed, after the last event; None if sound."""


class _Problem(msgspec.Struct, frozen=True):
    number: int | None
    word: str
    detail: str


#: Sound records, their hashes, and the problem of the record after them, or None.
_Block = tuple[list[Content], list[bytes], _Problem | None]
_KNOWN = frozenset(tag.encode() for tag in EVENTS)
_POSTED = frozenset(tag.encode() for tag in POSTED)


def verify(
    game: str,
    secret: bytes,
    evidence: Evidence,
    head: Head | None = None,
    audit: Auditor | None = None,
) -> Verdict:
    """Recompute the chain and the roll-up of *game* and compare the *evidence* with them.

    *head* is one that was saved elsewhere. Without it, a chain rewritten from some record on, or a
    tail cut off together with its chain, looks sound. *audit* checks every event that is as
    written; without an audit only the kinds of events and their postings are checked.
    """
    number, last = 0, origin(game)
    sums: Sums = {}
    problem = _compare_head(head, -1, last)
    blocks = _blocks(secret, last, evidence) if problem is None else iter(())
    for contents, hashes, problem in blocks:
        differs, upto = _find_head(head, number, hashes)
        if differs is not None:
            contents, problem = contents[:upto], differs
        read, unsound = _read(contents, hashes, sums, audit)
        problem = unsound or problem
        if read:
            number, last = number + read, hashes[read - 1]
        if problem is not None:
            break
    if problem is None and head is not None and head.number >= number:
        detail = f"the ledger ends after {number} records, but the given head is of #{head.number}"
        problem = _Problem(number, "cut off", detail)
    if problem is None and audit is not None and (lacking := audit.missing_close()):
        problem = _Problem(number, "cut off", lacking)
    if problem is None and audit is not None and (stranger := audit.foreign_key()):
        problem = _Problem(None, "key", stranger)
    if problem is None and audit is not None and (foreign := audit.foreign_snapshot()):
        problem = _Problem(None, "snapshot", foreign)
    if problem is None and (wrong := find_wrong_cell(units_by_cell(sums), evidence.cells)):
        problem = _Problem(None, "roll-up", f"{wrong}: run nomoledger rebuild")
    return _verdict(game, Head(number - 1, last.hex()), problem)


def unlisted_verdict(game: str) -> Verdict:
    """Return the verdict on *game*, which has records but is not among the games."""
    detail = "it has records, but is not among the games: its name was altered, or its row is gone"
    return _verdict(game, Head(-1, origin(game).hex()), _Problem(None, "unlisted", detail))


def _blocks(secret: bytes, last: bytes, evidence: Evidence) -> Iterator[_Block]:
    """Yield records with their hashes in blocks; the last block may have a problem.

    Records are compared with several chain rows at a time. If a block does not fit, its rows are
    compared one by one, and the first row that does not fit record by record.
    """
    number, contents, links = 0, evidence.contents, evidence.links
    while True:
        rows = _next_rows(links)
        block = list(islice(contents, sum(len(row[1]) for row in rows) // SIZE or 1))
        if not rows and not block:
            return
        if not _follow(number, block):
            break
        commitments, hashes = hash_records(secret, last, block)
        if not _fit(number, rows, commitments, hashes):
            break
        yield block, hashes, None
        number, last = number + len(block), hashes[-1]
    yield from _row_by_row(secret, number, last, chain(block, contents), chain(rows, links))


def _next_rows(links: Iterator[Link]) -> list[Link]:
    """Return chain rows that cover at least `BLOCK` records together; fewer at the end."""
    rows, size = [], 0
    for row in links:
        rows.append(row)
        size += len(row[1])
        if size >= BLOCK * SIZE:
            break
    return rows


def _follow(number: int, block: list[Content]) -> bool:
    """Return whether *block* is numbered from *number* on."""
    return [content[0] for content in block] == list(range(number, number + len(block)))


def _fit(number: int, rows: list[Link], commitments: list[bytes], hashes: list[bytes]) -> bool:
    """Return whether *rows* cover exactly the records of these hashes, from *number* on."""
    reached = 0
    for row in rows:
        size = len(row[1]) // SIZE
        reached += size
        if not size or reached > len(hashes):
            return False
        if row[0] != number + reached - 1 or row[2] != hashes[reached - 1]:
            return False
    return b"".join([row[1] for row in rows]) == b"".join(commitments)


def _row_by_row(
    secret: bytes, number: int, last: bytes, contents: Iterator[Content], links: Iterator[Link]
) -> Iterator[_Block]:
    """Yield blocks of one row; a row with the right hash shows which commitment was altered."""
    for row in links:
        block = list(islice(contents, len(row_commitments(row))))
        reached = number + len(block) - 1
        commitments, hashes = (
            hash_records(secret, last, block) if _follow(number, block) else ([], [])
        )
        if not hashes or (row[0], row[2]) != (reached, hashes[-1]):
            contents, links = chain(block, contents), chain([row], links)
            break
        if row[1] != b"".join(commitments):
            pairs = enumerate(zip(commitments, row_commitments(row), strict=False))
            sound = next((at for at, (own, stored) in pairs if own != stored), len(block))
            yield block[:sound], hashes[:sound], _chain_altered(number + sound)
            return
        yield block, hashes, None
        number, last = number + len(block), hashes[-1]
    yield from _one_by_one(secret, number, last, contents, links)


def _one_by_one(
    secret: bytes, number: int, last: bytes, contents: Iterator[Content], links: Iterator[Link]
) -> Iterator[_Block]:
    pairs = _paired(contents, _chain_entries(links))
    for pair in pairs:
        problem = _find_problem(secret, number, last, pair, pairs)
        _, content, entry = pair
        if problem is not None or content is None or entry is None:
            yield [], [], problem
            return
        last = link(last, number, entry[1])
        yield [content], [last], None
        number += 1


def _chain_entries(links: Iterator[Link]) -> Iterator[ChainEntry]:
    """Yield the chain entry of each record."""
    for row in links:
        *others, own = row_commitments(row)
        for number, commitment in enumerate(others, first_number(row)):
            yield number, commitment, None
        yield row[0], own, row[2]


def _verdict(game: str, head: Head, problem: _Problem | None) -> Verdict:
    records = head.number + 1
    if problem is None:
        return Verdict(game=game, records=records, head=head, ok=True)
    return Verdict(
        game=game,
        records=records,
        head=head,
        ok=False,
        number=problem.number,
        problem=problem.word,
        detail=problem.detail,
    )


def _compare_head(head: Head | None, number: int, digest: bytes) -> _Problem | None:
    if head is None or head.number != number or head.hash == digest.hex():
        return None
    detail = f"consistent up to #{number}, but not the history of the given head"
    return _Problem(number, "differs", detail)


def _find_head(head: Head | None, first: int, hashes: list[bytes]) -> tuple[_Problem | None, int]:
    """Compare *head* with its hash if that is among *hashes*; return also how many lead there.

    *first* is the number of the record of the first hash.
    """
    index = -1 if head is None else head.number - first
    if index not in range(len(hashes)):
        return None, len(hashes)
    return _compare_head(head, first + index, hashes[index]), index + 1


def _paired(contents: Iterator[Content], entries: Iterator[ChainEntry]) -> Iterator[Pair]:
    """Merge both streams by number, with None for whatever is missing."""
    content, entry = next(contents, None), next(entries, None)
    while content is not None or entry is not None:
        if entry is None or (content is not None and content[0] < entry[0]):
            assert content is not None
            yield content[0], content, None
            content = next(contents, None)
        elif content is None or entry[0] < content[0]:
            yield entry[0], None, entry
            entry = next(entries, None)
        else:
            yield entry[0], content, entry
            content, entry = next(contents, None), next(entries, None)


def _find_problem(
    secret: bytes, expected: int, last: bytes, pair: Pair, later: Iterator[Pair]
) -> _Problem | None:
    """Return what is wrong with *pair*, expected as number *expected* after hash *last*."""
    number, content, entry = pair
    if number < expected and content is None:
        return _chain_altered(expected)
    if number < expected:
        return _Problem(number, "inserted", "a record has an impossible number")
    if number > expected or content is None:
        return _Problem(expected, "missing", f"there is no #{expected}")
    if entry is None:
        return _unchained(number, later)
    commitment = commit(secret, number, content[1], content[2])
    fits_hash = entry[2] is not None and link(last, number, commitment) == entry[2]
    if commitment != entry[1] and not fits_hash:
        return _diagnose(secret, commitment, content, entry, later)
    if commitment != entry[1] or not (fits_hash or entry[2] is None):
        return _chain_altered(number)
    return None


def _read(
    contents: list[Content], hashes: list[bytes], sums: Sums, audit: Auditor | None
) -> tuple[int, _Problem | None]:
    """Return how many records precede the first wrong event, and the problem of that event.

    Their postings are added to *sums*. Without an *audit* nothing else is decoded.
    """
    if audit is None and _add_postings(contents, sums):
        return len(contents), None
    for index, ((number, topic, state), reached) in enumerate(zip(contents, hashes, strict=False)):
        try:
            body = decode(topic.decode(), state)
        except (CorruptError, UnicodeDecodeError) as error:
            why = f"#{number} is as it was written, but: {error}"
            return index, _Problem(number, "unreadable", why)
        if isinstance(body, Posted):
            add_postings(sums, (body,))
        finding = None if audit is None else audit.check(number, body, reached)
        if finding is not None:
            return index, _Problem(number, *finding)
    return len(contents), None


def _add_postings(contents: list[Content], sums: Sums) -> bool:
    """Add the postings of *contents* to *sums*.

    Return False if a kind of event is unknown or a posting is unreadable.
    """
    try:
        add_postings(
            sums, [decode_posted(state) for _, topic, state in contents if topic in _POSTED]
        )
    except msgspec.MsgspecError:
        return False
    return _KNOWN.issuperset(topic for _, topic, _ in contents)


def _chain_altered(number: int) -> _Problem:
    return _Problem(number, "chain", f"the chain was altered: it does not lead to #{number}")


def _unchained(number: int, later: Iterator[Pair]) -> _Problem:
    if any(entry is not None for _, _, entry in later):
        return _Problem(number, "chain", f"the chain was altered: it has no row for #{number}")
    detail = f"#{number} is stored after the end of the chain (or the chain's end was removed)"
    return _Problem(number, "inserted", detail)


def _diagnose(
    secret: bytes, commitment: bytes, content: Content, entry: ChainEntry, later: Iterator[Pair]
) -> _Problem:
    """Find out from the *later* commitments why *content* does not fit its number.

    A record is recognised by its commitment under the number it was written with. The chain still
    has that commitment under that number or, if both rows were moved, beside the record.
    """
    number, topic, state = content
    if number and commit(secret, number - 1, topic, state) == entry[1]:
        detail = f"the record written as #{number - 1} is stored as #{number}"
        return _Problem(number - 1, "inserted", detail)
    belongs = number + 1 if commit(secret, number + 1, topic, state) == entry[1] else None
    moved_to = None
    copied = chain_moved = others_fit = False
    records = links = number
    for other, other_content, other_entry in later:
        records = other if other_content else records
        links = other if other_entry else links
        chained_as = other_entry[1] if other_entry else None
        if belongs is None and commit(secret, other, topic, state) in (entry[1], chained_as):
            belongs, copied = other, other_content is not None and other_content[1:] == content[1:]
        if other_content is None:
            continue
        if moved_to is None and commit(secret, number, *other_content[1:]) in (
            entry[1],
            chained_as,
        ):
            moved_to = other
        own = commit(secret, other, *other_content[1:])
        chain_moved = chain_moved or chained_as == commitment or own == entry[1]
        others_fit = others_fit or own == chained_as
    if chain_moved:
        return _chain_altered(number)
    if moved_to is not None and (belongs is None or records > links):
        detail = f"the record written as #{number} is stored as #{moved_to}"
        return _Problem(number, "inserted", detail)
    if moved_to is not None:
        return _Problem(number, "swapped", f"#{number} has the content of #{belongs}")
    if belongs is not None and (records < links or not copied):
        detail = f"#{number} is gone; the content of #{belongs} is stored in its place"
        return _Problem(number, "missing", detail)
    detail = f"the content of #{number} is not what was written"
    if number == 0 and records > 0 and not others_fit:
        detail += (
            "; no other record fits either: the game's secret or its chain was changed. Without the"
            " right secret no record can be checked, no die of the open period can be drawn, and no"
            " sealed event can be opened: import an export, or copy a ledger, that still has it"
        )
    return _Problem(number, "altered", detail)
