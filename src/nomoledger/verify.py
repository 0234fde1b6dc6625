"""Verifying a ledger: is every record what was written, and if not, what was done to it?

One streaming pass re-hashes all content. At the first record that does not fit, the commitments
of the rest tell whether it was altered, removed, inserted or put elsewhere.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import Protocol

import msgspec

from nomoledger.chain import Head, chained, commit, link, origin
from nomoledger.codec import decode
from nomoledger.errors import CorruptError
from nomoledger.events import Event, Posted
from nomoledger.rollup import add, wrong_cell
from nomoledger.store import Cell, Content, Evidence, Link

#: So many records are held against the chain at once.
BLOCK = 500
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


#: What is wrong with a record, the record, and its row of the chain (empty where there is none).
_Looked = tuple[_Problem | None, Content, Link]
NO_CONTENT: Content = -1, b"", b""
NO_LINK: Link = -1, b"", b""


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
    written.
    """
    number, last = 0, origin(game)
    units: dict[Cell, int] = {}
    problem = _differs(head, -1, last)
    pairs = _looked_at(secret, last, evidence) if problem is None else iter(())
    for problem, content, row in pairs:
        if problem is None:
            problem = _read(content, row, units, audit)
        if problem is not None:
            break
        number, last = number + 1, row[2]
        problem = _differs(head, number - 1, last)
        if problem is not None:
            break
    if problem is None and head is not None and head.number >= number:
        detail = f"the ledger ends after {number} records, the head given is of #{head.number}"
        problem = _Problem(number, "cut off", detail)
    if problem is None and audit is not None and (lacking := audit.unsealed()):
        problem = _Problem(number, "cut off", lacking)
    if problem is None and (wrong := wrong_cell(units, evidence.cells)):
        problem = _Problem(None, "roll-up", f"{wrong}: nomoledger rebuild makes it anew")
    return _verdict(game, Head(number - 1, last.hex()), problem)


def _looked_at(secret: bytes, last: bytes, evidence: Evidence) -> Iterator[_Looked]:
    """Each record with its row of the chain; at last what is wrong with one, if it is.

    They are held against the chain block by block; a block in which something does not fit is gone
    through record by record, and all that follows with it.
    """
    number, contents, links = 0, evidence.contents, evidence.links
    while True:
        block, rows = list(islice(contents, BLOCK)), list(islice(links, BLOCK))
        following = range(number, number + len(block))
        records = ((topic, state) for _, topic, state in block)
        if [each[0] for each in block] != list(following) or rows != chained(
            secret, last, number, records
        ):
            break
        if not block:
            return
        for content, row in zip(block, rows, strict=True):
            yield None, content, row
        number, last = number + len(block), rows[-1][2]
    yield from _one_by_one(secret, number, last, chain(block, contents), chain(rows, links))


def _one_by_one(
    secret: bytes, number: int, last: bytes, contents: Iterator[Content], links: Iterator[Link]
) -> Iterator[_Looked]:
    pairs = _paired(contents, links)
    for pair in pairs:
        problem = _look(secret, number, last, pair, pairs)
        yield problem, pair[1] or NO_CONTENT, pair[2] or NO_LINK
        if pair[2] is not None:
            number, last = number + 1, pair[2][2]


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
    secret: bytes,
    expected: int,
    last: bytes,
    pair: Pair,
    rest: Iterator[Pair],
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
    content: Content, row: Link, units: dict[Cell, int], audit: Auditor | None
) -> _Problem | None:
    """What is wrong with what a sound record says; what it posts is added to *units*."""
    number, topic, state = content
    try:
        body = decode(topic.decode(), state)
    except (CorruptError, UnicodeDecodeError) as error:
        return _Problem(number, "unreadable", f"#{number} is as it was written, but: {error}")
    if isinstance(body, Posted):
        add(units, body)
    found = None if audit is None else audit.take(number, body, row[2])
    return None if found is None else _Problem(number, *found)


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
