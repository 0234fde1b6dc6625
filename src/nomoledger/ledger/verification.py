"""Verifying a ledger: is every record what was written, and if not, what was done to it?

One streaming pass re-hashes all content. At the first record that does not fit, the commitments
of the rest tell whether it was altered, removed, inserted or put elsewhere.
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
    chained,
    commit,
    first_of,
    link,
    origin,
    row_commitments,
)
from nomoledger.ledger.rollup import POSTED, Sums, add, cells, paid, wrong_cell
from nomoledger.ledger.stores.store import Content, Evidence

#: At least so many records are held against the chain at once, as long as there are.
BLOCK = 64
#: What the chain says of a record: its number, its commitment, and its hash where a row ends.
Told = tuple[int, bytes, bytes | None]
#: What stands under a number: the record, and what the chain says of it.
Pair = tuple[int, Content | None, Told | None]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What verifying *game* found.

    Attributes:
        records: how many records, from number 0 on, are as they were written.
        head: the head of those records, recomputed from their content.
        ok: nothing is wrong.
        number: the first record that is wrong; None when none is.
        problem: what is wrong with it:
            "altered" (its content), "missing", "inserted", "swapped" (out of order),
            "chain" (its row of the chain is missing or altered), "unreadable" (as written, but
            this version does not understand it), "cut off" (the ledger ends before the given
            head, or before a seal), "differs" (the history up to the given head is another one),
            "roll-up" (it is not what the records come to; there is no number then),
            "unlisted" (there are records of a game that is not in the ledger; nor then),
            or what an audit found: "state", "dice", "seal", "published".
        detail: the same as a sentence.
    """

    game: str
    records: int
    head: Head
    ok: bool
    number: int | None = None
    problem: str | None = None
    detail: str | None = None


class Auditor(Protocol):
    """Looks at what the events say while they are verified; see `nomoledger.proof.content_audit`."""

    def take(self, number: int, body: Event, reached: bytes) -> tuple[str, str] | None:
        """What is wrong with event *number*, as a word and a sentence; *reached* the hash there."""

    def unsealed(self) -> str | None:
        """What is sealed and not there, once all events are taken."""


class _Problem(msgspec.Struct, frozen=True):
    number: int | None
    word: str
    detail: str


#: Sound records, their hashes, and what is wrong with the record after them, if something is.
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
    """Recompute the chain and the roll-up of *game*, and hold the *evidence* against them.

    *head* is one kept elsewhere: without it, a chain rewritten from some record on, or a tail cut
    off together with its chain, looks sound. An *audit* looks at each event that is as it was
    written; without one only the kinds of events are looked at, and what they post.
    """
    number, last = 0, origin(game)
    sums: Sums = {}
    problem = _differs(head, -1, last)
    blocks = _blocks(secret, last, evidence) if problem is None else iter(())
    for contents, hashes, problem in blocks:
        differs, upto = _differing(head, number, hashes)
        if differs is not None:
            contents, problem = contents[:upto], differs
        read, unsound = _read(contents, hashes, sums, audit)
        problem = unsound or problem
        if read:
            number, last = number + read, hashes[read - 1]
        if problem is not None:
            break
    if problem is None and head is not None and head.number >= number:
        detail = f"the ledger ends after {number} records, the head given is of #{head.number}"
        problem = _Problem(number, "cut off", detail)
    if problem is None and audit is not None and (lacking := audit.unsealed()):
        problem = _Problem(number, "cut off", lacking)
    if problem is None and (wrong := wrong_cell(cells(sums), evidence.cells)):
        problem = _Problem(None, "roll-up", f"{wrong}: nomoledger rebuild makes it anew")
    return _verdict(game, Head(number - 1, last.hex()), problem)


def unlisted(game: str) -> Verdict:
    """That there are records of *game*, which is not among the games."""
    detail = "it has records, but is not among the games: its name was altered, or its row is gone"
    return _verdict(game, Head(-1, origin(game).hex()), _Problem(None, "unlisted", detail))


