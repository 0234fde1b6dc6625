"""What rulings on the past changed, event by event, on public events only.

The play is run again for each such ruling, with and without it. The results are kept in the
manifest of the site, so that a later publish need not run the play again.
"""

from collections.abc import Mapping

import msgspec

from nomoledger.game.ruled_events import RuledEvent, ruled_events
from nomoledger.views.site.manifest import RuledPlay, code_digest, digest_of
from nomoledger.views.site.outline import Outline, Public, SettledRuling
from nomoledger.views.site.site_paths import Ref

#: What each ruling changed, by number.
RuledPlays = Mapping[int, RuledPlay]


class RuledPeriod(msgspec.Struct, frozen=True):
    """What a ruling changed in one period: each change, and the reference of its event."""

    number: int
    events: tuple[tuple[Ref | None, RuledEvent], ...]


def ruled_plays(outline: Outline, public: Public, known: Mapping[str, RuledPlay]) -> RuledPlays:
    """Return what each ruling of *outline* changed; results in *known* are not computed again."""
    plays = {}
    for number, settled in outline.settled.items():
        key = digest_of(msgspec.json.encode([code_digest(), number, settled]))
        play = known.get(str(number))
        if play is None or play.key != key:
            play = RuledPlay(key, _computed(public, number, settled))
        plays[number] = play
    return plays


def by_period(play: RuledPlay | None, public: Mapping[int, Ref]) -> tuple[RuledPeriod, ...]:
    """Return the changes of *play* by period; *public* are the references of events by number."""
    periods: dict[int, list[tuple[Ref | None, RuledEvent]]] = {}
    for event in () if play is None else play.events or ():
        ref = None if event.event is None else public.get(event.event)
        periods.setdefault(event.period, []).append((ref, event))
    return tuple(RuledPeriod(number, tuple(events)) for number, events in sorted(periods.items()))


def _computed(public: Public, number: int, settled: SettledRuling) -> tuple[RuledEvent, ...] | None:
    return ruled_events([entry for entry, _ in public[: settled.end]], number)
