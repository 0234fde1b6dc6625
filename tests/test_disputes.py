"""The life of a dispute: who may open it, what is attached, what it touches, and how it ends."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.engine.settlement.ruling_validity import rulings_in_force
from nomoledger.errors import UnknownError, UsageError
from nomoledger.game.computed_evidence import read_what_if, to_plain_values
from nomoledger.game.counterfactual import SavedWhatIf, WhatIf, WhatIfChanges, what_if
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, projection
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load, parse
from nomoledger.state.disputes import StandingMark, open_disputes, standing_mark
from nomoledger.views.site import publish
from nomoledger_projections.dispute_list import disputes
from nomoledger_projections.history import history
from nomoledger_projections.standings import standings
from nomoledger_projections.standings_by_period import standings_by_period

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
DAY = timedelta(days=1)

SECRETS = """
### I.1 Bombs
Words.
```yaml
secret: [plant]
declares: {player: {name: Text key}, bomb: {owner: Player}}
```
```python
def define_join(name: Text):
    create("player", {"name": name}, name)
def action_plant(player: Player):
    create("bomb", {"owner": player})
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "g.db", create=True) as opened:
        yield opened


def record_two_periods(ledger: Ledger) -> None:
    """A game in which Ann rolled 3 and 4 in period 1, bought square 8, and two periods closed."""
    rulebook = load("mail-opening")
    desk = open_game(ledger, "g", rulebook, settings={"squares": 9}, dice_from="entered", at=NOON)
    for name in ("Ann", "Bob"):
        desk.join(name, {"email": f"{name}@x.org"}, at=NOON)
    desk.propose("Ann", "nothing", (), at=NOON)
    desk.judge(1, "rejected", at=NOON)
    desk.enter_dice([3, 4], at=NOON)
    desk.submit("Ann", "buy", {"square": 8}, at=NOON)
    desk.close(at=NOON)
    desk.close(at=NOON + DAY)


@pytest.fixture
def desk(copy_of: Callable[[Callable[[Ledger], object]], Path]) -> Iterator[Game]:
    with Ledger.open(copy_of(record_two_periods)) as ledger:
        yield Game(ledger, "g")


def roll(desk: Game) -> int:
    entries = desk.ledger.read(desk.name)
    return next(each.number for each in entries if isinstance(each.body, e.DrawEntered))


def marks(desk: Game, *periods: int) -> list[str]:
    return [str(standing_mark(desk.world, period)) for period in periods]


# --- opening ------------------------------------------------------------------------------------


def test_a_dispute_opens_with_a_replay_of_its_period(desk: Game) -> None:
    made = desk.dispute("Bob", "the die was a 2", about=roll(desk)).events
    opened, attached = made
    assert isinstance(opened, e.DisputeOpened)
    assert (opened.number, opened.by, opened.disputed) == (1, "Bob", 1)
    assert isinstance(attached, e.DisputeArgued)
    assert (attached.dispute, attached.by, attached.text) == (1, "engine", "replay of period 1")
    report = to_plain_values(replay(desk.ledger, "g", 1))
    assert isinstance(attached.evidence, dict)
    assert attached.evidence == {name: report[name] for name in attached.evidence}
    assert {*report} - {*attached.evidence} == {
        *("digest", "omitted", "repeated", "has_record", "unknown"),
    }
    assert [each["number"] for each in open_disputes(desk.world)] == [1]
    assert replay(desk.ledger, "g").exact


def test_evidence_is_not_kept_in_the_state(desk: Game) -> None:
    desk.dispute("Bob", "all of it", period=1)
    assert desk.world.disputes[1]["arguments"] == 1
    assert "consequences" not in str(desk.world.disputes)


def test_a_repeated_request_opens_one_dispute(desk: Game) -> None:
    first = desk.dispute("Bob", "all of it", period=1, id="x").events
    assert desk.dispute("Bob", "all of it", period=1, id="x").events == first
    assert list(desk.world.disputes) == [1]


@pytest.mark.parametrize(
    ("by", "about", "words"),
    [
        ("Bob", {}, "say what is disputed"),
        ("Bob", {"period": 1, "about": 3}, "say what is disputed"),
        ("Bob", {"period": 4}, "there is no period 4 yet; it is period 3"),
        ("Bob", {"period": 0}, "there is no period 0"),
        ("Bob", {"about": 9999}, "there is no event #9999"),
        ("Cid", {"period": 1}, "there is no player 'Cid'"),
    ],
)
def test_an_impossible_dispute_is_refused(
    desk: Game, by: str, about: dict[str, int], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        desk.dispute(by, "no", period=about.get("period"), about=about.get("about"))
    with pytest.raises(UsageError, match="the text is empty"):
        desk.dispute("Bob", " ", period=1)
    assert not desk.world.disputes


def test_a_dispute_about_a_secret_is_secret(ledger: Ledger, tmp_path: Path) -> None:
    desk = open_game(ledger, "b", parse(SECRETS, "bombs.md"), at=NOON)
    desk.join("Ann", at=NOON)
    desk.join("Bob", at=NOON)
    desk.submit("Ann", "plant", at=NOON)
    number = desk.world.head
    with pytest.raises(UnknownError, match=f"Bob knows of no event #{number}"):
        desk.dispute("Bob", "what is this", about=number)
    desk.dispute("Ann", "it was two bombs", about=number)
    with pytest.raises(UnknownError, match="there is no dispute 1"):
        desk.argue(1, "Bob", "hm")
    desk.close_dispute(1, "it was one bomb")
    for reader, seen in ((None, 0), ("Bob", 0), ("Ann", 1), ("admin", 1)):
        view = LedgerView(ledger, "b", None, reader)
        assert len(disputes(view).disputes) == seen
        assert ("two bombs" in str(history(view).chapters[-1])) == bool(seen)
    publish(ledger, "b", tmp_path / "site")
    assert "bomb" not in (tmp_path / "site" / "rulings.html").read_text("utf-8")


def test_the_replay_of_a_public_dispute_reveals_no_secret(ledger: Ledger) -> None:
    found = []
    for game in ("a", "b"):
        desk = open_game(ledger, game, parse(SECRETS, "bombs.md"), at=NOON)
        desk.join("Ann", at=NOON)
        if game == "b":
            desk.submit("Ann", "plant", at=NOON)
        attached = desk.dispute("admin", "all of it", period=1).events[1]
        assert isinstance(attached, e.DisputeArgued)
        found.append(attached.evidence | {"game": ""})
    assert found[0] == found[1]
    assert "digest" not in found[0]


# --- arguing and closing ---------------------------------------------------------------------


def test_arguments_are_kept_in_order(desk: Game) -> None:
    desk.dispute("Bob", "the die was a 2", about=roll(desk))
    changed = WhatIfChanges(edits=(e.Replaced(roll(desk), [2, 4]),))
    found = what_if(desk.ledger, "g", changed)
    desk.argue(1, "Ann", "it was a 3")
    desk.argue(1, "admin", "see what follows", read_what_if(saved(found, changed), "g"))
    (dispute,) = disputes(LedgerView(desk.ledger, "g"), number=1).disputes
    assert [each.by for each in dispute.arguments] == ["engine", "Ann", "admin"]
    assert dispute.arguments[2].evidence["first"] == roll(desk)
    assert "owner of square 8: Ann would be nothing" in str(dispute)


def saved(result: WhatIf, changed: WhatIfChanges) -> bytes:
    """Return what the command what-if saves."""
    fields = {name: getattr(result, name) for name in result.__struct_fields__}
    return msgspec.json.encode(SavedWhatIf(**fields, changes=changed), enc_hook=str)


def test_only_a_what_if_of_this_game_is_attached() -> None:
    with pytest.raises(UsageError, match=r"not a what-if: .*; save one with what-if --save FILE"):
        read_what_if(b'{"a": 1}', "g")


def test_a_dispute_is_closed_once(desk: Game) -> None:
    desk.dispute("Bob", "the die was a 2", about=roll(desk))
    (ruling,) = desk.close_dispute(1, "it was a 3").events
    assert isinstance(ruling, e.RulingMade)
    assert (ruling.kind, ruling.about, ruling.closes) == ("uphold", roll(desk), 1)
    assert not open_disputes(desk.world)
    again: list[Callable[[], object]] = [
        lambda: desk.close_dispute(1, "no"),
        lambda: desk.argue(1, "Bob", "but"),
        lambda: desk.rule("no", closes=1),
        lambda: desk.rule_on("ratify", "no", closes=1),
    ]
    for request in again:
        with pytest.raises(UsageError, match="dispute 1 is closed by ruling 1: open another"):
            request()
    with pytest.raises(UnknownError, match="there is no dispute 2; there is: 1"):
        desk.rule("no", closes=2)


def test_a_repeated_ruling_closes_it_once(desk: Game) -> None:
    desk.dispute("Bob", "the die was a 2", period=1)
    first = desk.close_dispute(1, "it was a 3", id="x")
    assert desk.close_dispute(1, "it was a 3", id="x") == first
    assert list(desk.world.rulings) == [1]


def test_a_second_dispute_about_a_settled_event_can_be_closed(desk: Game) -> None:
    for number in (1, 2):
        desk.dispute("Bob", "the die was a 2", about=roll(desk))
        desk.close_dispute(number, "it was a 3")
    assert not open_disputes(desk.world)


def test_any_kind_of_ruling_closes_a_dispute(desk: Game) -> None:
    for _ in range(3):
        desk.dispute("Bob", "the die was a 2", period=1)
    desk.rule("put right", closes=1)
    desk.rule_on("ratify", "it stands", about=roll(desk), closes=2)
    assert [each["number"] for each in open_disputes(desk.world)] == [3]
    edits = (e.Replaced(roll(desk), [2, 4]),)
    desk.rule_on("replace", "it was a 2", edits=edits, overrules=(2,), settle="all", closes=3)
    assert not open_disputes(desk.world)
    assert desk.world.get("square:8", "owner") is None


def test_a_ruling_that_cannot_be_carried_out_closes_nothing(desk: Game) -> None:
    desk.dispute("Bob", "that proposal never was", period=1)
    proposal = next(
        each.number for each in desk.ledger.read("g") if isinstance(each.body, e.ProposalJudged)
    )
    edits = (e.Replaced(proposal, "accepted"), e.LeftOut(roll(desk)))
    outcome = desk.rule_on("replace", "so be it", edits=edits, closes=1)
    assert outcome.refusals
    assert [each["number"] for each in open_disputes(desk.world)] == [1]
    assert not rulings_in_force(desk.world)
    assert world_of(desk.ledger, "g").disputes == desk.world.disputes
    desk.close_dispute(1, "it stands")
    view = LedgerView(desk.ledger, "g")
    assert [each.ruling for each in disputes(view).disputes] == [2]
    model: Any = projection("rulings")(view)
    assert [each.state for each in model.rulings] == ["refused", "in force"]


# --- which standings it touches ------------------------------------------------------------------


def test_the_period_and_every_later_one_are_disputed_while_it_is_open(desk: Game) -> None:
    desk.dispute("Bob", "all of it", period=2)
    assert marks(desk, 1, 2, 3) == ["", "disputed", "disputed"]
    view = LedgerView(desk.ledger, "g")
    found = standings_by_period(view)
    assert found.disputed == (2, 3)
    (table,) = found.show()
    assert table.columns == ("player", "1", "2 (disputed)", "3 (open, disputed)")  # type: ignore[union-attr]
    first = standings(LedgerView(desk.ledger, "g", 2))
    assert first.disputed == (1,)
    assert list(first.show())[-1] == "period 2 is disputed: dispute 1"
    desk.close_dispute(1, "it stands")
    assert marks(desk, 1, 2, 3) == ["", "", ""]


def test_earlier_readings_are_not_disputed(desk: Game) -> None:
    desk.dispute("Bob", "all of it", period=1)
    assert standings(LedgerView(desk.ledger, "g", 1)).disputed == (1,)
    assert standings(LedgerView(desk.ledger, "g", 1, None, 2)).disputed == ()


def test_standings_become_final_after_the_time_for_disputes(desk: Game) -> None:
    assert marks(desk, 1, 2, 3) == ["", "", ""]
    desk.set_finality(7, at=NOON + 2 * DAY)
    desk.advance(at=NOON + 7 * DAY)
    assert marks(desk, 1, 2, 3) == ["final", "", ""]
    desk.advance(at=NOON + 8 * DAY)
    assert marks(desk, 1, 2, 3) == ["final", "final", ""]
    assert standing_mark(desk.world, 1) == StandingMark((), True)
    assert standings(LedgerView(desk.ledger, "g", 1)).final
    assert standings_by_period(LedgerView(desk.ledger, "g")).final == (1, 2)


def test_closing_a_dispute_restarts_the_time(desk: Game) -> None:
    desk.set_finality(7, at=NOON + 2 * DAY)
    desk.dispute("Bob", "all of it", period=2, at=NOON + 6 * DAY)
    desk.advance(at=NOON + 9 * DAY)
    assert marks(desk, 1, 2) == ["final", "disputed"]
    desk.close_dispute(1, "it stands", at=NOON + 10 * DAY)
    assert marks(desk, 1, 2) == ["final", ""]
    desk.advance(at=NOON + 17 * DAY)
    assert marks(desk, 1, 2) == ["final", "final"]


def test_only_the_admin_may_dispute_final_standings(desk: Game) -> None:
    desk.set_finality(7, at=NOON + 9 * DAY)
    with pytest.raises(UsageError, match="period 1 are final: only the admin may dispute"):
        desk.dispute("Bob", "all of it", period=1, at=NOON + 9 * DAY)
    desk.dispute("admin", "all of it", period=1, at=NOON + 9 * DAY)
    assert marks(desk, 1, 2) == ["disputed", "disputed"]


@pytest.mark.parametrize("days", [-1, 36_501])
def test_an_impossible_number_of_days_is_refused(desk: Game, days: int) -> None:
    with pytest.raises(UsageError, match="after 0 to 36500 days"):
        desk.set_finality(days)


# --- where it is told ------------------------------------------------------------------------


def test_the_history_describes_a_dispute(desk: Game) -> None:
    desk.dispute("Bob", "all of it", period=1)
    desk.argue(1, "Ann", "not at all")
    desk.close_dispute(1, "it stands")
    desk.set_finality(7)
    chapter = history(LedgerView(desk.ledger, "g")).chapters[-1]
    assert [each.text for each in chapter.paragraphs] == [
        "Bob disputes period 1 (dispute 1): all of it.",
        "Replay of period 1: 63 consequences compared (exact): nothing differs.",
        "Ann says on dispute 1: not at all.",
        "Ruling 1 closes dispute 1: it stands.",
        "Standings turn final 7 days after a close.",
    ]


@pytest.mark.slow
def test_the_site_shows_a_dispute(desk: Game, tmp_path: Path) -> None:
    desk.dispute("Bob", "<b>all</b> of it", period=2)
    publish(desk.ledger, "g", tmp_path / "a")
    page = (tmp_path / "a" / "period-2" / "standings.html").read_text("utf-8")
    assert 'These standings are disputed: <a href="../rulings.html#d1">dispute 1</a>' in page
    assert "<b>all" not in (tmp_path / "a" / "rulings.html").read_text("utf-8")
    table = (tmp_path / "a" / "standings.html").read_text("utf-8")
    assert re.findall(r"</a>(?: \(\w+\))+", table)[:2] == [
        "</a> (disputed)",
        "</a> (open) (disputed)",
    ]
    desk.close_dispute(1, "it stands")
    desk.set_finality(0)
    publish(desk.ledger, "g", tmp_path / "b")
    page = (tmp_path / "b" / "period-2" / "standings.html").read_text("utf-8")
    assert "These standings are final" in page


@pytest.mark.slow
def test_the_commands_open_argue_show_and_close_a_dispute(
    desk: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOMOLEDGER_LEDGER", str(tmp_path / "g.db"))
    number = roll(desk)

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(program, list(words))
        assert result.exit_code == code, result.output
        return result.output

    run("dispute", "open", "Bob", "It was a 2", "--event", f"#{number}")
    run("what-if", "--replace", f"{number}=2,4", "--save", str(tmp_path / "w.json"))
    run("dispute", "argue", "1", "Ann", "See", "--what-if", str(tmp_path / "w.json"))
    assert f"dispute 1 by Bob of #{number}: It was a 2" in run("status")
    assert '"disputes":[{"number":1,"by":"Bob"' in run("status", "--json")
    run("dispute", "close", "1", "It was", "--replace", f"{number}=2,4", "--settle", "all", "--yes")
    assert "closed by ruling 1" in run("dispute", "list")
    assert "would be 7" in run("dispute", "show", "1")
    assert "there is no dispute 2" in run("dispute", "show", "2", code=2)
    assert "standings turn final 14 days" in run("finality", "--after", "14")
    assert "closes dispute 1" in run("rulings")
