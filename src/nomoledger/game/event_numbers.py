"""The numberings of events, and which event of the ledger a number in one of them means.

- `116` or `#116` is a number of the ledger: `log --admin` prints it.
- `public:264` is a number of the public log, the public export and the site.
- `Ann:17` is a number of the log of player Ann: `log --as Ann` prints it.
- `line:41` is the event that line 41 of an imported record became.
"""

import re
from collections.abc import Iterable, Sequence

from nomoledger import events as e
from nomoledger.errors import UnknownError, UsageError
from nomoledger.proof.public_stream import PublicStream

PUBLIC = "public"
LINE = "line"
#: What a person can write, as it is said where something else was written.
FORMS = "#116 (the ledger's), public:264, Ann:17 (as Ann's log has it) or line:41 (of a record)"
_REFERENCE = re.compile(r"(?:#|(?P<numbering>[^:#=]{1,200}):#?)?(?P<number>[0-9]{1,18})")
_OF_LINE = re.compile(r"(?:after-[0-9]+-)?line-([0-9]+)(?:-[0-9]+)?")


def is_event_reference(text: str) -> bool:
    """Return whether *text* is written as the number of an event, in one of the numberings.

    >>> [is_event_reference(text) for text in ("116", "#116", "public:264", "Ann:17", "land")]
    [True, True, True, True, False]
    """
    return _REFERENCE.fullmatch(text.strip()) is not None


def find_event(entries: Sequence[e.Entry], text: str) -> int:
    """Return the number in the ledger of the event that *text* names among *entries*.

    *entries* are all of the game, from the first.

    Raises:
        UsageError: *text* is not written as the number of an event, or means several events.
        UnknownError: there is no such event.
    """
    match = _REFERENCE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r:.60} is not an event: write {FORMS}")
    numbering, number = match["numbering"], int(match["number"])
    if numbering is None:
        return number
    if numbering == LINE:
        return _of_line(entries, number)
    readers = () if numbering == PUBLIC else (_player(entries, numbering),)
    found, last = _of_readers(entries, readers, number)
    if found is None:
        whose = "public log" if numbering == PUBLIC else f"log of {numbering}"
        raise UnknownError(f"there is no event {text.strip()}: the last in the {whose} is #{last}")
    return found


def _of_readers(
    entries: Iterable[e.Entry], readers: tuple[str, ...], wanted: int
) -> tuple[int | None, int]:
    """Return the event that *readers* know as *wanted*, and the last number that they know."""
    stream, numbers = PublicStream(readers), []
    for entry in entries:
        stream.take(entry.number, entry.body)
        numbers.append(entry.number)
    of = stream.terms.events.of
    return next((number for number in numbers if of(number) == wanted), None), stream.head


def _of_line(entries: Iterable[e.Entry], line: int) -> int:
    found, known = [], 0
    for entry in entries:
        if isinstance(entry.body, e.Input) and (match := _OF_LINE.fullmatch(entry.body.id)):
            known += 1
            if int(match[1]) == line:
                found.append(entry.number)
    if len(found) > 1:
        listed = ", ".join(f"#{number}" for number in found)
        raise UsageError(f"line:{line} means several events: write {listed}")
    if not found:
        why = "that line became no event" if known else "no record was imported into this game"
        raise UnknownError(f"there is no event line:{line}: {why}")
    return found[0]


def _player(entries: Iterable[e.Entry], name: str) -> str:
    """Return the id of the player called *name*."""
    bodies = [entry.body for entry in entries]
    players = [
        body for body in bodies if isinstance(body, e.EntityCreated) and body.kind == "player"
    ]
    for body in players:
        if name in (body.entity, body.attributes.get("name")):
            return body.entity
    known = ", ".join(body.entity for body in players) or "nobody"
    raise UnknownError(
        f"{name!r} numbers no events: write public:N, line:N or PLAYER:N; playing: {known}"
    )
