"""The public history of a game, read once: its state at the close of every period, and now."""

from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.game.read_models import WorldView, projection
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.bitemporal import rulings_that_corrected, world_as_known
from nomoledger.state.disputes import StandingMark, standing_mark
from nomoledger.state.world import World
from nomoledger.views.site.decisions import Decisions
from nomoledger.views.site.event_log import EventLog
from nomoledger.views.site.explanations import ExplanationBuilder
from nomoledger.views.site.figures import Figures
from nomoledger.views.site.moment import Moment, moment_of
from nomoledger.views.site.public_run import trace_public_run
from nomoledger.views.site.public_view import PublicView, PublicWorld, public_entries
from nomoledger.views.site.rule_pages import RulePage, RulePages
from nomoledger.views.site.site_paths import Slugs
from nomoledger.views.site.statement_pages import StatementPages


class CorrectedPeriod(msgspec.Struct, frozen=True):
    """The *rulings* that corrected a period, and its *standings* as known now."""

    rulings: tuple[int, ...]
    standings: tuple[Any, ...]


class HistoryPage(msgspec.Struct, frozen=True):
    """Everything that the site shows.

    Attributes:
        moments: The state at the close of each period, and last the present state.
        marks: The public marks of the standings, by period.
        corrected: The periods that later rulings corrected.
    """

    game: str
    rulebook: str
    moments: tuple[Moment, ...]
    rules: tuple[RulePage, ...]
    marks: dict[int, StandingMark]
    corrected: dict[int, CorrectedPeriod]

    @property
    def last(self) -> Moment:
        """The present state of the game."""
        return self.moments[-1]


def read_history_page(ledger: Ledger, game: str) -> HistoryPage:
    """Return the public history of *game*."""
    reader = _HistoryReader(ledger, game)
    try:
        return reader.read()
    finally:
        reader.sandbox.close()


class _HistoryReader:
    """Applies the public events in order."""

    def __init__(self, ledger: Ledger, game: str) -> None:
        self.ledger = ledger
        self.game = game
        self.public = PublicWorld()
        self.figures = Figures(self.public, Slugs())
        self.ruleset = RulePages()
        self.decisions = Decisions(self.ruleset)
        self.log = EventLog(self.ruleset, self.public.teller)
        self.statements = StatementPages(self.ruleset, self.public.teller)
        self.entries: list[e.Entry] = []
        self.moments: list[Moment] = []
        self.page_slugs = Slugs()
        self.sandbox = Sandbox()

    def read(self) -> HistoryPage:
        public = list(public_entries(self.ledger, self.game))
        self.explanations = ExplanationBuilder(trace_public_run(public), self.ruleset)
        for entry, stands_apart in public:
            self._apply(entry, stands_apart)
            if isinstance(entry.body, e.PeriodClosed):
                self._add_moment(entry.body.period)
        self._add_moment(self.public.world.period)
        rulebook = self.public.world.game.get("rulebook", "")
        pages = tuple(self.ruleset.pages)
        marks = {
            moment.period: standing_mark(self.public.world, moment.period, None)
            for moment in self.moments
        }
        corrected = corrected_in(self.public.world)
        return HistoryPage(self.game, rulebook, tuple(self.moments), pages, marks, corrected)

    def _apply(self, entry: e.Entry, stands_apart: bool) -> None:
        public, body = self.public, entry.body
        self.explanations.hidden |= stands_apart or _allows_secrets(body)
        ref = public.refer(entry)
        self.entries.append(entry)
        self.ruleset.apply(ref, body)
        self.decisions.apply(ref, body, public.world, public.refs)
        destroys = isinstance(body, e.EntityDestroyed)
        if destroys:  # The thing has no name after the event.
            self.log.append(entry, public.world, public.refs, stands_apart)
        public.apply(entry)
        self.statements.apply(entry, public.world, public.refs)
        if not destroys:
            self.log.append(entry, public.world, public.refs, stands_apart)

    def _add_moment(self, period: int) -> None:
        view = PublicView(self.ledger, self.game, self.public.world, self.entries, self.sandbox)
        groups = self.log.groups.get(period, [])
        self.figures.use_statements(self.statements.close(period, self.public.world))
        explanations = tuple(map(self.explanations.explain, groups))
        moment = moment_of(
            view, period, self.figures, self.decisions, groups, explanations, self.page_slugs
        )
        self.moments.append(moment)


def _allows_secrets(body: e.Event) -> bool:
    """Return whether *body* enacts a rule that allows secret actions."""
    return isinstance(body, e.RuleEnacted | e.RuleAmended) and bool(body.rule.secret)


def corrected_in(world: World) -> dict[int, CorrectedPeriod]:
    """Return the periods that rulings corrected, as known in *world*."""
    return {
        period: CorrectedPeriod(rulings_that_corrected(world, period), _standings(world, period))
        for period in world.past
        if rulings_that_corrected(world, period)
    }


def _standings(world: World, period: int) -> tuple[Any, ...]:
    model: Any = projection("standings")(WorldView(world_as_known(world, world, period), None))
    return tuple(model.standings)
