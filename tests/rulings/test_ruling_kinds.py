"""What each kind of ruling does to a game of mail-opening."""

from datetime import timedelta

import pytest

from nomoledger import events as e
from nomoledger.engine.settlement.ruling_validity import rulings_in_force
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.errors import MisfitError, UsageError
from nomoledger.events.rules import Amend, Do, Post, Renumber

from .game import RuledGame, essence, played_right, refused, unlike
from .mail import RULES, WEEK, Mail


def check_settled(game: RuledGame, *edits: e.Edit) -> None:
    """Check that the state equals that of a game played with *edits* from the start."""
    assert unlike(game.world, played_right(game.entries, edits)) == []


# --- replace --------------------------------------------------------------------------------------


def test_a_replaced_die_moves_the_piece_and_its_option() -> None:
    game = Mail()
    edit = e.Replaced(game.turn("Ann", 3, 4), [1, 2])
    assert (game.at_square("Ann"), game.offers("Ann")) == (8, [8])
    events = game.rule_on("replace", edit, cites=("VII.1",))
    assert (game.at_square("Ann"), game.offers("Ann")) == (4, [4])
    assert events[0].received_at > game.entries[edit.event].body.received_at
    assert {x.rules[0] for x in events if not isinstance(x, e.Input | e.AttemptDone)} == {
        "ruling:1"
    }
    check_settled(game, edit)
    game.go("Ann", "buy", square=4)
    assert (game.owner(4), game.money("Ann")) == ("Ann", 960)
    check_settled(game, edit)


def test_the_option_of_a_corrected_landing_lapses_at_its_original_time() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    game.at += timedelta(minutes=WEEK - 10)
    game.rule_on("replace", e.Replaced(roll, [1, 2]))
    game.at += timedelta(minutes=10)
    game.ask("advance")
    assert game.offers("Ann") == []


def test_replacing_a_seeded_die_changes_no_other_die() -> None:
    game = RuledGame(RULES)
    for name in ("Ann", "Bob"):
        game.ask("join", name, {"email": name})
        game.ask("propose", name, "Text.", ())
        game.ask("judge", len(game.world.proposals), "accepted")
    rolls = [entry for entry in game.entries if isinstance(entry.body, e.DrawRecorded)]
    edit = e.Replaced(rolls[0].number, [1, 3])
    game.rule_on("replace", edit)
    assert game.world.get("Ann", "square") == "square:5"
    check_settled(game, edit)
    after = [entry.body for entry in game.entries[rolls[-1].number + 1 :]]
    assert not any(isinstance(body, e.DrawRecorded) for body in after)


def test_new_dice_come_from_the_seed_of_their_period() -> None:
    game = RuledGame(RULES)
    game.ask("join", "Ann", {"email": "Ann"})
    game.ask("propose", "Ann", "Text.", ())
    game.ask("judge", 1, "accepted")
    roll = game.last(e.DrawRecorded)
    game.ask("close")
    edit = e.Replaced(roll, [2, 2])  # doubles give another turn, with new dice
    events = game.rule_on("replace", edit)
    assert any(isinstance(event, e.DrawRecorded) for event in events)
    check_settled(game, edit)


def test_an_overlooked_submission_is_carried_out() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    game.turn("Bob", 1, 2)
    edit = e.TakenIn(roll, "Ann", "buy", {"square": 8})
    game.rule_on("replace", edit)
    assert (game.owner(8), game.money("Ann"), game.offers("Ann")) == ("Ann", 920, [])
    check_settled(game, edit)


def test_an_overlooked_submission_is_kept_when_another_is_overruled() -> None:
    game = Mail()
    game.turn("Ann", 3, 4)
    first = e.TakenIn(game.last(e.AttemptDone), "Ann", "buy", {"square": 8})
    second = e.TakenIn(game.last(e.AttemptDone), "Ann", "decline", {"square": 8})
    game.rule_on("replace", second)
    game.rule_on("replace", first)
    assert game.owner(8) is None
    game.rule_on("replace", overrules=(1,))
    assert game.owner(8) == "Ann"
    check_settled(game, first)


def test_a_replaced_verdict_changes_the_ruleset() -> None:
    game = Mail()
    change = (Amend("V.1", parameters={"dollars_per_number": 20}),)
    game.ask("propose", "Bob", "Dear squares.", change)
    game.ask("judge", 1, "rejected")
    verdict = game.last(e.ProposalJudged)
    game.roll(1, 2)  # a judged proposal gives a turn
    game.turn("Ann", 3, 4)
    game.go("Ann", "buy", square=8)
    edit = e.Replaced(verdict, "accepted")
    assert "nobody answered: roll 2d6" in refused(game.rule_on("replace", edit))
    events = game.rule_on("replace", edit, e.Answered(new_question(game, edit), [1, 2]))
    rule = game.world.rule("V.1")
    assert rule is not None
    assert (rule.parameters["dollars_per_number"], rule.version) == (20, 2)
    assert game.money("Ann") == 1000 - 160
    assert game.at_square("Bob") == 4
    amended = next(event for event in events if isinstance(event, e.RuleAmended))
    assert amended.source == "ruling 2"


def test_a_rule_renumbered_by_a_replaced_verdict_is_found_by_its_old_number() -> None:
    game = RuledGame(RULES)
    game.ask("join", "Ann", {"email": "ann@example.org"})
    game.ask("propose", "Ann", "Rule IX.4 is IX.9.", (Renumber("IX.4", "IX.9"),))
    game.ask("judge", 1, "rejected")
    edit = e.Replaced(game.last(e.ProposalJudged), "accepted")
    game.rule_on("replace", edit)
    check_settled(game, edit)
    assert game.world.game["renumbered"] == {"IX.4": "IX.9"}


