"""The feed of a site (Atom, RFC 4287): closed periods, rulings, disputes and proposals.

The standard library writes the XML. The same ledger gives the same bytes: ids come from the opening
of the game and from numbers, and times from the events.
"""

from collections.abc import Iterator
from datetime import datetime
from xml.etree import ElementTree

import msgspec

from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.site_paths import folder_of
from nomoledger.views.site.text import harmless

PATH = "feed.xml"
ENTRIES_MAX = 60
_ATOM = "http://www.w3.org/2005/Atom"


class FeedEntry(msgspec.Struct, frozen=True):
    """Something that happened *at* a time. *key* names it for ever, *path* leads to its page."""

    key: str
    at: datetime
    title: str
    text: str
    path: str


def feed_of(history: HistoryPage) -> str:
    """Return the feed with the newest entries of *history*."""
    outline = history.outline
    entries = sorted(_entries(history), key=lambda entry: (entry.at, entry.key), reverse=True)
    ElementTree.register_namespace("", _ATOM)
    feed = ElementTree.Element(f"{{{_ATOM}}}feed")
    _add(feed, "id", outline.id_of("feed"))
    _add(feed, "title", outline.game)
    _add(feed, "updated", _time(max((entry.at for entry in entries), default=history.moment.now)))
    _add(_add(feed, "author", ""), "name", "nomoledger")
    _add(feed, "link", "", rel="self", href=PATH)
    _add(feed, "link", "", rel="alternate", type="text/html", href="index.html")
    for entry in entries[:ENTRIES_MAX]:
        element = _add(feed, "entry", "")
        _add(element, "id", outline.id_of(entry.key))
        _add(element, "title", entry.title)
        _add(element, "updated", _time(entry.at))
        _add(element, "link", "", rel="alternate", type="text/html", href=entry.path)
        _add(element, "summary", entry.text, type="text")
    ElementTree.indent(feed, " ")
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(feed, "unicode") + "\n"


def _add(
    parent: ElementTree.Element, name: str, text: str, **attributes: str
) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}", attributes)
    element.text = harmless(text) or None
    return element


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _entries(history: HistoryPage) -> Iterator[FeedEntry]:
    moment = history.moment
    for past in history.upto:
        if not past.is_open:
            leaders = ", ".join(
                f"{standing.rank.text}. {standing.player.name}"
                + (f" ({standing.money.text} {moment.money})" if standing.money else "")
                for standing in past.standings
            )
            yield FeedEntry(
                f"period {past.period}", past.now, f"Period {past.period} is closed",
                leaders or "Nobody plays yet.", f"{folder_of(past.period)}index.html",
            )  # fmt: skip
    for ruling in moment.rulings:
        yield FeedEntry(
            f"ruling {ruling.number}", ruling.at, f"Ruling {ruling.number}", ruling.text,
            f"rulings/{ruling.number}.html",
        )  # fmt: skip
    for dispute in moment.disputes:
        title = f"Dispute {dispute.number} of {dispute.of.text} by {dispute.by}"
        path = f"disputes/{dispute.number}.html"
        yield FeedEntry(f"dispute {dispute.number}", dispute.at, title, dispute.text, path)
    for proposal in moment.proposals:
        title = f"Proposal {proposal.number} by {proposal.by}"
        path = f"proposals.html#p{proposal.number}"
        yield FeedEntry(f"proposal {proposal.number}", proposal.at, title, proposal.text, path)
