"""The pages of the site: the list of pages, and the values that each template receives."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from nomoledger.views.site.event_log import EventGroup, EventLine
from nomoledger.views.site.figures import PlayerLink
from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.linked_chart import amounts, ranks
from nomoledger.views.site.moment import Moment, PlayerEntry
from nomoledger.views.site.rule_pages import RulePage
from nomoledger.views.site.site_paths import folder_of
from nomoledger.views.site.text import finalize, prose

#: The pages of every period, in the order of the menu: template and title.
MENU = {
    "index": "Overview",
    "standings": "Standings",
    "board": "Board",
    "players": "Players",
    "accounts": "Accounts",
    "proposals": "Proposals",
    "rules": "Rules",
    "rulings": "Rulings",
    "log": "Log",
}
LATEST = 8


def render_pages(history: HistoryPage) -> dict[str, str]:
    """Return all files of the site, by path."""
    style = (files("nomoledger.views.site") / "templates" / "style.css").read_text("utf-8")
    pages = {"style.css": style}
    for moment in history.moments:
        pages |= _PeriodPages(history, moment, folder_of(moment.period)).pages()
    pages |= _PeriodPages(history, history.last, "").pages()
    for page in history.rules:
        pages[page.path] = _render("rule", history, page.path, **_rule_values(history, page))
    return pages


def _rule_values(history: HistoryPage, page: RulePage) -> dict[str, Any]:
    """Return the values for the page of a rule: authors of proposals, and interpreting rulings."""
    last = history.last
    return {
        "page": page,
        "menu_at": "rules",
        "authors": {f"proposals.html#p{p.number}": p.by for p in last.proposals},
        "rulings": [ruling for ruling in last.rulings if ruling.interprets(page.path)],
    }


class _PeriodPages:
    """The pages of one moment, in their *folder*."""

    def __init__(self, history: HistoryPage, moment: Moment, folder: str) -> None:
        self.history = history
        self.moment = moment
        self.folder = folder

    def pages(self) -> dict[str, str]:
        return dict(self._pages())

    def _pages(self) -> Iterator[tuple[str, str]]:
        for name in MENU:
            template = "logs" if name == "log" and not self.folder else name
            yield self._page(template, f"{self.folder}{name}.html", name, **self._values(name))
        if self.folder:
            yield self._page("why", f"{self.folder}why.html", "log")
        for declared in self.moment.declared:
            path = f"{self.folder}{declared.name}.html"
            yield self._page("declared", path, declared.name, page=declared)
        for player in self.moment.players:
            path = f"{self.folder}players/{player.person.slug}.html"
            yield self._page("player", path, "players", **self._player_values(player))

    def _page(self, template: str, path: str, menu_at: str, **values: Any) -> tuple[str, str]:
        shared = {"moment": self.moment, "folder": self.folder, "menu_at": menu_at}
        return path, _render(template, self.history, path, **shared, **values)

    def _values(self, name: str) -> dict[str, Any]:
        if name == "index":
            return {"latest": self._latest(), "charts": self._charts()}
        if name == "standings":
            return {"charts": self._charts(), "upto": self._upto(), "people": self._people()}
        return {}

    def _upto(self) -> list[Moment]:
        return [m for m in self.history.moments if m.period <= self.moment.period]

    def _people(self) -> list[PlayerLink]:
        """Return all players up to the moment, in the order of joining."""
        people = {s.player.slug: s.player for moment in self._upto() for s in moment.standings}
        return sorted(people.values(), key=lambda person: person.place)

    def _charts(self, only: PlayerLink | None = None) -> list[Any]:
        people = self._people() if only is None else [only]
        by_rank: dict[str, dict[int, float]] = {person.slug: {} for person in people}
        by_money: dict[str, dict[int, float]] = {person.slug: {} for person in people}
        for moment in self._upto():
            for standing in moment.standings:
                if standing.player.slug in by_rank:
                    by_rank[standing.player.slug][moment.period] = standing.rank
                    by_money[standing.player.slug][moment.period] = standing.worth
        charts = [ranks([(person, by_rank[person.slug]) for person in people])]
        if self.moment.money:
            money = [(person, by_money[person.slug]) for person in people]
            charts.append(amounts(f"Money ({self.moment.money})", money))
        return charts if people else []

    def _latest(self) -> list[EventGroup]:
        """Return the latest groups of this period and the one before, the newest first."""
        groups = [group for moment in self._upto()[-2:] for group in moment.groups]
        shown = [group for group in groups if group.head is None or not group.head.quiet]
        return shown[-LATEST:][::-1]

    def _player_values(self, player: PlayerEntry) -> dict[str, Any]:
        slug = player.person.slug
        return {
            "player": player,
            "standing": next(s for s in self.moment.standings if s.player.slug == slug),
            "lines": list(_lines_about(player.person.entity, self.moment)),
            "charts": self._charts(player.person),
            "periods": [
                moment.period
                for moment in self.history.moments
                if any(entry.person.slug == slug for entry in moment.players)
            ],
        }


def _lines_about(player: str, moment: Moment) -> Iterator[tuple[datetime, EventLine]]:
    for group in moment.groups:
        for line in group.all():
            if player in line.about:
                yield group.at, line


def _render(template: str, history: HistoryPage, path: str, **values: Any) -> str:
    root = "../" * path.count("/")
    page = _environment().get_template(f"{template}.html")
    moment: Moment = values.get("moment", history.last)
    defaults = {"moment": moment, "folder": ""}
    menu = MENU | moment.titles
    return page.render(history=history, root=root, path=path, menu=menu, **(defaults | values))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("nomoledger.views.site"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    environment.filters["moment"] = lambda time: f"{time:%-d %B %Y, %H:%M} UTC"
    environment.filters["iso"] = lambda time: f"{time:%Y-%m-%dT%H:%M:%SZ}"
    environment.filters["words"] = lambda name: str(name).replace("_", " ")
    return environment