def _blocks(secret: bytes, last: bytes, evidence: Evidence) -> Iterator[_Block]:
    """Records with their hashes, some at a time; at last what is wrong with one.

    They are held against the chain some rows at a time; where something does not fit they are gone
    through row by row, and from the first that does not fit on record by record.
    """
    number, contents, links = 0, evidence.contents, evidence.links
    while True:
        rows = _some(links)
        block = list(islice(contents, sum(len(row[1]) for row in rows) // SIZE or 1))
        if not rows and not block:
            return
        if not _follow(number, block):
            break
        commitments, hashes = chained(secret, last, block)
        if not _fit(number, rows, commitments, hashes):
            break
        yield block, hashes, None
        number, last = number + len(block), hashes[-1]
    yield from _row_by_row(secret, number, last, chain(block, contents), chain(rows, links))


def _some(links: Iterator[Link]) -> list[Link]:
    """Rows of the chain that are for at least `BLOCK` records together; fewer at the end."""
    rows, size = [], 0
    for row in links:
        rows.append(row)
        size += len(row[1])
        if size >= BLOCK * SIZE:
            break
    return rows


def _follow(number: int, block: list[Content]) -> bool:
    """Whether *block* is numbered from *number* on."""
    return [each[0] for each in block] == list(range(number, number + len(block)))


def _fit(number: int, rows: list[Link], commitments: list[bytes], hashes: list[bytes]) -> bool:
    """Whether *rows* are for just these records, from *number* on."""
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
    """The same a row at a time: a row whose hash is right shows which commitment was altered."""
    for row in links:
        block = list(islice(contents, len(row_commitments(row))))
        reached = number + len(block) - 1
        commitments, hashes = chained(secret, last, block) if _follow(number, block) else ([], [])
        if not hashes or (row[0], row[2]) != (reached, hashes[-1]):
            contents, links = chain(block, contents), chain([row], links)
            break
        if row[1] != b"".join(commitments):
            pairs = enumerate(zip(commitments, row_commitments(row), strict=False))
            sound = next((at for at, (own, told) in pairs if own != told), len(block))
            yield block[:sound], hashes[:sound], _chain(number + sound)
            return
        yield block, hashes, None
        number, last = number + len(block), hashes[-1]
    yield from _one_by_one(secret, number, last, contents, links)


def _one_by_one(
    secret: bytes, number: int, last: bytes, contents: Iterator[Content], links: Iterator[Link]
) -> Iterator[_Block]:
    pairs = _paired(contents, _told(links))
    for pair in pairs:
        problem = _look(secret, number, last, pair, pairs)
        _, content, told = pair
        if problem is not None or content is None or told is None:
            yield [], [], problem
            return
        last = link(last, number, told[1])
        yield [content], [last], None
        number += 1


def _told(links: Iterator[Link]) -> Iterator[Told]:
    """What the chain says of each record."""
    for row in links:
        *others, own = row_commitments(row)
        for number, commitment in enumerate(others, first_of(row)):
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


def _differs(head: Head | None, number: int, digest: bytes) -> _Problem | None:
    if head is None or head.number != number or head.hash == digest.hex():
        return None
    detail = f"consistent up to #{number}, but not the history that the head given stands for"
    return _Problem(number, "differs", detail)


def _differing(head: Head | None, first: int, hashes: list[bytes]) -> tuple[_Problem | None, int]:
    """Whether the chain comes to another *head* within *hashes*, and how many of them lead there.

    The *first* is the number of the record that has the first hash.
    """
    place = -1 if head is None else head.number - first
    if place not in range(len(hashes)):
        return None, len(hashes)
    return _differs(head, first + place, hashes[place]), place + 1


def _paired(contents: Iterator[Content], told: Iterator[Told]) -> Iterator[Pair]:
    """Both streams as one, by number; where one has nothing for a number, None stands."""
    content, row = next(contents, None), next(told, None)
    while content is not None or row is not None:
        if row is None or (content is not None and content[0] < row[0]):
            assert content is not None
            yield content[0], content, None
            content = next(contents, None)
        elif content is None or row[0] < content[0]:
            yield row[0], None, row
            row = next(told, None)
        else:
            yield row[0], content, row
            content, row = next(contents, None), next(told, None)


def _look(
    secret: bytes, expected: int, last: bytes, pair: Pair, rest: Iterator[Pair]
) -> _Problem | None:
    """What is wrong with *pair*, which ought to be number *expected* and to follow *last*."""
    number, content, told = pair
    if number < expected and content is None:
        return _chain(expected)
    if number < expected:
        return _Problem(number, "inserted", "a record bears a number that none can have")
    if number > expected or content is None:
        return _Problem(expected, "missing", f"there is no #{expected}")
    if told is None:
        return _unchained(number, rest)
    commitment = commit(secret, number, content[1], content[2])
    leads = told[2] is not None and link(last, number, commitment) == told[2]
    if commitment != told[1] and not leads:
        return _diagnose(secret, commitment, content, told, rest)
    if commitment != told[1] or not (leads or told[2] is None):
        return _chain(number)
    return None


def _read(
    contents: list[Content], hashes: list[bytes], sums: Sums, audit: Auditor | None
) -> tuple[int, _Problem | None]:
    """How many sound records are read before one says something wrong, and what is wrong with that.

    What they post is added to *sums*. With no *audit* nothing else is decoded.
    """
    if audit is None and _summed(contents, sums):
        return len(contents), None
    for place, ((number, topic, state), reached) in enumerate(zip(contents, hashes, strict=False)):
        try:
            body = decode(topic.decode(), state)
        except (CorruptError, UnicodeDecodeError) as error:
            why = f"#{number} is as it was written, but: {error}"
            return place, _Problem(number, "unreadable", why)
        if isinstance(body, Posted):
            add(sums, (body,))
        found = None if audit is None else audit.take(number, body, reached)
        if found is not None:
            return place, _Problem(number, *found)
    return len(contents), None


def _summed(contents: list[Content], sums: Sums) -> bool:
    """Whether all *contents* are of kinds that are known, and what they post could be summed."""
    try:
        add(sums, [paid(state) for _, topic, state in contents if topic in _POSTED])
    except msgspec.MsgspecError:
        return False
    return _KNOWN.issuperset(topic for _, topic, _ in contents)


def _chain(number: int) -> _Problem:
    return _Problem(number, "chain", f"the chain was altered: it does not lead to #{number}")


def _unchained(number: int, rest: Iterator[Pair]) -> _Problem:
    if any(row is not None for _, _, row in rest):
        return _Problem(number, "chain", f"the chain was altered: it has no row for #{number}")
    detail = f"#{number} stands behind the end of the chain (or the chain's end was removed)"
    return _Problem(number, "inserted", detail)


def _diagnose(
    secret: bytes, commitment: bytes, content: Content, told: Told, rest: Iterator[Pair]
) -> _Problem:
    """Tell by the commitments in the *rest* how *content* came to stand where it does not fit.

    A record is known by the commitment it opens under the number it was written with, which
    still stands under that number or, when both rows were moved, beside the record.
    """
    number, topic, state = content
    if number and commit(secret, number - 1, topic, state) == told[1]:
        detail = f"what was #{number - 1} stands at #{number}"
        return _Problem(number - 1, "inserted", detail)
    belongs = number + 1 if commit(secret, number + 1, topic, state) == told[1] else None
    found = None
    copied = chain_moved = others_fit = False
    records = links = number
    for other, content_, row_ in rest:
        records = other if content_ else records
        links = other if row_ else links
        theirs = row_[1] if row_ else None
        if belongs is None and commit(secret, other, topic, state) in (told[1], theirs):
            belongs, copied = other, content_ is not None and content_[1:] == content[1:]
        if content_ is None:
            continue
        if found is None and commit(secret, number, *content_[1:]) in (told[1], theirs):
            found = other
        own = commit(secret, other, *content_[1:])
        chain_moved = chain_moved or theirs == commitment or own == told[1]
        others_fit = others_fit or own == theirs
    if chain_moved:
        return _chain(number)
    if found is not None and (belongs is None or records > links):
        return _Problem(number, "inserted", f"what was #{number} stands at #{found}")
    if found is not None:
        return _Problem(number, "swapped", f"#{number} holds what was #{belongs}")
    if belongs is not None and (records < links or not copied):
        detail = f"what was #{number} is gone; what was #{belongs} stands in its place"
        return _Problem(number, "missing", detail)
    detail = f"the content of #{number} is not what was written"
    if number == 0 and records > 0 and not others_fit:
        detail += ", nor is that of any other: the game's secret was changed, or its chain"
    return _Problem(number, "altered", detail)
