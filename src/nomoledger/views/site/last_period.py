"""What happened in a period, as sentences with links, for the front page."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from nomoledger.prose.descriptions import join_words
from nomoledger.views.site.history_page import HistoryPage
from nomoledger.views.site.moment import PastMoment
from nomoledger.views.site.rule_pages import Link
from nomoledger.views.site.site_paths import folder_of

#: A sentence, as links and plain texts.
Sentence = tuple[Link | str, ...]
#: How many rules or proposals a sentence names.
NAMED_MAX = 6


def last_period(history: HistoryPage) -> tuple[int, list[Sentence]] | None:
    """Return the last closed period up to the moment of *history*, with sentences that tell it."""
    closed = [past for past in history.upto if not past.is_open]
    if not closed:
        return None
    return closed[-1].period, list(_sentences(history, closed))


def _sentences(history: HistoryPage, closed: Sequence[PastMoment]) -> Iterator[Sentence]:
    last = closed[-1]
    path = f"{folder_of(last.period)}index.html"
    yield (Link(f"Period {last.period}", path), f" closed on {last.now:%-d %B %Y, %H:%M} UTC.")
    yield from _standing(history.moment.money, last)
    if len(closed) > 1:
        yield from _changes(history.moment.money, closed[-2], last)
    yield from _decisions(history, last.period)


def _standing(money: str, last: PastMoment) -> Iterator[Sentence]:
    if not last.standings or not money:
        return
    leaders = [each for each in last.standings if each.place.value == 1]
    verb = "leads" if len(leaders) == 1 else "lead"
    amount = leaders[0].money
    names = join_words([each.player.name for each in leaders[:NAMED_MAX]])
    yield (f"{names} {verb} with {amount.text if amount else 0} {money}.",)


def _changes(money: str, before: PastMoment, last: PastMoment) -> Iterator[Sentence]:
    """Say who gained and who lost most."""
    gains = {
        each.player.name: Decimal(str(each.worth.value - was.worth.value))
        for each in last.standings
        if (was := before.standing_of.get(each.player.slug)) is not None
    }
    if not money or not gains:
        return
    best, worst = max(gains, key=lambda name: gains[name]), min(gains, key=lambda name: gains[name])
    if gains[best] > 0:
        yield (f"{best} gained most: {_amount(gains[best])} {money}.",)
    if gains[worst] < 0:
        yield (f"{worst} lost most: {_amount(-gains[worst])} {money}.",)


def _amount(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _decisions(history: HistoryPage, period: int) -> Iterator[Sentence]:
    moment = history.moment
    verdicts: dict[str, list[Link]] = {}
    for proposal in moment.proposals:
        if proposal.decided is not None and proposal.decided.period == period:
            link = Link(f"proposal {proposal.number}", f"proposals.html#p{proposal.number}")
            verdicts.setdefault(proposal.verdict, []).append(link)
    for verdict, links in verdicts.items():
        yield ("Players saw ", *_listed(links), f" {verdict}.")
    changed = [
        Link(page.number, page.path)
        for page in history.rules
        if any(step.ref.period == period for step in page.steps)
    ]
    if changed and period > 1:  # The first period begins with all rules.
        yield ("Rules that changed: ", *_listed(changed), ".")
    rulings = [
        Link(f"ruling {ruling.number}", f"rulings/{ruling.number}.html")
        for ruling in moment.rulings
        if ruling.ref.period == period
    ]
    if rulings:
        yield ("The admin made ", *_listed(rulings), ".")
    disputes = [
        Link(f"dispute {dispute.number}", f"disputes/{dispute.number}.html")
        for dispute in moment.disputes
        if dispute.ref.period == period
    ]
    if disputes:
        yield ("Opened: ", *_listed(disputes), ".")


def _listed(links: Sequence[Link]) -> Iterator[Link | str]:
    """Yield *links* with commas, the last after `and`; many are cut short."""
    shown = links[:NAMED_MAX]
    for place, link in enumerate(shown):
        if place:
            yield " and " if place == len(links) - 1 else ", "
        yield link
    if len(links) > len(shown):
        yield f" and {len(links) - len(shown)} more"
