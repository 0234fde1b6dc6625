"""Disputes on the site: what is disputed, and what was said on it."""

import msgspec

from nomoledger import events as e
from nomoledger.game import evidence
from nomoledger.views.site.names import Ref
from nomoledger.views.site.rule_pages import Link


class ArgumentOnPage(msgspec.Struct, frozen=True):
    """What somebody said, or what was attached (*by* is None), with what that shows."""

    by: str | None
    text: str
    ref: Ref
    shows: tuple[str, ...]


class DisputePage(msgspec.Struct, frozen=True):
    """A dispute *of* a period or an event; *ruling* is the one that closed it."""

    number: int
    by: str
    text: str
    ref: Ref
    of: Link
    period: int
    arguments: tuple[ArgumentOnPage, ...] = ()
    ruling: int | None = None


class DisputePages:
    """The disputes so far, by number."""

    def __init__(self) -> None:
        self.found: dict[int, DisputePage] = {}
        self._closed: dict[str, int] = {}

    def take(self, ref: Ref, body: e.Event, refs: dict[int, Ref]) -> None:
        """Take in what an event says."""
        if isinstance(body, e.DisputeOpened):
            of = _of(body, refs)
            made = DisputePage(body.number, body.by, body.text, ref, of, body.disputed)
            self.found[body.number] = made
        elif isinstance(body, e.DisputeArgued) and body.dispute in self.found:
            said = self.found[body.dispute].arguments
            self._change(body.dispute, arguments=(*said, _argument(ref, body)))
        elif isinstance(body, e.RulingMade) and body.closes in self.found:
            self._closed[body.id] = body.closes
            self._change(body.closes, ruling=body.number)
        elif isinstance(body, e.AttemptRefused) and body.attempt in self._closed:
            self._change(self._closed[body.attempt], ruling=None)

    def _change(self, number: int, **fields: object) -> None:
        self.found[number] = msgspec.structs.replace(self.found[number], **fields)


def _of(body: e.DisputeOpened, refs: dict[int, Ref]) -> Link:
    if body.about is None:
        return Link(f"period {body.disputed}", f"period-{body.disputed}/index.html")
    found = refs.get(body.about)
    return Link(f"#{body.about}", found.path if found else None)


def _argument(ref: Ref, body: e.DisputeArgued) -> ArgumentOnPage:
    by = None if body.by == "engine" else body.by
    return ArgumentOnPage(by, body.text, ref, tuple(evidence.describe_evidence(body.evidence)))
