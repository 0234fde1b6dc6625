"""Where the corrected course of play meets later play: collisions, orphans, new questions."""

from datetime import timedelta

from nomoledger import events as e
from nomoledger.engine.settlement.ruling_validity import (
    edits_of,
    first_edited_event,
    rulings_in_force,
)
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.prose.descriptions import describe_event

from .game import RuledGame, played_right, refused, unlike
from .mail import WEEK, Mail
from .rules import RULES


def course_of(game: RuledGame, *edits: e.Edit, questions: str = "stop") -> Timeline:
    held = edits_of(rulings_in_force(game.world))
    since = first_edited_event(game.world)
    course = Timeline(
        game.entries, [*held, *edits], since=since, questions=questions, describe=describe_event
    )
    for _ in course.run():
        pass
    return course


# --- collisions -----------------------------------------------------------------------------------


def bought_since() -> tuple[Mail, e.Edit]:
    """Ann asked to buy square 8, which was overlooked; Bob has bought it since."""
    game = Mail()
    game.turn("Ann", 3, 4)
    edit = e.TakenIn(game.last(e.AttemptDone), "Ann", "buy", {"square": 8})
    game.at += timedelta(minutes=WEEK + 1)
    game.turn("Bob", 3, 4)
    game.go("Bob", "buy", square=8)
    return game, edit


def test_a_square_bought_by_another_since_is_a_collision() -> None:
    game, edit = bought_since()
    bought = game.last(e.SubmissionReceived)
    (collision,) = course_of(game, edit).collisions()
    assert (collision.event, collision.why) == (bought, "no option to buy this square (VIII.3@1)")
    before = len(game.entries)
    made = game.rule_on("replace", edit)
    assert refused(made) == (
        f"later play does not fit: #{bought} Bob asks to buy: square 8:"
        " no option to buy this square (VIII.3@1)"
    )
    assert (game.owner(8), rulings_in_force(game.world)) == ("Bob", [])
    assert len(game.entries) == before + 2


def test_the_admin_decides_a_collision() -> None:
    for settle, owner, money in (
        ("all", "Ann", (920, 1000)),
        ("money", "Bob", (920, 1000)),
        ("none", "Bob", (1000, 920)),
    ):
        game, edit = bought_since()
        assert refused(game.rule_on("replace", edit, settle=settle)) == ""
        assert (game.owner(8), (game.money("Ann"), game.money("Bob"))) == (owner, money)


def test_a_second_ruling_can_avoid_a_collision() -> None:
    game, edit = bought_since()
    bought = game.last(e.SubmissionReceived)
    assert refused(game.rule_on("replace", edit, e.LeftOut(bought))) == ""
    assert (game.owner(8), game.money("Bob")) == ("Ann", 1000)


def test_rejecting_the_join_of_a_player_who_has_left_collides_with_later_play() -> None:
    game = RuledGame(RULES, "entered")
    for name in ("Bob", "Ann"):
        game.ask("join", name)
    joined = game.last(e.JoinRequested)
    game.go("Ann", "buy")
    game.ask("leave", "Ann")
    found = course_of(game, e.LeftOut(joined)).collisions()
    assert [each.what for each in found] == ["Ann asks to buy", "Ann asks to leave"]
    assert "later play does not fit" in refused(game.rule_on("reject", about=joined))
    game.rule_on("reject", about=joined, settle="all")
    assert (game.money("Ann"), game.world.get("square:1", "owner")) == (0, None)


# --- orphans, and questions that are new ----------------------------------------------------------


def asked() -> tuple[RuledGame, int]:
    """Ann has come to 7, where she was asked, and then to 3; gives the number of her first dice."""
    game = RuledGame(RULES, "entered")
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 4])
    first = game.last(e.DrawEntered)
    game.ask("answer", "paint")
    game.go("Bob", "buy")
    return game, first


