"""The pages of the site: the list of pages, and the values that each template receives."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import escape

from nomoledger.game.forecast import Forecast, shown_periods
from nomoledger.views.site import calendar_file, feed, forecast_page, search_page
from nomoledger.views.site.decisions import RulingOnPage
from nomoledger.views.site.event_log import EventGroup, EventLine
from nomoledger.views.site.figures import PlayerLink
from nomoledger.views.site.forecast_page import forecast_on_page
from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.last_period import last_period
from nomoledger.views.site.linked_chart import amounts, ranks
from nomoledger.views.site.moment import Moment, PastStanding, PlayerEntry
from nomoledger.views.site.rule_pages import RulePage
from nomoledger.views.site.ruled_play import RuledPlays, by_period
from nomoledger.views.site.ruling_pages import (
    PlayerEffect,
    RulingConsequences,
    consequences_of,
)
from nomoledger.views.site.site_paths import folder_of
from nomoledger.views.site.template_environment import template_environment
from nomoledger.views.site.text import printable

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


def static_files() -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file that is the same on all sites."""
    templates = files("nomoledger.views.site") / "templates"
    for name in ("style.css", search_page.SCRIPT):
        yield name, (templates / name).read_text("utf-8")


def render_period(history: HistoryPage) -> Iterator[tuple[str, str]]:
    """Yield the pages in the folder of a period, by path."""
    yield from _Pages(history, folder_of(history.moment.period)).all()


def render_present(
    history: HistoryPage, plays: RuledPlays, logs: search_page.LogWords
) -> Iterator[tuple[str, str]]:
    """Yield the files at the top, which show the present state, and the pages of all rules.

    *plays* are what each ruling changed, event by event, and *logs* the words of all logs.
    """
    pages = _Pages(history, "")
    yield from pages.all()
    items = search_page.search_items(history, logs)
    every_period = history.outline.periods
    found = {"menu_at": "search", "items": items, "every_period": every_period}
    yield search_page.PATH, pages.render("search", search_page.PATH, **found)
    if history.outline.forecast is not None:
        values = _forecast_values(history, history.outline.forecast)
        yield forecast_page.PATH, pages.render("forecast", forecast_page.PATH, **values)
    for template, path, values in _pages_of_things(history, pages, plays):
        yield path, pages.render(template, path, every_period=every_period, **values)
    yield search_page.INDEX, search_page.search_index(items)
    yield feed.PATH, feed.feed_of(history)
    yield calendar_file.PATH, calendar_file.calendar_of(history)


