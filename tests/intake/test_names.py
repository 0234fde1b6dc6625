import pytest

from nomoledger.errors import UsageError
from nomoledger.game.game import Game
from nomoledger.intake.chosen_names import look, new_name

COMPOSED, DECOMPOSED = "Zo\u00eb", "Zoe\u0308"


@pytest.mark.parametrize("text", ["Ann", "=1+1", "A|b", "Ann's vault", "\u674e", "x" * 60])
def test_a_name_that_people_can_read_is_taken_as_it_is(text: str) -> None:
    assert new_name(text) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has a letter or a digit"),
        ("...", "has a letter or a digit"),
        ("x" * 61, "at most 60 characters, not 61"),
        ("An\u200bn", "invisible character U\\+200B"),
        ("Ann\u202e", "invisible character U\\+202E"),
        ("A\x1b[2Jnn", "control character U\\+001B"),
        ("A\u009bnn", "control character U\\+009B"),
        ("Ann\nBob", "control character U\\+000A"),
        ("Ann\u00a0Lee", "unusual character U\\+00A0"),
        ("None", "means something else"),
        ("ADMIN", "means something else"),
        ("\uff4eo", "means something else"),
    ],
)
def test_a_name_that_misleads_is_an_error_that_says_why(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        new_name(text)


def test_a_name_is_recorded_in_normal_form_and_without_spaces_around_it(game: Game) -> None:
    game.join(f"  {DECOMPOSED} ")
    assert "player" in game.world.kinds
    assert COMPOSED in game.world.kinds["player"]


def test_a_player_is_found_by_a_name_typed_in_another_form(game: Game) -> None:
    game.join(COMPOSED)
    game.submit(DECOMPOSED, "say", {"text": DECOMPOSED})
    assert game.world.get(COMPOSED, "said") == COMPOSED


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ann", "ann"), ("Ann Lee", "AnnLee"), ("Stra\u00dfe", "STRASSE"), ("Bob", "\uff22ob")],
)
def test_two_players_cannot_have_names_that_look_alike(game: Game, first: str, second: str) -> None:
    assert look(first) == look(second)
    game.join(first)
    with pytest.raises(UsageError, match="looks like"):
        game.join(second)
    assert second not in game.world.kinds["player"]


@pytest.mark.parametrize("name", ["bank", "BANK", "Bank "])
def test_a_player_cannot_have_the_name_of_an_account(game: Game, name: str) -> None:
    with pytest.raises(UsageError, match="looks like 'bank'"):
        game.join(name)
