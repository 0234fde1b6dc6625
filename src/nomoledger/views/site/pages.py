"""The pages of the site: which there are, and what each is given."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from nomoledger.views.site.figures import Person
from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.moment import Moment, PlayerThen
from nomoledger.views.site.money_chart import amounts, ranks
from nomoledger.views.site.names import folder_of
from nomoledger.views.site.narration import StoryGroup, StoryLine
from nomoledger.views.site.rule_pages import RulePage
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


def pages_of(history: HistoryPage) -> dict[str, str]:
    """All files of the site, by path."""
    style = (files("nomoledger.views.site") / "templates" / "style.css").read_text("utf-8")
    found = {"style.css": style}
    for moment in history.moments:
        found |= _Set(history, moment, folder_of(moment.period)).pages()
    found |= _Set(history, history.last, "").pages()
    for page in history.rules:
        found[page.path] = _render("rule", history, page.path, **_of_rule(history, page))
    return found


def _of_rule(history: HistoryPage, page: RulePage) -> dict[str, Any]:
    """What the page of a rule is given: who proposed what, and the rulings that interpret it."""
    last = history.last
    return {
        "page": page,
        "menu_at": "rules",
        "authors": {f"proposals.html#p{each.number}": each.by for each in last.proposals},
        "rulings": [each for each in last.rulings if each.speaks_of(page.path)],
    }


class _Set:
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
            yield self._page(template, f"{self.folder}{name}.html", name, **self._given(name))
        if self.folder:
            yield self._page("why", f"{self.folder}why.html", "log")
        for player in self.moment.players:
            path = f"{self.folder}players/{player.person.slug}.html"
            yield self._page("player", path, "players", **self._of_player(player))

    def _page(self, template: str, path: str, menu_at: str, **given: Any) -> tuple[str, str]:
        shared = {"moment": self.moment, "folder": self.folder, "menu_at": menu_at}
        return path, _render(template, self.history, path, **shared, **given)

    def _given(self, name: str) -> dict[str, Any]:
        if name == "index":
            return {"latest": self._latest(), "charts": self._charts()}
        if name == "standings":
            return {"charts": self._charts(), "upto": self._upto(), "people": self._people()}
        return {}

    def _upto(self) -> list[Moment]:
        return [each for each in self.history.moments if each.period <= self.moment.period]

    def _people(self) -> list[Person]:
        """Everybody who played up to that moment, in the order of joining."""
        found = {s.player.slug: s.player for each in self._upto() for s in each.standings}
        return sorted(found.values(), key=lambda person: person.place)

    def _charts(self, only: Person | None = None) -> list[Any]:
        people = self._people() if only is None else [only]
        by_rank: dict[str, dict[int, float]] = {person.slug: {} for person in people}
        by_money: dict[str, dict[int, float]] = {person.slug: {} for person in people}
        for each in self._upto():
            for standing in each.standings:
                if standing.player.slug in by_rank:
                    by_rank[standing.player.slug][each.period] = standing.rank
                    by_money[standing.player.slug][each.period] = standing.worth
        charts = [ranks([(person, by_rank[person.slug]) for person in people])]
        if self.moment.money:
            money = [(person, by_money[person.slug]) for person in people]
            charts.append(amounts(f"Money ({self.moment.money})", money))
        return charts if people else []

    def _latest(self) -> list[StoryGroup]:
        """What happened last, the newest first; in an earlier period where this one is bare."""
        groups = [group for each in self._upto()[-2:] for group in each.groups]
        told = [group for group in groups if group.head is None or not group.head.quiet]
        return told[-LATEST:][::-1]

    def _of_player(self, player: PlayerThen) -> dict[str, Any]:
        slug = player.person.slug
        return {
            "player": player,
            "standing": next(s for s in self.moment.standings if s.player.slug == slug),
            "lines": list(_lines_about(player.person.entity, self.moment)),
            "charts": self._charts(player.person),
            "periods": [
                each.period
                for each in self.history.moments
                if any(then.person.slug == slug for then in each.players)
            ],
        }


def _lines_about(player: str, moment: Moment) -> Iterator[tuple[datetime, StoryLine]]:
    for group in moment.groups:
        for line in group.all():
            if player in line.about:
                yield group.at, line


def _render(template: str, history: HistoryPage, path: str, **given: Any) -> str:
    root = "../" * path.count("/")
    page = _environment().get_template(f"{template}.html")
    shared = {"moment": history.last, "folder": ""} | given
    return page.render(history=history, root=root, path=path, menu=MENU, **shared)


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
