"""Levels: what a game keeps for good of the version that opened it.

`GameOpened` names the level. The level selects everything that decides outcomes and digests: the
rule language, the binding of hooks, the addresses of draws, the limits, how conflicting definitions
are compared, and what the digest of the state covers. Games of an old level stay replayable for
good: the tests replay golden ledgers of each level.
"""

import msgspec
from msgspec.structs import replace

from nomoledger.errors import StoreError


class Level(msgspec.Struct, frozen=True):
    """The choices of one level.

    Attributes:
        hashes_display_text: whether the digest of the state covers text that is only for people.
        compares_displayed_effects: whether conflicting definitions are compared only by the fields
            that are displayed, instead of by all their effects.
        binds_by_position: whether a hook receives the arguments of its operation by position,
            instead of by name.
        forgets_rules: whether what a rule declares ends with the rule, instead of outliving it.
        draws_by_request: whether the address of a draw begins with the id of the request, instead
            of with the period and the actor.
        restricts_everything: whether a restricted rule also needs capabilities for what it used to
            do and read without: to reveal, to adopt, to settle, to list things, and to read names
            and counts; and whether it stays restricted after code of other rules has run.
        releases_what_is_cited: whether public events that waited for the next public request come
            before it only if it refers to them, instead of always if it is a request of a kind
            that can refer to earlier events.
        cites_in_place: whether only the event that the engine names is translated to public
            numbers in the reason of a refused ruling, instead of everything like `#17` in it.
        adds_up_limits: whether limits hold for each request and each period, too, instead of only
            for each attempt.
        is_normal: whether texts are recorded in Unicode's normal form C, and no two names look
            alike.
        rewrites_exactly: whether the rewriting of numbers in rule code finds every minus and every
            comparison where the syntax tree has it.
        suspends_failing_checks: whether a state-based check whose code fails is suspended, instead
            of refusing the attempt; and whether a ruling repeals a rule whose `on_repeal` fails.
        reserves_words: whether rules may give no name that is a word of the language, and the kinds
            of things that a rule declares, now or formerly, give no other meaning to such a word.
        publishes_in_order: whether public events keep the order of the keys in what they record,
            instead of sorting them. The parameters of a moment have an order, so that rules can be
            run from a public export only where it is kept.
        undoes_wholly: whether a request that is taken back counts as never made: the clock goes
            back to the request before it, and a rerun leaves it out.
        withholds_addresses: whether public events have a stand-in for each e-mail address that
            somebody gives in a request.
        audits_closely: whether an attempt of a hand-kept record ends where the record says, with
            all that follows from that; whether a value in a list of a fact is compared; whether one
            missed answer leaves the rest of the turn alone; and whether a recorded payment comes
            from whom the fact names, or from an account for what cannot be attributed.
    """

    hashes_display_text: bool
    compares_displayed_effects: bool
    binds_by_position: bool
    forgets_rules: bool
    draws_by_request: bool = True
    adds_up_limits: bool = False
    is_normal: bool = False
    restricts_everything: bool = False
    releases_what_is_cited: bool = False
    cites_in_place: bool = False
    rewrites_exactly: bool = False
    suspends_failing_checks: bool = False
    reserves_words: bool = False
    publishes_in_order: bool = False
    undoes_wholly: bool = False
    withholds_addresses: bool = False
    audits_closely: bool = False


_LEVEL_3 = Level(
    hashes_display_text=False,
    compares_displayed_effects=False,
    binds_by_position=False,
    forgets_rules=False,
    draws_by_request=False,
    adds_up_limits=True,
    is_normal=True,
    restricts_everything=True,
    releases_what_is_cited=True,
    cites_in_place=True,
    rewrites_exactly=True,
    suspends_failing_checks=True,
    reserves_words=True,
    publishes_in_order=True,
)

#: Every level that this version can play, by number.
LEVELS = {
    0: Level(
        hashes_display_text=True,
        compares_displayed_effects=True,
        binds_by_position=True,
        forgets_rules=True,
    ),
    1: Level(
        hashes_display_text=False,
        compares_displayed_effects=False,
        binds_by_position=True,
        forgets_rules=True,
    ),
    2: Level(
        hashes_display_text=False,
        compares_displayed_effects=False,
        binds_by_position=False,
        forgets_rules=False,
    ),
    3: _LEVEL_3,
    4: replace(_LEVEL_3, undoes_wholly=True, withholds_addresses=True, audits_closely=True),
}
#: The level of a new game.
NEWEST = max(LEVELS)


def check_level(game: str, level: int) -> None:
    """Check that this version knows *level*.

    Raises:
        StoreError: the level is unknown.
    """
    if level not in LEVELS:
        raise StoreError(
            f"game {game!r} is of level {level}, but this nomoledger knows levels 0 to {NEWEST}:"
            " install a newer nomoledger"
        )
