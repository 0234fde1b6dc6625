"""The outline of a game's public history: its periods, and what later events say of each."""

import hashlib
from collections.abc import Sequence
from uuid import NAMESPACE_URL, uuid5

import msgspec

from nomoledger import events as e
from nomoledger.events.codec import encode, tag_of
from nomoledger.game.forecast import Forecast
from nomoledger.proof.public_stream import apply_public
from nomoledger.state.disputes import StandingMark, standing_mark
from nomoledger.state.world import World
from nomoledger.views.site.corrections import CorrectedPeriod, Corrections
from nomoledger.views.site.declared_pages import page_path, pages_in
from nomoledger.views.site.site_paths import Slugs

#: The public events of a game, each with whether it stands apart (see `public_entries`).
Public = Sequence[tuple[e.Entry, bool]]


class PeriodOutline(msgspec.Struct, frozen=True):
    """One period of the public history.

    Attributes:
        number: The number of the period.
        is_open: Whether the period is open.
        titles: The titles of the pages that rules declare, by path.
        end: The number of public events up to the close, or up to now.
        starts: The place of the input that led to the first event of the period.
        digest: The SHA-256 of the public events up to the close, or up to now.
        mark: The public mark of the standings, as known now.
        corrected: How later rulings corrected the period, if any did.
    """

    number: int
    is_open: bool
    titles: dict[str, str]
    end: int
    starts: int
    digest: str
    mark: StandingMark
    corrected: CorrectedPeriod | None


class SettledRuling(msgspec.Struct, frozen=True):
    """The settlement of a ruling: the number of public events up to it, and their SHA-256."""

    end: int
    digest: str


class Outline(msgspec.Struct, frozen=True):
    """The periods of a game, and what its rulings corrected.

    *slugs* are the file names of the pages that rules declare. *origin* is the digest of the first
    public event, which no other game has. *how_to_submit* are the admin's words about that.
    *forecast* is what a page of the site shows; None for no such page.
    *settled* are the settlements of rulings, by number of the ruling.
    """

    game: str
    rulebook: str
    periods: tuple[PeriodOutline, ...]
    slugs: Slugs
    corrections: Corrections
    origin: str
    how_to_submit: str | None = None
    settled: dict[int, SettledRuling] = {}
    forecast: Forecast | None = None

    def id_of(self, key: str) -> str:
        """Return the name of *key* in this game, the same for ever and different in any other."""
        return uuid5(NAMESPACE_URL, f"nomoledger:{self.origin}:{key}").urn


def outline_of(
    game: str, public: Public, how_to_submit: str | None = None, forecast: Forecast | None = None
) -> Outline:
    """Return the outline of *game* from its *public* events.

    *how_to_submit* are the words of the admin about how players make requests. *forecast* is what
    a page shows, if there is one.
    """
    reader = _OutlineReader()
    for place, (entry, _) in enumerate(public):
        reader.take(place, entry.body)
    reader.end(len(public), reader.world.period, is_open=True)
    world = reader.world
    return Outline(
        game=game,
        rulebook=world.game.get("rulebook", ""),
        periods=tuple(map(reader.with_hindsight, reader.periods)),
        slugs=reader.slugs,
        corrections=reader.corrections,
        origin=f"{game} {reader.origin}",
        how_to_submit=how_to_submit,
        settled=reader.settled,
        forecast=forecast,
    )


class _OutlineReader:
    """Applies the public events in order."""

    def __init__(self) -> None:
        self.world = World()
        self.corrections = Corrections(self.world)
        self.periods: list[PeriodOutline] = []
        self.settled: dict[int, SettledRuling] = {}
        self.slugs = Slugs()
        self.origin = ""
        self._digest = hashlib.sha256()
        self._input = 0
        self._starts = 0

    def take(self, place: int, body: e.Event) -> None:
        """Apply the event at *place*."""
        if isinstance(body, e.Input):
            self._input = place
        # No page shows when an event was recorded, or the digest of a state that may be secret.
        shown = msgspec.structs.replace(body, recorded_at=body.received_at)
        if isinstance(shown, e.PeriodClosed):
            shown = msgspec.structs.replace(shown, digest="")
        self._digest.update(tag_of(body).encode())
        self._digest.update(encode(shown))
        self.origin = self.origin or self._digest.hexdigest()
        self.corrections.before(body)
        apply_public(self.world, body)
        self.corrections.after(body)
        if isinstance(body, e.Settled):
            self.settled[body.ruling] = SettledRuling(place + 1, self._digest.hexdigest())
        if isinstance(body, e.PeriodClosed):
            self.end(place + 1, body.period, is_open=False)

    def end(self, end: int, period: int, *, is_open: bool) -> None:
        """Add *period*, which the first *end* events lead up to."""
        titles = self._titles(self.world)
        digest = self._digest.hexdigest()
        outline = PeriodOutline(
            period, is_open, titles, end, self._starts, digest, StandingMark(), None
        )
        self.periods.append(outline)
        self._starts = self._input

    def with_hindsight(self, period: PeriodOutline) -> PeriodOutline:
        """Return *period* with what the events after it say of it."""
        corrected = self.corrections.periods.get(period.number)
        titles = period.titles
        if corrected is not None and corrected.rules:
            titles = self._titles(self.corrections.known(period.number, self.world))
        mark = standing_mark(self.world, period.number, None)
        return msgspec.structs.replace(period, titles=titles, mark=mark, corrected=corrected)

    def _titles(self, world: World) -> dict[str, str]:
        """Return the titles of the pages that the rules of *world* declare, by path."""
        return {page_path(self.slugs, title): title for title in pages_in(world)}
