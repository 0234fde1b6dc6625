"""Corrected timelines and later play: collisions, orphans and new questions."""

from datetime import timedelta

from nomoledger import events as e
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.prose.teller import describe_event

from .game import RuledGame, played_right, refused, unlike
from .mail import WEEK, Mail
from .rules import RULES


def timeline_of(game: RuledGame, *edits: e.Edit, questions: str = "stop") -> Timeline:
    edits_in_force = edits_of(rulings_in_force(game.world))
    since = first_edited_event(game.world)
    timeline = Timeline(
        game.entries,
        [*edits_in_force, *edits],
        since=since,
        questions=questions,
        describe=describe_event,
    )
    for _ in timeline.run():
        pass
    return timeline


# --- collisions -----------------------------------------------------------------------------------


def overlooked_buyer() -> tuple[Mail, e.Edit]:
    """Ann's request to buy square 8 was overlooked, and Bob bought the square later."""
    game = Mail()
    game.turn("Ann", 3, 4)
    edit = e.TakenIn(game.last(e.AttemptDone), "Ann", "buy", {"square": 8})
    game.at += timedelta(minutes=WEEK + 1)
    game.turn("Bob", 3, 4)
    game.go("Bob", "buy", square=8)
    return game, edit


def test_a_later_buyer_of_the_same_square_collides() -> None:
    game, edit = overlooked_buyer()
    bought = game.last(e.SubmissionReceived)
    (collision,) = timeline_of(game, edit).collisions()
    why = "this square is not on offer to that player (VIII.3@1)"
    assert (collision.event, collision.why) == (bought, why)
    before = len(game.entries)
    events = game.rule_on("replace", edit)
    assert refused(events) == (
        f"later play does not fit: #{bought} Bob asks to buy: square 8:"
        " this square is not on offer to that player (VIII.3@1)"
    )
    assert (game.owner(8), rulings_in_force(game.world)) == ("Bob", [])
    assert len(game.entries) == before + 2


def test_settle_decides_how_a_collision_is_settled() -> None:
    for settle, owner, money in (
        ("all", "Ann", (920, 1000)),
        ("money", "Bob", (920, 1000)),
        ("none", "Bob", (1000, 920)),
    ):
        game, edit = overlooked_buyer()
        assert refused(game.rule_on("replace", edit, settle=settle)) == ""
        assert (game.owner(8), (game.money("Ann"), game.money("Bob"))) == (owner, money)


def test_an_edit_of_the_later_request_removes_the_collision() -> None:
    game, edit = overlooked_buyer()
    bought = game.last(e.SubmissionReceived)
    assert refused(game.rule_on("replace", edit, e.LeftOut(bought))) == ""
    assert (game.owner(8), game.money("Bob")) == ("Ann", 1000)


def test_requests_of_a_player_who_never_joined_collide() -> None:
    game = RuledGame(RULES, "entered")
    for name in ("Bob", "Ann"):
        game.ask("join", name)
    joined = game.last(e.JoinRequested)
    game.go("Ann", "buy")
    game.ask("leave", "Ann")
    collisions = timeline_of(game, e.LeftOut(joined)).collisions()
    assert [collision.what for collision in collisions] == ["Ann asks to buy", "Ann asks to leave"]
    assert "later play does not fit" in refused(game.rule_on("reject", about=joined))
    game.rule_on("reject", about=joined, settle="all")
    assert (game.money("Ann"), game.world.get("square:1", "owner")) == (0, None)


# --- orphans and new questions --------------------------------------------------------------------


def answered_question() -> tuple[RuledGame, int]:
    """Ann landed on square 7 and answered its question. Return the number of her roll."""
    game = RuledGame(RULES, "entered")
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 4])
    first = game.last(e.DrawEntered)
    game.ask("answer", "paint")
    game.go("Bob", "buy")
    return game, first


def test_an_answer_whose_question_is_not_asked_is_an_orphan() -> None:
    game, first = answered_question()
    answered = game.last(e.ChoiceAnswered)
    timeline = timeline_of(game, e.Replaced(first, [2, 3]))
    (orphan,) = timeline.orphans()
    assert (orphan.event, orphan.what, orphan.why) == (
        answered, "admin answers paint", "the question is not asked"
    )  # fmt: skip
    game.rule_on("replace", e.Replaced(first, [2, 3]))
    assert (game.world.get("Ann", "square"), game.money("Ann", "paint")) == ("square:6", 0)


def new_question() -> tuple[RuledGame, e.Edit]:
    """Ann landed on square 6; the edit moves her to 7, which asks a question. Bob played later."""
    game = RuledGame(RULES, "entered")
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 3])
    edit = e.Replaced(game.last(e.DrawEntered), [2, 4])
    game.go("Bob", "buy")
    return game, edit


