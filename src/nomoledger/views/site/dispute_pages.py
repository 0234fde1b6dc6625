"""Disputes on the site: what is disputed, and the arguments."""

from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.game import evidence
from nomoledger.views.site.rule_pages import Link
from nomoledger.views.site.site_paths import Ref


class ArgumentOnPage(msgspec.Struct, frozen=True):
    """An argument, or evidence that the engine attached (*by* is None). *shows* describes it."""

    by: str | None
    text: str
    ref: Ref
    shows: tuple[str, ...]


class DisputePage(msgspec.Struct, frozen=True):
    """A dispute *of* a period or an event. *ruling* is the number of the ruling that closed it."""

    number: int
    by: str
    text: str
    ref: Ref
    of: Link
    period: int
    at: datetime
    arguments: tuple[ArgumentOnPage, ...] = ()
    ruling: int | None = None


class DisputePages:
    """The disputes so far, by number."""

    def __init__(self) -> None:
        self.by_number: dict[int, DisputePage] = {}
        self._closed_by: dict[str, int] = {}

    def apply(self, ref: Ref, body: e.Event, refs: dict[int, Ref]) -> None:
        """Apply the next event."""
        if isinstance(body, e.DisputeOpened):
            link = _subject(body, refs)
            dispute = DisputePage(
                body.number, body.by, body.text, ref, link, body.disputed, body.received_at
            )
            self.by_number[body.number] = dispute
        elif isinstance(body, e.DisputeArgued) and body.dispute in self.by_number:
            arguments = self.by_number[body.dispute].arguments
            self._update(body.dispute, arguments=(*arguments, _argument(ref, body)))
        elif isinstance(body, e.RulingMade) and body.closes in self.by_number:
            self._closed_by[body.id] = body.closes
            self._update(body.closes, ruling=body.number)
        elif isinstance(body, e.AttemptRefused) and body.attempt in self._closed_by:
            self._update(self._closed_by[body.attempt], ruling=None)

    def _update(self, number: int, **fields: object) -> None:
        self.by_number[number] = msgspec.structs.replace(self.by_number[number], **fields)


def _subject(body: e.DisputeOpened, refs: dict[int, Ref]) -> Link:
    if body.about is None:
        return Link(f"period {body.disputed}", f"period-{body.disputed}/index.html")
    ref = refs.get(body.about)
    return Link(f"#{body.about}", ref.path if ref else None)


def _argument(ref: Ref, body: e.DisputeArgued) -> ArgumentOnPage:
    by = None if body.by == "engine" else body.by
    return ArgumentOnPage(by, body.text, ref, tuple(evidence.describe_evidence(body.evidence)))
