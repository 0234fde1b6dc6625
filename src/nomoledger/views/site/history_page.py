"""The public history of a game, read once: its state at the close of every period, and now."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime

import msgspec

from nomoledger import events as e
from nomoledger.ledger.ledger import Ledger
from nomoledger.prose.descriptions import UNTOLD
from nomoledger.sandbox.sandbox import Sandbox
from nomoledger.state.declared_rules import Ruleset
from nomoledger.views.site.decisions import Decisions
from nomoledger.views.site.event_log import EventGroup, EventLog
from nomoledger.views.site.explanations import ExplanationBuilder
from nomoledger.views.site.figures import Figures
from nomoledger.views.site.moment import Moment, PastMoment, moment_of, past_moment_of
from nomoledger.views.site.outline import Outline, PeriodOutline, Public
from nomoledger.views.site.public_run import PublicTraces
from nomoledger.views.site.public_view import PublicView, PublicWorld
from nomoledger.views.site.rule_pages import RulePage, RulePages
from nomoledger.views.site.ruling_pages import RulingTrail
from nomoledger.views.site.site_paths import Ref, Slugs
from nomoledger.views.site.statement_pages import StatementPages

Advance = Callable[[int], None]
#: For how many rulesets one sandbox computes what pages show.
RULESETS_MAX = 6


class HistoryPage(msgspec.Struct, frozen=True):
    """A moment of the game, and what its pages show of the game's history.

    Attributes:
        outline: All periods of the game.
        moment: The moment: the close of a period, or now.
        upto: The periods up to the moment.
        before: The groups of events of the period before, if there is one.
        rules: The pages of all rules so far.
        trail: What each ruling so far led to at once.
        refs: The references of all events so far, by number.
        is_complete: Whether the rules could be run as far as the moment, to explain its events.
    """

    outline: Outline
    moment: Moment
    upto: tuple[PastMoment, ...]
    before: tuple[EventGroup, ...]
    rules: tuple[RulePage, ...]
    trail: RulingTrail
    refs: Mapping[int, Ref]
    is_complete: bool

    @property
    def period(self) -> PeriodOutline:
        """The outline of the period of the moment."""
        return self.outline.periods[len(self.upto) - 1]


class _Run(msgspec.Struct):
    """A stretch of events whose causes are explained: from place *start* up to place *end*."""

    start: int
    end: int


def read_history(
    ledger: Ledger, outline: Outline, public: Public, wanted: Collection[int], advance: Advance
) -> Iterator[HistoryPage]:
    """Yield what the pages of each *wanted* period show. Finish with each before the next.

    A period whose pages are not wanted is read faster: nothing is told and explained there, and the
    rules do not run.

    *public* are the public events of the game with that *outline*. *wanted* are the numbers of
    periods. *advance* is called with the number of events that were read.
    """
    reader = _HistoryReader(ledger, outline, public, wanted)
    try:
        place = 0
        for index, period in enumerate(outline.periods):
            page = reader.read(index, place)
            if page is not None:
                yield page
            advance(period.end - place)
            place = period.end
    finally:
        reader.close()


class _HistoryReader:
    """Applies the public events in order."""

    def __init__(
        self, ledger: Ledger, outline: Outline, public: Public, wanted: Collection[int]
    ) -> None:
        self.ledger = ledger
        self.outline = outline
        self.entries = public
        self.wanted = wanted
        self.public = PublicWorld()
        self.figures = Figures(self.public, Slugs())
        self.ruleset = RulePages()
        self.decisions = Decisions(self.ruleset, self.public.teller, self._find)
        self.trail = RulingTrail()
        self.log = EventLog(self.ruleset, self.public.teller)
        self.statements = StatementPages(self.ruleset, self.public.teller)
        self.explanations = ExplanationBuilder(self.ruleset)
        self.past: list[PastMoment] = []
        self.sandbox = Sandbox()
        self._linked: Ruleset | None = None
        self._linked_count = 0
        self._runs = _runs(outline, wanted)
        self._traces: PublicTraces | None = None

    def close(self) -> None:
        """End the processes in which rules run."""
        self.sandbox.close()
        if self._traces is not None:
            self._traces.close()

    def read(self, index: int, place: int) -> HistoryPage | None:
        """Read the period at *index*, from *place* on; return what it shows if that is wanted."""
        period = self.outline.periods[index]
        following = self.outline.periods[index + 1 : index + 2]
        is_wanted = period.number in self.wanted
        is_told = is_wanted or any(other.number in self.wanted for other in following)
        self.statements.is_told = is_wanted
        began: datetime | None = None
        count = 0
        for at in range(place, period.end):
            if self._runs and at == self._runs[0].start:
                self._start_traces(at)
            entry, stands_apart = self.entries[at]
            if not isinstance(entry.body, UNTOLD):
                began, count = began or entry.body.received_at, count + 1
            self._apply(entry, stands_apart, is_told)
        page = self._end(period, began, count, is_wanted)
        self.log.forget_before(period.number)
        self._end_traces(period)
        return page

    def _apply(self, entry: e.Entry, stands_apart: bool, is_told: bool) -> None:
        public, body = self.public, entry.body
        self.explanations.hidden |= stands_apart or _allows_secrets(body)
        ref = public.refer(entry)
        self.ruleset.apply(ref, body)
        self.decisions.apply(ref, body, public.world, public.refs)
        self.log.note(entry)
        destroys = isinstance(body, e.EntityDestroyed)
        if destroys:  # The thing has no name after the event.
            self._tell(entry, stands_apart, is_told)
        public.teller.follow(body)
        public.apply(entry)
        self.statements.apply(entry, public.world, public.refs)
        if not destroys:
            self._tell(entry, stands_apart, is_told)

    def _tell(self, entry: e.Entry, stands_apart: bool, is_told: bool) -> None:
        world, refs = self.public.world, self.public.refs
        if is_told:
            self.log.append(entry, world, refs, stands_apart)
        ruling = self.trail.ruling_behind(entry.number, entry.body)
        if ruling is not None:
            line = self.log.line(entry, world, refs)
            self.trail.add(ruling, line, entry.body, self.public.teller)

    def _find(self, number: int) -> e.Event | None:
        """Return the public event *number*, if there is one so far."""
        return self.entries[number][0].body if number in self.public.refs else None

    def _end(
        self, period: PeriodOutline, began: datetime | None, count: int, is_wanted: bool
    ) -> HistoryPage | None:
        corrections, number = self.outline.corrections, period.number
        published, corrected = self.public.world, period.corrected
        world = published if corrected is None else corrections.known(number, published)
        view = PublicView(
            self.ledger, self.outline.game, world, self.entries, period.end, self.sandbox
        )
        self.figures.use_world(world, corrected, corrections.paid.get(number, {}))
        self.figures.use_statements(self.statements.close(number, published, corrected))
        self.past.append(past_moment_of(view, number, self.figures, began, count))
        if not is_wanted:
            return None
        self._renew_sandbox()
        groups = self.log.groups.get(number, [])
        is_complete = self._trace(period)
        explanations = tuple(map(self.explanations.explain, groups))
        moment = moment_of(
            view, number, self.figures, self.decisions, groups, explanations,
            self.outline.slugs,
        )  # fmt: skip
        before = self.past[-2].period if len(self.past) > 1 else None
        return HistoryPage(
            outline=self.outline,
            moment=moment,
            upto=tuple(self.past),
            before=tuple(self.log.groups.get(before, ())) if before is not None else (),
            rules=tuple(self.ruleset.pages),
            trail=self.trail,
            refs=self.public.refs,
            is_complete=is_complete,
        )

    def _renew_sandbox(self) -> None:
        """Start a new sandbox after some changes of rules: it keeps the programs of each."""
        if self.public.world.ruleset is not self._linked:
            self._linked = self.public.world.ruleset
            self._linked_count += 1
            if self._linked_count % RULESETS_MAX == 0:
                self.sandbox.close()

    # --- traces

    def _start_traces(self, place: int) -> None:
        world, names = self.public.world, self.public.teller
        self._traces = PublicTraces(self.entries, place, world, names)

    def _trace(self, period: PeriodOutline) -> bool:
        """Trace the events up to the end of *period*; return whether that was possible."""
        if self._traces is None:  # The game has no events yet.
            return True
        last = self.entries[period.end - 1][0].number
        self.explanations.traces = self._traces.upto(last)
        return not self._traces.is_broken

    def _end_traces(self, period: PeriodOutline) -> None:
        if self._traces is not None and period.end >= self._runs[0].end:
            self._traces.close()
            self._traces = None
            del self._runs[0]
        elif self._traces is not None:
            self._traces.forget_before(self.entries[period.end][0].number)


def _runs(outline: Outline, wanted: Collection[int]) -> list[_Run]:
    """Return the stretches of events in which the rules must run to explain *wanted* periods."""
    runs: list[_Run] = []
    for period in outline.periods:
        if period.number in wanted:
            if runs and period.starts < runs[-1].end:
                runs[-1].end = period.end
            else:
                runs.append(_Run(period.starts, period.end))
    return runs


def _allows_secrets(body: e.Event) -> bool:
    """Return whether *body* enacts a rule that allows secret actions."""
    return isinstance(body, e.RuleEnacted | e.RuleAmended) and bool(body.rule.secret)