def test_an_answer_that_nobody_asks_for_is_an_orphan() -> None:
    game, first = asked()
    answered = game.last(e.ChoiceAnswered)
    course = course_of(game, e.Replaced(first, [2, 3]))
    (orphan,) = course.orphans()
    assert (orphan.event, orphan.what, orphan.why) == (
        answered, "admin answers paint", "nobody is asked"
    )  # fmt: skip
    game.rule_on("replace", e.Replaced(first, [2, 3]))
    assert (game.world.get("Ann", "square"), game.money("Ann", "paint")) == ("square:6", 0)


def new_question() -> tuple[RuledGame, e.Edit]:
    """Ann came to 6; had she come to 7, she would have been asked. Bob has gone on since."""
    game = RuledGame(RULES, "entered")
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    game.go("Ann", "go")
    game.ask("enter_dice", [2, 3])
    edit = e.Replaced(game.last(e.DrawEntered), [2, 4])
    game.go("Bob", "buy")
    return game, edit


def test_a_new_question_stops_play_unless_the_ruling_decides_it() -> None:
    game, edit = new_question()
    course = course_of(game, edit)
    (found,) = course.rerun.asked
    assert (found.to, found.text, found.dealt) == ("Ann", "Take money or paint?", "stopped")
    made = game.rule_on("replace", edit)
    assert "nobody answered: Take money or paint?" in refused(made)
    assert game.world.get("Ann", "square") == "square:6"


def test_a_new_question_gets_its_default_or_ends_the_attempt() -> None:
    for questions, square, paint in (("default", "square:7", 0), ("skip", "square:1", 0)):
        game, edit = new_question()
        (found,) = course_of(game, edit, questions=questions).rerun.asked
        assert found.dealt == {"default": "default", "skip": "skipped"}[questions]
        game.rule_on("replace", edit, questions=questions)
        assert game.world.get("Ann", "square") == square
        assert game.money("Ann", "paint") == paint
        assert game.world.get("square:1", "owner") == "Bob"


def test_a_ruling_can_give_the_answer_of_the_player() -> None:
    game, edit = new_question()
    question = course_of(game, edit).rerun.asked[0].question
    game.rule_on("replace", edit, e.Answered(question, "paint"))
    assert (game.world.get("Ann", "square"), game.money("Ann", "paint")) == ("square:7", 300)


# --- where play waits -----------------------------------------------------------------------------


def test_play_waits_for_dice_when_the_ruling_is_made() -> None:
    game = Mail()
    first = game.turn("Ann", 3, 4)
    game.ask("propose", "Bob", "Text.", ())
    game.ask("judge", 2, "accepted")
    edit = e.Replaced(first, [1, 2])
    made = game.rule_on("replace", edit)
    assert not [each for each in made if isinstance(each, e.QuestionRaised)]  # it is open already
    game.roll(1, 2)
    assert (game.at_square("Ann"), game.at_square("Bob"), game.options("Bob")) == (4, 4, [])
    assert unlike(game.world, played_right(game.entries, [edit])) == []


def test_play_waits_for_something_else_after_the_ruling() -> None:
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
    assert game.options("Ann") == [8]


def test_a_ruling_can_remove_the_open_question() -> None:
    game = Mail()
    roll = game.turn("Ann", 2, 2)
    assert game.world.questions
    edit = e.Replaced(roll, [1, 3])
    game.rule_on("replace", edit)
    assert (game.world.waiting, game.world.agenda, game.at_square("Ann")) == (None, (), 5)
    assert unlike(game.world, played_right(game.entries, [edit])) == []


def test_a_waiting_request_can_be_replaced_and_rejected() -> None:
    game = Mail()
    game.turn("Ann", 3, 4)
    game.ask("propose", "Bob", "Text.", ())
    game.ask("judge", 2, "accepted")
    bought = game.go("Ann", "buy", square=8)  # which waits for the dice
    game.rule_on("replace", e.Replaced(bought, {"square": 9}))
    game.roll(1, 2)
    assert game.owner(8) is None
    game.rule_on("reject", overrules=(1,), about=bought)
    assert (game.owner(8), game.options("Ann")) == (None, [8])


def test_a_close_that_waited_for_a_removed_question_is_made_up_for() -> None:
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
    return next(x.question for x in course_of(game, *edits).rerun.asked if x.to == "admin")