def new_question(game: RuledGame, *edits: e.Edit) -> str:
    """Return the address of the first new question in the timeline of *edits*."""
    timeline = Timeline(game.entries, edits)
    for _ in timeline.run():
        pass
    return timeline.rerun.asked[0].question


# --- reject, uphold, ratify, correct ------------------------------------------------------------


def test_a_rejected_submission_is_undone() -> None:
    game = Mail()
    game.turn("Ann", 3, 4)
    bought = game.go("Ann", "buy", square=8)
    game.rule_on("reject", about=bought)
    assert (game.owner(8), game.money("Ann"), game.offers("Ann")) == (None, 1000, [8])
    check_settled(game, e.LeftOut(bought))


def test_a_proposal_rejected_by_ruling_cannot_be_judged_and_keeps_its_number() -> None:
    game = Mail()
    game.ask("propose", "Bob", "Text.", (Do("add_square"),))
    proposed = game.last(e.ProposalMade)
    game.rule_on("reject", about=proposed)
    assert refused(game.ask("judge", 1, "accepted"))
    game.ask("propose", "Bob", "Text.", ())
    assert sorted(game.world.proposals) == [1, 2]
    check_settled(game, e.LeftOut(proposed))


@pytest.mark.parametrize("kind", ["uphold", "ratify"])
def test_upholding_changes_nothing_and_excludes_another_ruling(kind: str) -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    before = essence(game.world)
    assert len(game.rule_on(kind, about=roll)) == 1
    assert essence(game.world) == before
    with pytest.raises(UsageError, match=rf"ruling 1 \({kind}\) is about #{roll}: .*--overrule 1"):
        game.rule_on("replace", e.Replaced(roll, [1, 2]))
    game.rule_on("replace", e.Replaced(roll, [1, 2]), overrules=(1,))
    assert game.at_square("Ann") == 4
    assert [ruling.number for ruling in rulings_in_force(game.world)] == [2]


def test_a_correction_changes_accounts_from_now_on() -> None:
    game = Mail()
    game.ask("rule", "Sorry.", changes=(Post({"Ann": 5, "admin": -5}, why="a slip"),))
    assert (game.money("Ann"), game.money("admin")) == (1005, -2005)
    with pytest.raises(MisfitError, match=r"break the sum of \$"):
        game.ask("rule", "Sorry.", changes=(Post({"Ann": 5, "admin": -4}),))


def test_an_answer_is_replaced() -> None:
    game = Mail()
    changes = (Do("fine", {"player": "Bob", "amount": 1001}),)
    game.ask("propose", "Ann", "Text.", changes)
    game.ask("judge", 1, "accepted")
    game.ask("rule", "Let it be.", value="nothing moves")
    answered = game.last(e.RulingMade)
    game.roll(1, 2)
    edit = e.Replaced(answered, "take it all the same")
    game.rule_on("replace", edit)
    assert game.money("Bob") == -1
    check_settled(game, edit)


# --- overruling and partial settlement ---------------------------------------------------------


def test_overruling_undoes_a_ruling_and_can_be_overruled_itself() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    game.go("Ann", "buy", square=8)
    at_first = essence(game.world)
    edit = e.Replaced(roll, [1, 2])
    game.rule_on("replace", edit, settle="all")
    ruled = essence(game.world)
    assert (game.owner(8), game.money("Ann")) == (None, 1000)
    game.rule_on("replace", overrules=(1,))
    assert essence(game.world) == at_first
    assert "later play does not fit" in refused(game.rule_on("replace", overrules=(2,)))
    game.rule_on("replace", overrules=(2,), settle="all")
    assert essence(game.world) == ruled
    check_settled(game, edit)


def test_settle_limits_what_is_corrected() -> None:
    for settle, money, at in (("money", 1000, 8), ("none", 920, 8), ("all", 1000, 4)):
        game = Mail()
        roll = game.turn("Ann", 3, 4)
        game.go("Ann", "buy", square=8)
        game.rule_on("replace", e.Replaced(roll, [1, 2]), settle=settle)
        assert (game.money("Ann"), game.at_square("Ann")) == (money, at)


def test_a_ruling_after_a_partly_settled_one_leaves_the_rest_unsettled() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    game.go("Ann", "buy", square=8)
    other = game.turn("Bob", 3, 2)
    bought = game.go("Bob", "buy", square=6)
    game.rule_on("replace", e.Replaced(roll, [1, 2]), settle="money")
    assert (game.money("Ann"), game.owner(8)) == (1000, "Ann")
    game.rule_on("replace", e.Replaced(other, [1, 2]), settle="all")
    assert (game.money("Ann"), game.owner(8), game.at_square("Ann")) == (1000, "Ann", 8)
    assert (game.money("Bob"), game.owner(6), game.at_square("Bob")) == (1000, None, 4)
    game.rule_on("replace", overrules=(2,))
    assert (game.money("Bob"), game.owner(6), game.at_square("Bob")) == (940, "Bob", 6)
    game.rule_on("reject", about=bought)
    assert (game.money("Bob"), game.money("Ann"), game.owner(8)) == (1000, 1000, "Ann")
    game.rule_on("replace", overrules=(1,), settle="money")
    assert (game.money("Ann"), game.owner(8)) == (920, "Ann")
