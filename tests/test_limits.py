"""Limits add up: who has used up a share is refused, and nobody else; what was played replays."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from language.inline import Play

from nomoledger import events as e
from nomoledger.engine import allowances
from nomoledger.events.rules import Enact, Repeal, Rule
from nomoledger.game.counterfactual import WhatIfChanges, what_if
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.language import verbs
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.translation import Terms
from nomoledger.rulebook.loading import parse
from nomoledger.sandbox.limits import Limits
from nomoledger.state import shares
from nomoledger.state.shares import Use

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CODE = """
def action_toll(player: Player, to: Number):
    for n in range(to): tick()
def define_tick():
    for n in [1]: pass
def action_store(player: Player, letters: Number):
    set(player, "mark", "x" * letters)
def action_start(player: Player, attempts: Number):
    for n in range(attempts): schedule("tick")
def action_pass_it(player: Player, number: Number): adopt(number)
def action_wait(player: Player, attempts: Number):
    for n in range(attempts): schedule("tick", due = now() + 60 + n)
def define_close_period():
    for n in range(30): tick()
"""


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """A game in which Ann and Bob play with small limits."""
    small = Use(operations=100, changes=40, bytes=40_000, rules=4, attempts=12)
    monkeypatch.setattr(shares, "PLAYER_MAX", small)
    monkeypatch.setattr(shares, "REQUEST_MAX", small._replace(operations=80, rules=3, attempts=6))
    monkeypatch.setattr(shares, "RESERVE_MAX", Use(*(3 * most for most in small)))
    return Play({"1": CODE})


def ask(play: Play, by: str, action: str, **arguments: int) -> str:
    """Return why *action* is refused; "" if it is done."""
    events = play.take(e.SubmissionReceived, by=by, action=action, arguments=arguments)
    texts = [x.reasons[0].text for x in events if isinstance(x, e.AttemptRefused)]
    return "; ".join(texts)


def test_a_player_who_has_used_up_a_share_is_refused_and_nobody_else(play: Play) -> None:
    assert ask(play, "Ann", "toll", to=60) == ""
    why = ask(play, "Ann", "toll", to=60)
    assert why == "Ann can use 100 operations in one period, and has used 61"
    assert ask(play, "Bob", "toll", to=60) == ""


def test_what_a_refused_attempt_has_used_counts(play: Play) -> None:
    assert "one request can use 80 operations" in ask(play, "Ann", "toll", to=90)
    assert "has used 81" in ask(play, "Ann", "toll", to=30)


def test_a_period_gives_every_share_anew(play: Play) -> None:
    ask(play, "Ann", "toll", to=70)
    assert ask(play, "Ann", "toll", to=70) != ""
    play.close()
    assert ask(play, "Ann", "toll", to=70) == ""


def test_players_who_have_used_up_all_cannot_prevent_the_close(play: Play) -> None:
    for by in ("Ann", "Bob"):
        for _ in range(3):
            ask(play, by, "toll", to=79)
    play.close()
    assert play.world.period == 2


def test_an_admin_whose_share_is_used_up_can_still_close_and_rule(play: Play) -> None:
    for _ in range(40):
        play.take(e.ClockAdvanced)
        play.take(e.JoinRequested, name="admin")
    play.rule(Repeal("1"))
    assert play.world.rule("1") is None
    play.close()
    assert play.world.period == 2


def test_those_who_have_not_joined_have_one_share_together(play: Play) -> None:
    refusals = []
    for n in range(14):
        events = play.take(e.JoinRequested, name=f"Nobody {n}")
        refusals += [x.reasons[0].text for x in events if isinstance(x, e.AttemptRefused)]
    assert "people who have not joined can use 12 attempts in one period" in refusals[-1]
    assert ask(play, "Ann", "toll", to=1) == ""


def test_bytes_and_changes_add_up(play: Play) -> None:
    reasons = [ask(play, "Ann", "store", letters=9_000 + n) for n in range(6)]
    assert reasons[:2] == ["", ""]
    assert "Ann can use 40000 bytes in one period" in reasons[-1]
    reasons = [ask(play, "Bob", "store", letters=n) for n in range(45)]
    assert "Bob can use 12 attempts in one period" in reasons[-1]


def test_attempts_that_follow_from_a_request_count_for_it(play: Play) -> None:
    assert "one request can use 6 attempts" in ask(play, "Ann", "start", attempts=8)
    assert "Ann can use 12 attempts" in ask(play, "Ann", "start", attempts=8)
    assert ask(play, "Bob", "start", attempts=4) == ""


def test_sealed_attempts_have_a_share_of_their_own(play: Play) -> None:
    play.take(
        e.SubmissionReceived, by="Ann", action="toll", arguments={"to": 70}, audience=("Ann",)
    )
    assert ask(play, "Ann", "toll", to=70) == ""
    assert "and has used 71" in ask(play, "Ann", "toll", to=70)


def test_nobody_can_take_all_places_for_what_is_to_come(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verbs, "TO_COME_MAX", 16)
    assert ask(play, "Ann", "wait", attempts=5) == ""
    why = ask(play, "Ann", "wait", attempts=5)
    assert why == "of 16 places for what is to come, half are taken, 7 by Ann"
    assert ask(play, "Bob", "wait", attempts=4) == ""


def test_a_request_can_change_only_so_many_rules(play: Play) -> None:
    changes = tuple(Enact(Rule(number=f"T.{n}", title="T", prose="P")) for n in range(4))
    play.take(e.ProposalMade, by="Bob", number=1, text="Rules.", changes=changes)
    play.take(e.ProposalMade, by="Bob", number=2, text="Rules.", changes=changes[:3])
    assert "one request can use 3 changes of rules" in ask(play, "Ann", "pass_it", number=1)
    assert ask(play, "Ann", "pass_it", number=2) == ""


def test_a_ruling_can_change_more_rules_than_a_request(play: Play) -> None:
    changes = [Enact(Rule(number=f"T.{n}", title="T", prose="P")) for n in range(8)]
    assert play.rule(*changes).world.rule("T.7") is not None


def test_only_so_many_rules_can_be_in_force(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowances, "RULES_MAX", 4)
    rules = [Rule(number=f"T.{n}", title="T", prose="P") for n in range(3)]
    play.rule(*map(Enact, rules))
    (refusal,) = [x for x in play.last if isinstance(x, e.AttemptRefused)]
    assert refusal.reasons[0].text == "at most 4 rules can be in force, and there would be 5"
    assert len(play.rule(Enact(rules[0]), Enact(rules[1])).world.rules) == 4
    assert len(play.rule(Repeal("T.0")).world.rules) == 3


def test_the_code_of_all_rules_is_bounded(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowances, "CODE_LETTERS_MAX", 1_000)
    long = Rule(number="T.1", title="T", code=f"def value_t(): return '{'x' * 2_000}'\n")
    play.rule(Enact(long))
    (refusal,) = [x for x in play.last if isinstance(x, e.AttemptRefused)]
    assert "the code of all rules can have 1000 letters" in refusal.reasons[0].text


def test_public_terms_do_not_tell_what_was_used(play: Play) -> None:
    ask(play, "Ann", "toll", to=3)
    (done,) = [x for x in play.last if isinstance(x, e.AttemptDone)]
    assert done.used is not None
    assert done.used[:2] == (4, 0)
    public = Terms().of(done)
    assert isinstance(public, e.AttemptDone)
    assert public.used is None


# --- in a ledger --------------------------------------------------------------------------------

BOOK = f"""### 0 Base
```yaml
declares: {{player: {{name: Text key, mark: Text}}}}
commodities: {{"$": {{places: 0}}}}
```
```python
def define_join(name): return create("player", {{"name": name}}, name)
def action_work(player: Player, attempts: Number, loops: Number):
    for n in range(attempts): schedule("toil", loops)
def define_toil(loops):
    for n in range(loops): pass
```
### 1 Rule
```python
{CODE.strip()}
```
"""


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Game]:
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        game = open_game(ledger, "g", parse(BOOK, "book.md"), at=NOON)
        for name in ("Ann", "Bob"):
            game.join(name, {}, at=NOON)
        yield game


@pytest.mark.slow
def test_a_game_at_its_limits_replays_verifies_and_closes(game: Game) -> None:
    for _ in range(24):
        outcome = game.submit("Ann", "toll", {"to": 44_000}, at=NOON)
    assert "Ann can use 1000000 operations in one period" in str(outcome)
    assert "refused" not in str(game.submit("Bob", "toll", {"to": 9}, at=NOON))
    game.close(at=NOON)
    assert replay(game.ledger, "g", 1).exact
    assert game.ledger.verify("g").ok


@pytest.mark.slow
def test_what_took_long_in_many_attempts_can_be_computed_again(game: Game) -> None:
    """Each attempt takes less time than one may take, and all together take more."""
    game.submit("Ann", "work", {"attempts": 40, "loops": 6_000_000}, at=NOON)
    game.close(at=NOON)
    strict = Limits(cpu_seconds=0.5, wall_seconds=20.0)
    assert replay(game.ledger, "g", 1, limits=strict).exact
    assert what_if(game.ledger, "g", WhatIfChanges(), limits=strict).difference is None


@pytest.mark.parametrize(
    ("when", "holds"), [("period() == 2", ""), ("period() == 9", "period() == 1")]
)
def test_each_period_replays_exactly_where_an_order_speaks_of_the_period(
    game: Game, when: str, holds: str
) -> None:
    game.order("Ann", when, (e.Act("toll", {"to": 3}),), holds=holds, at=NOON)
    first = game.close(at=NOON)
    assert isinstance(first.events[-1], e.AttemptDone | e.OrderLapsed)
    assert replay(game.ledger, "g", 1).exact
    assert replay(game.ledger, "g", 2).exact
    game.close(at=NOON)
    for period in (1, 2):
        assert replay(game.ledger, "g", period).exact
        assert replay(game.ledger, "g", period, from_start=True).exact
        unchanged = what_if(game.ledger, "g", WhatIfChanges(since=period, until=period))
        assert unchanged.difference is None
        assert unchanged.otherwise == ()
        assert unchanged.period == period