def _pages_of_things(
    history: HistoryPage, pages: "_Pages", plays: RuledPlays
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield template, path and values of all rules, rulings and disputes."""
    moment = history.moment
    for page in history.rules:
        yield "rule", page.path, _rule_values(moment, page)
    rulings = {ruling.number: ruling for ruling in moment.rulings}
    disputes = {dispute.number: dispute for dispute in moment.disputes}
    for number, ruling in rulings.items():
        values = {
            "ruling": ruling,
            "dispute": disputes.get(ruling.closes or 0),
            "effect": pages.consequences(number),
            "payments": history.trail.payments.get(number, []),
            "play": plays.get(number),
            "ruled": by_period(plays.get(number), history.refs),
            "lines": history.trail.lines.get(number, []),
        }
        yield "ruling", f"rulings/{number}.html", {"menu_at": "rulings", **values}
    for number, dispute in disputes.items():
        values = {
            "dispute": dispute,
            "ruling": rulings.get(dispute.ruling or 0),
            "effect": None if dispute.ruling is None else pages.consequences(dispute.ruling),
            "ruled": by_period(plays.get(dispute.ruling or 0), history.refs),
        }
        yield "dispute", f"disputes/{number}.html", {"menu_at": "rulings", **values}


def _forecast_values(history: HistoryPage, forecast: Forecast) -> dict[str, Any]:
    """Return the values for the page of *forecast*."""
    people = {player.person.entity: player.person for player in history.moment.players}
    return {
        "menu_at": "index",
        "every_period": history.outline.periods,
        "page": forecast_on_page(forecast, people, history.refs),
        "shown": shown_periods(forecast.periods),
        "rules": {page.number: page.path for page in history.rules},
    }


def _rule_values(last: Moment, page: RulePage) -> dict[str, Any]:
    """Return the values for the page of a rule: authors of proposals, and interpreting rulings."""
    return {
        "page": page,
        "menu_at": "rules",
        "authors": {f"proposals.html#p{p.number}": p.by for p in last.proposals},
        "rulings": [ruling for ruling in last.rulings if ruling.interprets(page.path)],
    }


class _Pages:
    """The pages of one moment, in their *folder*."""

    def __init__(self, history: HistoryPage, folder: str) -> None:
        self.history = history
        self.moment = history.moment
        self.folder = folder
        self._linked = {player.person.entity: player.person for player in self.moment.players}
        self._standings = {entry.player.slug: entry for entry in self.moment.standings}
        self._lines: dict[str, list[tuple[datetime, EventLine]]] = {}
        for group in self.moment.groups:
            for line in group.all():
                for player in line.about:
                    self._lines.setdefault(player, []).append((group.at, line))
        self._past: dict[str, list[tuple[int, PastStanding]]] = {}
        for past in history.upto:
            for standing in past.standings:
                series = self._past.setdefault(standing.player.slug, [])
                series.append((past.period, standing))

    def all(self) -> Iterator[tuple[str, str]]:
        """Yield the pages, by path."""
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
        if not self.folder:
            values["every_period"] = self.history.outline.periods
        return path, self.render(template, path, folder=self.folder, menu_at=menu_at, **values)

    def render(self, template: str, path: str, **values: Any) -> str:
        """Return the page at *path*.

        What a page in the folder of a period depends on is listed in `manifest.key_of`, too.
        """
        periods, place = self.history.outline.periods, len(self.history.upto) - 1
        shared = {
            "game": self.history.outline.game,
            "rulebook": self.history.outline.rulebook,
            "moment": self.moment,
            "mark": periods[place].mark,
            "corrected": periods[place].corrected,
            "neighbours": (*periods[max(place - 1, 0) : place], *periods[place + 1 : place + 2]),
            "last": periods[-1],
            "folder": "",
            "root": "../" * path.count("/"),
            "path": path,
            "menu": MENU | self.moment.titles,
        }
        return _environment().get_template(f"{template}.html").render(shared | values)

    def _values(self, name: str) -> dict[str, Any]:
        if name == "index":
            charts = self._charts(self._people())
            values: dict[str, Any] = {
                "latest": self._latest(),
                "charts": charts,
                "recent": self._recent(),
            }
            if not self.folder:
                values["told"] = last_period(self.history)
                values["has_forecast"] = self.history.outline.forecast is not None
                words = printable(self.history.outline.how_to_submit or "")
                values["how_to_submit"] = escape(words)  # Markup is printed with its addresses.
            return values
        if name == "standings":
            people = self._people()
            charts, upto = self._charts(people), self.history.upto
            return {"charts": charts, "upto": upto, "people": people, "marks": self._marks()}
        if name == "rules":
            return {"gone": [page for page in self.history.rules if not page.in_force]}
        if name == "log" and not self.folder:
            return {"upto": self.history.upto}
        return {}

    def _marks(self) -> dict[int, str]:
        """Return the marks of the standings, by period; on the pages of a period only its own."""
        shown = self.history.outline.periods if not self.folder else [self.history.period]
        return {period.number: str(period.mark) for period in shown}

    def _people(self) -> list[PlayerLink]:
        """Return all players up to the moment, in the order of joining."""
        people = (series[-1][1].player for series in self._past.values())
        return sorted(people, key=lambda person: person.place)

    def _charts(self, people: list[PlayerLink]) -> list[Any]:
        past = [(person, self._past.get(person.slug, [])) for person in people]
        charts = [ranks([(person, {at: by.place for at, by in series}) for person, series in past])]
        if self.moment.money:
            money = [(person, {at: by.worth for at, by in series}) for person, series in past]
            charts.append(amounts(f"Money ({self.moment.money})", money))
        return charts if people else []

    def _latest(self) -> list[EventGroup]:
        """Return the latest groups of this period and the one before, the newest first."""
        groups = [*self.history.before, *self.moment.groups]
        shown = [group for group in groups if group.head is None or not group.head.quiet]
        return shown[-LATEST:][::-1]

    def consequences(self, ruling: int) -> RulingConsequences | None:
        """Return what came of *ruling*; None if it did not reach back."""
        return consequences_of(ruling, self.history.outline.corrections, self._linked)

    def _recent(self) -> list[tuple[RulingOnPage, RulingConsequences]]:
        """Return the rulings of this period and the one before that changed figures after the fact.

        The newest comes first.
        """
        recent = []
        for ruling in reversed(self.moment.rulings):
            if ruling.ref.period >= self.moment.period - 1:
                effect = self.consequences(ruling.number)
                if effect is not None and effect.players:
                    recent.append((ruling, effect))
        return recent

    def _effects(self, player: PlayerEntry) -> list[tuple[RulingOnPage, tuple[PlayerEffect, ...]]]:
        """Return the rulings that changed figures of *player* after the fact, the newest first."""
        return [
            (ruling, rows)
            for ruling in reversed(self.moment.rulings)
            if (effect := self.consequences(ruling.number)) is not None
            for _, person, rows in effect.players
            if person == player.person
        ]

    def _player_values(self, player: PlayerEntry) -> dict[str, Any]:
        slug = player.person.slug
        return {
            "player": player,
            "standing": self._standings[slug],
            "lines": self._lines.get(player.person.entity, []),
            "effects": self._effects(player),
            "charts": self._charts([player.person]),
            "periods": [period for period, _ in self._past[slug]],
        }


@cache
def _environment() -> Environment:
    environment = template_environment("nomoledger.views.site")
    environment.filters["moment"] = lambda time: f"{time:%-d %B %Y, %H:%M} UTC"
    environment.filters["iso"] = lambda time: f"{time:%Y-%m-%dT%H:%M:%SZ}"
    return environment
