"""The published site: the public pages of a game, period by period."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from nomoledger.game.forecast import Forecast
from nomoledger.ledger.ledger import Ledger
from nomoledger.views.site import manifest
from nomoledger.views.site.folder import NewFolder, replacing
from nomoledger.views.site.forecast_page import check_forecast
from nomoledger.views.site.history_page import HistoryPage, read_history
from nomoledger.views.site.manifest import Manifest, PeriodPages
from nomoledger.views.site.outline import Public, outline_of
from nomoledger.views.site.pages import render_period, render_present, static_files
from nomoledger.views.site.public_view import public_entries
from nomoledger.views.site.ruled_play import RuledPlays, ruled_plays
from nomoledger.views.site.search_page import LogWords, words_of_log

__all__ = ["Published", "publish", "render_site"]

Advance = Callable[[int], None]


class Published(NamedTuple):
    """The number of *pages* of a site, and how many of them were *made* and not kept."""

    pages: int
    made: int


def publish(
    ledger: Ledger,
    game: str,
    folder: str | Path,
    advance: Advance = lambda count: None,
    how_to_submit: str | None = None,
    *,
    forecast: Forecast | None = None,
    dry_run: bool = False,
) -> Published:
    """Write the site of *game* to *folder*.

    The site holds public information only. It replaces an earlier site in *folder* as a whole. The
    pages of closed periods that nothing has changed since are kept as they are. *advance* is called
    with the number of events that were read, twice for each event. *how_to_submit* is what the
    front page says about that, as it is; without it, the page names the commands. A page shows
    the *forecast*, if there is one. For a *dry_run*, all pages are made that would be written, and
    nothing is written.

    Raises:
        UsageError: *folder* holds something other than a site, or *forecast* is of another game.
        UnknownError: The ledger has no such game.
    """
    public = _read(ledger, game, advance)
    if forecast is not None:
        check_forecast(forecast, game, public)
    with replacing(Path(folder), dry_run=dry_run) as site:
        outline = outline_of(game, public, how_to_submit, forecast)
        known = manifest.read_manifest(site.old)
        kept = manifest.reusable(known, site.old, outline)
        plays = ruled_plays(outline, public, known.rulings)
        for period in kept.values():
            for path in period.pages:
                site.keep(path)
        wanted = [period.number for period in outline.periods if period.number not in kept]
        made = {str(number): period for number, period in kept.items()}
        logs = {number: period.words for number, period in kept.items()}
        for history in read_history(ledger, outline, public, wanted, advance):
            logs[history.moment.period] = words_of_log(history.moment.groups)
            pages = _write(site, history, plays, logs)
            key = manifest.key_of(outline, len(history.upto) - 1)
            if key is not None and history.is_complete:
                number = history.moment.period
                made[str(number)] = PeriodPages(key, pages, logs[number])
        for path, text in static_files():
            site.write(path, text)
        rulings = {str(number): play for number, play in plays.items()}
        site.write(manifest.MANIFEST, Manifest(periods=made, rulings=rulings).encode())
    count = sum(path.endswith(".html") for path in site.paths)
    return Published(count, count - sum(len(period.pages) for period in kept.values()))


def render_site(ledger: Ledger, game: str) -> dict[str, str]:
    """Return all pages of the site of *game*, by path."""
    public = _read(ledger, game, lambda count: None)
    outline = outline_of(game, public)
    pages = dict(static_files())
    plays, logs = ruled_plays(outline, public, {}), dict[int, str]()
    every = [period.number for period in outline.periods]
    for history in read_history(ledger, outline, public, every, lambda count: None):
        logs[history.moment.period] = words_of_log(history.moment.groups)
        pages |= dict(_rendered(history, plays, logs))
    return pages


def _read(ledger: Ledger, game: str, advance: Advance) -> Public:
    public = []
    for entry in public_entries(ledger, game):
        public.append(entry)
        advance(1)
    return public


def _rendered(history: HistoryPage, plays: RuledPlays, logs: LogWords) -> Iterator[tuple[str, str]]:
    yield from render_period(history)
    if history.moment.is_open:
        yield from render_present(history, plays, logs)


def _write(
    site: NewFolder, history: HistoryPage, plays: RuledPlays, logs: LogWords
) -> dict[str, str]:
    """Write the pages of *history*, and return their digests by path."""
    return {path: site.write(path, text) for path, text in _rendered(history, plays, logs)}
