"""A game from its beginning, read once: how it stood at the close of every period, and now."""

import msgspec

from nomoledger import events as e
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.disputes import StandingMark, standing_mark
from nomoledger.views.site.corrected import Corrected, corrected_in
from nomoledger.views.site.decisions import Decisions
from nomoledger.views.site.figures import Figures
from nomoledger.views.site.moment import Moment, moment_of
from nomoledger.views.site.names import Slugs
from nomoledger.views.site.narration import Story
from nomoledger.views.site.public_run import trace_public_run
from nomoledger.views.site.public_view import PublicView, PublicWorld, public_entries
from nomoledger.views.site.rule_pages import RulePage, RulePages
from nomoledger.views.site.statement_pages import StatementPages
from nomoledger.views.site.why import Whys


class HistoryPage(msgspec.Struct, frozen=True):
    """All that the site shows: a moment for each closed period, and last the one for now.

    *marks* are those of the standings by period, as far as everybody may know; *corrected* are the
    periods that rulings corrected since.
    """

    game: str
    rulebook: str
    moments: tuple[Moment, ...]
    rules: tuple[RulePage, ...]
    marks: dict[int, StandingMark]
    corrected: dict[int, Corrected]

    @property
    def last(self) -> Moment:
        """How the game stands now."""
        return self.moments[-1]


def gather(ledger: Ledger, game: str) -> HistoryPage:
    """The public history of *game*."""
    return _Gathering(ledger, game).done()


class _Gathering:
    """Takes the public events in, one by one."""

    def __init__(self, ledger: Ledger, game: str) -> None:
        self.ledger = ledger
        self.game = game
        self.public = PublicWorld()
        self.facts = Figures(self.public, Slugs())
        self.ruleset = RulePages()
        self.decisions = Decisions(self.ruleset)
        self.story = Story(self.ruleset)
        self.statements = StatementPages(self.ruleset)
        self.entries: list[e.Entry] = []
        self.moments: list[Moment] = []

    def done(self) -> HistoryPage:
        public = list(public_entries(self.ledger, self.game))
        self.whys = Whys(trace_public_run(public), self.ruleset)
        for entry, stands_apart in public:
            self._take(entry, stands_apart)
            if isinstance(entry.body, e.PeriodClosed):
                self._stand_still(entry.body.period)
        self._stand_still(self.public.world.period)
        rulebook = self.public.world.game.get("rulebook", "")
        pages = tuple(self.ruleset.pages)
        marks = {
            each.period: standing_mark(self.public.world, each.period, None)
            for each in self.moments
        }
        corrected = corrected_in(self.public.world)
        return HistoryPage(self.game, rulebook, tuple(self.moments), pages, marks, corrected)

    def _take(self, entry: e.Entry, stands_apart: bool) -> None:
        public, body = self.public, entry.body
        self.whys.hidden |= stands_apart or _allows_secrets(body)
        ref = public.refer(entry)
        self.entries.append(entry)
        self.ruleset.take(ref, body)
        self.decisions.take(ref, body, public.world, public.refs)
        told_first = isinstance(body, e.EntityDestroyed)  # while it still has a name
        if told_first:
            self.story.take(entry, public.world, public.refs, stands_apart)
        public.take(entry)
        self.statements.take(entry, public.world, public.refs)
        if not told_first:
            self.story.take(entry, public.world, public.refs, stands_apart)

    def _stand_still(self, period: int) -> None:
        view = PublicView(self.ledger, self.game, self.public.world, self.entries)
        groups = self.story.groups.get(period, [])
        self.facts.turn_to(self.statements.close(period, self.public.world))
        whys = tuple(map(self.whys.of, groups))
        self.moments.append(moment_of(view, period, self.facts, self.decisions, groups, whys))


def _allows_secrets(body: e.Event) -> bool:
    """Whether *body* brings a rule by which players may do something in secret."""
    return isinstance(body, e.RuleEnacted | e.RuleAmended) and bool(body.rule.secret)
