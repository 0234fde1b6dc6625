"""Verifying a ledger: is every record what was written, and if not, what was done to it?

One streaming pass re-hashes all content. At the first record that does not fit, the commitments
of the rest tell whether it was altered, removed, inserted or put elsewhere.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Protocol

import msgspec

from nomoledger.chain import Head, chained, commit, link, origin
from nomoledger.codec import EVENTS, decode
from nomoledger.derived.rollup import POSTED, Sums, add, cells, paid, wrong_cell
from nomoledger.errors import CorruptError
from nomoledger.events import Event, Posted
from nomoledger.store import Content, Evidence, Link

#: So many records are held against the chain at once: few enough to stay near the processor.
BLOCK = 64
#: What stands under a number: the record and its row of the chain.
Pair = tuple[int, Content | None, Link | None]


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
    """Looks at what the events say while they are verified; see `nomoledger.proof.audit`."""

    def take(self, number: int, body: Event, reached: bytes) -> tuple[str, str] | None:
        """What is wrong with event *number*, as a word and a sentence; *reached* the hash there."""

    def unsealed(self) -> str | None:
        """What is sealed and not there, once all events are taken."""


class _Problem(msgspec.Struct, frozen=True):
    number: int | None
    word: str
    detail: str


#: Sound records, their rows of the chain, and what is wrong with the record after them, if it is.
_Block = tuple[list[Content], list[Link], _Problem | None]
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
    for contents, rows, problem in blocks:
        differs, upto = _differing(head, rows)
        if differs is not None:
            contents, problem = contents[:upto], differs
        read, unsound = _read(contents, rows, sums, audit)
        problem = unsound or problem
        if read:
            number, last = number + read, rows[read - 1][2]
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


def _blocks(secret: bytes, last: bytes, evidence: Evidence) -> Iterator[_Block]:
    """Records with their rows of the chain, some at a time; at last what is wrong with one.

    They are held against the chain block by block; a block in which something does not fit is gone
    through record by record, and all that follows with it.
    """
    number, contents, links = 0, evidence.contents, evidence.links
    while True:
        block, rows = list(islice(contents, BLOCK)), list(islice(links, BLOCK))
        following = list(range(number, number + len(block)))
        if [each[0] for each in block] != following or rows != chained(secret, last, block):
            break
        if not block:
            return
        yield block, rows, None
        number, last = number + len(block), rows[-1][2]
    yield from _one_by_one(secret, number, last, chain(block, contents), chain(rows, links))


def _one_by_one(
    secret: bytes, number: int, last: bytes, contents: Iterator[Content], links: Iterator[Link]
) -> Iterator[_Block]:
    pairs = _paired(contents, links)
    for pair in pairs:
        problem = _look(secret, number, last, pair, pairs)
        _, content, row = pair
        if problem is not None or content is None or row is None:
            yield [], [], problem
            return
        yield [content], [row], None
        number, last = number + 1, row[2]


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


def _differing(head: Head | None, rows: list[Link]) -> tuple[_Problem | None, int]:
    """Whether the chain comes to another *head* within *rows*, and how many of them lead there."""
    place = -1 if head is None or not rows else head.number - rows[0][0]
    if place not in range(len(rows)):
        return None, len(rows)
    return _differs(head, *rows[place][::2]), place + 1


def _paired(contents: Iterator[Content], links: Iterator[Link]) -> Iterator[Pair]:
    """Both streams as one, by number; where one has no row for a number, None stands."""
    content, row = next(contents, None), next(links, None)
    while content is not None or row is not None:
        if row is None or (content is not None and content[0] < row[0]):
            assert content is not None
            yield content[0], content, None
            content = next(contents, None)
        elif content is None or row[0] < content[0]:
            yield row[0], None, row
            row = next(links, None)
        else:
            yield row[0], content, row
            content, row = next(contents, None), next(links, None)


def _look(
    secret: bytes, expected: int, last: bytes, pair: Pair, rest: Iterator[Pair]
) -> _Problem | None:
    """What is wrong with *pair*, which ought to be number *expected* and to follow *last*."""
    number, content, row = pair
    if number < expected and content is None:
        return _chain(expected)
    if number < expected:
        return _Problem(number, "inserted", "a record bears a number that none can have")
    if number > expected or content is None:
        return _Problem(expected, "missing", f"there is no #{expected}")
    if row is None:
        return _unchained(number, rest)
    commitment = commit(secret, number, content[1], content[2])
    if commitment != row[1] and link(last, number, commitment) != row[2]:
        return _diagnose(secret, commitment, content, row, rest)
    if commitment != row[1] or link(last, number, commitment) != row[2]:
        return _chain(number)
    return None


def _read(
    contents: list[Content], rows: list[Link], sums: Sums, audit: Auditor | None
) -> tuple[int, _Problem | None]:
    """How many sound records are read before one says something wrong, and what is wrong with that.

    What they post is added to *sums*. With no *audit* nothing else is decoded.
    """
    if audit is None and _summed(contents, sums):
        return len(contents), None
    for place, ((number, topic, state), row) in enumerate(zip(contents, rows, strict=False)):
        try:
            body = decode(topic.decode(), state)
        except (CorruptError, UnicodeDecodeError) as error:
            why = f"#{number} is as it was written, but: {error}"
            return place, _Problem(number, "unreadable", why)
        if isinstance(body, Posted):
            add(sums, (body,))
        found = None if audit is None else audit.take(number, body, row[2])
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
    secret: bytes, commitment: bytes, content: Content, row: Link, rest: Iterator[Pair]
) -> _Problem:
    """Tell by the commitments in the *rest* how *content* came to stand where it does not fit.

    A record is known by the commitment it opens under the number it was written with, which
    still stands under that number or, when both rows were moved, beside the record.
    """
    number, topic, state = content
    if number and commit(secret, number - 1, topic, state) == row[1]:
        detail = f"what was #{number - 1} stands at #{number}"
        return _Problem(number - 1, "inserted", detail)
    belongs = number + 1 if commit(secret, number + 1, topic, state) == row[1] else None
    found = None
    copied = chain_moved = others_fit = False
    records = links = number
    for other, content_, row_ in rest:
        records = other if content_ else records
        links = other if row_ else links
        theirs = row_[1] if row_ else None
        if belongs is None and commit(secret, other, topic, state) in (row[1], theirs):
            belongs, copied = other, content_ is not None and content_[1:] == content[1:]
        if content_ is None:
            continue
        if found is None and commit(secret, number, *content_[1:]) in (row[1], theirs):
            found = other
        own = commit(secret, other, *content_[1:])
        chain_moved = chain_moved or theirs == commitment or own == row[1]
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