def test_a_new_question_stops_the_replay_by_default() -> None:
    game, edit = new_question()
    timeline = timeline_of(game, edit)
    (question,) = timeline.rerun.asked
    assert (question.to, question.text, question.dealt) == (
        "Ann",
        "Take money or paint?",
        "stopped",
    )
    events = game.rule_on("replace", edit)
    assert "nobody answered: Take money or paint?" in refused(events)
    assert game.world.get("Ann", "square") == "square:6"


def test_a_new_question_takes_its_default_or_is_skipped() -> None:
    for questions, square, paint in (("default", "square:7", 0), ("skip", "square:1", 0)):
        game, edit = new_question()
        (question,) = timeline_of(game, edit, questions=questions).rerun.asked
        assert question.dealt == {"default": "default", "skip": "skipped"}[questions]
        game.rule_on("replace", edit, questions=questions)
        assert game.world.get("Ann", "square") == square
        assert game.money("Ann", "paint") == paint
        assert game.world.get("square:1", "owner") == "Bob"


def test_a_ruling_can_answer_a_new_question() -> None:
    game, edit = new_question()
    question = timeline_of(game, edit).rerun.asked[0].question
    game.rule_on("replace", edit, e.Answered(question, "paint"))
    assert (game.world.get("Ann", "square"), game.money("Ann", "paint")) == ("square:7", 300)


# --- open questions -------------------------------------------------------------------------------


def test_a_question_open_at_the_ruling_stays_open() -> None:
    game = Mail()
    first = game.turn("Ann", 3, 4)
    game.ask("propose", "Bob", "Text.", ())
    game.ask("judge", 2, "accepted")
    edit = e.Replaced(first, [1, 2])
    events = game.rule_on("replace", edit)
    assert not [
        event for event in events if isinstance(event, e.QuestionRaised)
    ]  # it is open already
    game.roll(1, 2)
    assert (game.at_square("Ann"), game.at_square("Bob"), game.offers("Bob")) == (4, 4, [])
    assert unlike(game.world, played_right(game.entries, [edit])) == []


def test_a_ruling_can_open_a_question() -> None:
    game = Mail()
    roll = game.turn("Ann", 3, 4)
    edit = e.Replaced(roll, [2, 2])  # doubles
    (question,) = (x for x in game.rule_on("replace", edit) if isinstance(x, e.QuestionRaised))
    assert (question.asks, game.at_square("Ann")) == ("dice", 5)
    game.roll(1, 2)
    assert game.at_square("Ann") == 8
    assert unlike(game.world, played_right(game.entries, [edit])) == []
    game.rule_on("replace", overrules=(1,), settle="all")
    assert (game.at_square("Ann"), game.world.waiting) == (8, None)
    assert game.offers("Ann") == [8]


def test_a_ruling_can_remove_the_open_question() -> None:
    game = Mail()
    roll = game.turn("Ann", 2, 2)
    assert game.world.questions
    edit = e.Replaced(roll, [1, 3])
    game.rule_on("replace", edit)
    assert (game.world.waiting, game.world.agenda, game.at_square("Ann")) == (None, (), 5)
    assert unlike(game.world, played_right(game.entries, [edit])) == []


def test_a_waiting_submission_can_be_replaced_or_rejected() -> None:
    game = Mail()
    game.turn("Ann", 3, 4)
    game.ask("propose", "Bob", "Text.", ())
    game.ask("judge", 2, "accepted")
    bought = game.go("Ann", "buy", square=8)  # which waits for the dice
    game.rule_on("replace", e.Replaced(bought, {"square": 9}))
    game.roll(1, 2)
    assert game.owner(8) is None
    game.rule_on("reject", overrules=(1,), about=bought)
    assert (game.owner(8), game.offers("Ann")) == (None, [8])


def test_a_close_that_no_longer_waits_is_carried_out() -> None:
    game = RuledGame(RULES, "entered")
    game.ask("join", "Ann")
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 4])  # Ann is asked
    roll = game.last(e.DrawEntered)
    game.ask("close")
    assert game.world.period == 1
    edit = e.Replaced(roll, [1, 4])
    assert "period 1 is still open: it would have been closed by now" in refused(
        game.rule_on("replace", edit, e.Answered(dice_of(game, edit), [1, 2]))
    )
    game.rule_on("replace", edit, e.Answered(dice_of(game, edit), [1, 2]), settle="all")
    assert game.world.period == 2


def dice_of(game: RuledGame, *edits: e.Edit) -> str:
    return next(x.question for x in timeline_of(game, *edits).rerun.asked if x.to == "admin")
