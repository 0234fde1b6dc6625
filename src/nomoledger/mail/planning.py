"""When a reader gets a mail, and what it is about.

That is decided from the news, what the reader wants, and what the reader was told before.
"""

import msgspec

from nomoledger.game.desk.happenings import Happening
from nomoledger.game.desk.reader_news import OpenForReader, ReaderNews
from nomoledger.mail.mail import PlannedMail
from nomoledger.people.mail_choices import AT_ONCE, DAILY, NEVER, MailChoice
from nomoledger.people.mail_progress import MailProgress

#: How old news are before they are told, in seconds: who acts in a browser sees them there.
SETTLE_SECONDS = 30
#: What merely happened is told at most once in so many seconds.
PAUSE_SECONDS = 900
_DAY = 86_400


class OwnDeeds(msgspec.Struct, frozen=True):
    """What a reader did in a browser: the ids of the latest *requests*, and when the last was."""

    requests: frozenset[str] = frozenset()
    last: int = 0


class MailPlan(msgspec.Struct, frozen=True):
    """The *progress* that the reader makes, and the *mail* that comes with it, if one does."""

    progress: MailProgress
    mail: PlannedMail | None = None


def first_progress(news: ReaderNews, choice: MailChoice, now: float) -> MailProgress:
    """Return the progress of a reader who needs to be told nothing of what is in *news*."""
    known = tuple(each.key for each in news.open)
    late = tuple(key for each in news.open for key in _reminders(each, choice, now))
    return MailProgress(news.last, known, late, news.pending, int(now), _day(choice, now))


def is_current(news: ReaderNews, now: float) -> bool:
    """Return whether the game of *news* goes on by the clock, or ended a short while ago.

    A game whose time lies further back rests, or is entered after the fact.
    """
    return now - news.now <= news.rhythm


def heard_from_others(news: ReaderNews, deeds: OwnDeeds) -> list[Happening]:
    """Return what happened by *news*, without what the reader did in a browser, and saw there."""
    return [x for x in news.happened if news.requests.get(x.event) not in deeds.requests]


def plan(
    reader: str,
    news: ReaderNews,
    choice: MailChoice,
    deeds: OwnDeeds,
    before: MailProgress,
    now: float,
) -> MailPlan:
    """Return what comes after the progress *before*, at the time *now* in seconds since 1970."""
    if choice.pace == NEVER or not is_current(news, now):
        silent = first_progress(news, choice, now)
        kept = msgspec.structs.replace(silent, wrote=before.wrote, day=before.day)
        return MailPlan(kept)
    return _Planner(reader, news, choice, deeds, before, now).plan()


class _Planner:
    """The plan for one reader at one moment."""

    def __init__(
        self, reader: str, news: ReaderNews, choice: MailChoice, deeds: OwnDeeds,
        before: MailProgress, now: float,
    ) -> None:  # fmt: skip
        self._reader, self._news, self._choice, self._now = reader, news, choice, now
        self._before = before
        happened = heard_from_others(news, deeds)
        self._has_happened = bool(happened or news.decided or news.closed)
        self._is_settled = all(each.at <= now - SETTLE_SECONDS for each in news.happened)
        new = [each for each in news.open if each.key not in before.known]
        #: What began before the last deed of the reader stood on the page of the reader by then.
        seen = {each.key for each in new if each.since <= deeds.last}
        self._fresh = [
            each for each in new if each.key not in seen and each.since <= now - SETTLE_SECONDS
        ]
        still = {each.key for each in news.open}
        self._known = {key for key in before.known if key in still} | seen

    def plan(self) -> MailPlan:
        """Return the plan."""
        if self._is_due():
            return self._tell(self._listed(), reminds=False)
        if soon := self._ending_soon():
            return self._tell(soon, reminds=True)
        told = self._before.told
        if self._is_settled and not self._has_happened:
            told = self._news.last  # There is nothing to tell of the reader's own deeds.
        return MailPlan(self._progress(told, [], self._before.wrote))

    def _is_due(self) -> bool:
        """Return whether it is time to tell what is new."""
        if self._choice.pace == DAILY:
            is_time = _day(self._choice, self._now) > self._before.day
            return is_time and bool(self._fresh or self._has_happened)
        is_rested = self._now - self._before.wrote >= PAUSE_SECONDS
        return bool(self._fresh) or (self._has_happened and self._is_settled and is_rested)

    def _listed(self) -> list[OpenForReader]:
        """Return what the mail lists as waiting: the mail of the day has all of it."""
        if self._choice.pace == AT_ONCE:
            return self._fresh
        return [x for x in self._news.open if x in self._fresh or x.key in self._known]

    def _ending_soon(self) -> list[OpenForReader]:
        """Return what ends soon, and of which the reader was not reminded."""
        sent = set(self._before.reminded)
        return [
            each
            for each in self._news.open
            if each.until is not None
            and self._now < each.until
            and each.since <= self._now - SETTLE_SECONDS
            and not sent.issuperset(_reminders(each, self._choice, self._now))
        ]

    def _tell(self, open_things: list[OpenForReader], *, reminds: bool) -> MailPlan:
        """Return the plan with a mail about *open_things*, and about what happened."""
        before, keys = self._before, tuple(each.key for each in open_things)
        if reminds:
            mail = PlannedMail(self._reader, before.told, before.told, keys, (), True)
            return MailPlan(self._progress(before.told, open_things, before.wrote), mail)
        last = self._news.last
        mail = PlannedMail(self._reader, before.told, last, keys, before.pending)
        progress = self._progress(last, open_things, int(self._now))
        return MailPlan(msgspec.structs.replace(progress, day=_day(self._choice, self._now)), mail)

    def _progress(self, told: int, listed: list[OpenForReader], wrote: int) -> MailProgress:
        """Return the progress of a reader who was told up to the event *told*, and of *listed*."""
        before = self._before
        reminded = {
            key
            for each in self._news.open
            for key in _reminders(each, self._choice, self._now)
            if each in listed or key in before.reminded
        }
        kept = () if told != before.told else before.pending
        waits = self._fresh or self._has_happened
        return MailProgress(
            told=told,
            known=tuple(sorted(self._known | {each.key for each in listed})),
            reminded=tuple(sorted(reminded)),
            pending=tuple(sorted({*self._news.pending, *kept})),
            wrote=wrote,
            day=before.day if waits else max(before.day, _day(self._choice, self._now)),
        )


def _reminders(thing: OpenForReader, choice: MailChoice, now: float) -> list[str]:
    """Return the keys of the reminders of *thing* whose time has come."""
    if thing.until is None:
        return []
    return [
        f"{thing.key}@{thing.until}-{before}"
        for before in choice.reminders
        if now >= thing.until - before
    ]


def _day(choice: MailChoice, now: float) -> int:
    """Return the day, which begins at the hour of the mail of the day, in days since 1970."""
    return int(now - choice.hour * 3600) // _DAY
