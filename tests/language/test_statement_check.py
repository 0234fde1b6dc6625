"""A statement that somebody enters has to mean something, word for word."""

import pytest

from nomoledger import events as e
from nomoledger.engine.request_checks import check_order
from nomoledger.errors import UsageError

from .inline import Play

RULES = {
    "1": """
def on_enact():
    for n in range(3):
        create("square", {"number": n + 1, "color": "red"})
    create("house", {"name": "Old Mill"}, "mill")

def action_buy(player: Player, square: Square): set(square, "owner", player)
def value_worth(square: Square) -> Number: return 7
def value_sum_of(squares: Square = [], most: Number = 10, why: Text = "") -> Number: return 7
def value_free(square: Square) -> Flag: return True
def value_guess(): return "seven"
def action_end(player: Player): end_game("enough")
"""
}
DATA = {
    "1": "declares: {square: {number: Number key, owner: Player, color: Text, sold: Flag},"
    " house: {name: Text key, beside: Square, tags: List}}\naccounts: [bank]"
}


@pytest.fixture(scope="module")
def play() -> Play:
    return Play(RULES, DATA)


def enter(play: Play, text: str) -> None:
    check_order(play.world, "Ann", (text,), (e.Act("buy", {"square": 1}),))


@pytest.mark.parametrize("text", [
    "money(Ann) > 3", "money('Ann') == money(Bob)", "money(bank) >= -5", "money(mint) < 0",
    "owner(2) == Ann", "owner(2) != none", "not owner(2) == 'Bob'", "owner(2) in [Ann, Bob]",
    "color(2) == red", "color(2) == 'any text'", "sold(2)", "not sold(2)", "sold(2) == yes",
    "worth(3) == 21", "worth(3) in [7, 21]", "0 < worth(1) < worth(2)", "free(1)", "free(1) == no",
    "sum_of([1, 2], 5, 'fun') > 0", "sum_of(1) > 0", "sum_of() > 0",
    "worth(beside('Old Mill')) > 3",
    "number(2) in [2, 3]", "beside('Old Mill') == 2", "beside(mill) < 3", "guess() == seven",
    "3 == period()", "closing()", "yes", "1 <= period() < 2", "ended()",
    "ended() == enough", "asked(Ann)", "asked(Ann) == 'Well?'", "2 in tags(mill)", "1 == 1",
    "money(owner(2)) > 5", "-money(Ann) < 0", "worth(2) != none", "money(Ann) > 3 and free(1)",
])  # fmt: skip
def test_a_statement_that_means_something_is_accepted(play: Play, text: str) -> None:
    enter(play, text)


@pytest.mark.parametrize(("text", "said"), [
    ("zzz", "'zzz' is an unknown word"),
    ("money", "'money' needs brackets: write money(…)"),
    ("wort", "'wort' is an unknown word; did you mean 'worth'?"),
    ("period > 1", "'period' needs brackets: write period()"),
    ("Ann", "'Ann' alone is a name"),
    ("Ann == Bob", "'Ann' alone is a name"),
    ("3", "3 is not true or false"),
    ("none", "none is not true or false"),
    ("[1]", "[1] is not true or false"),
    ("money(Ann)", "money(Ann) is a number, not true or false: compare it"),
    ("owner(2)", "owner(2) is a player, not true or false"),
    ("color(2)", "color(2) is a text, not true or false"),
    ("closing() and zzz", "'zzz' is an unknown word"),
    ("not zzz", "'zzz' is an unknown word"),
    ("wealth(Ann) > 1", "nothing in the game is called 'wealth'"),
    ("wort(1) > 1", "nothing in the game is called 'wort'; did you mean 'worth'?"),
    ("money(Annn) > 3", "there is no player or account 'Annn'; did you mean 'Ann'?"),
    ("money(bnak) > 3", "there is no player or account 'bnak'; did you mean 'bank'?"),
    ("money() > 3", "money takes one name, as in money(…), not nothing"),
    ("money(Ann, Bob) > 3", "money takes one name, as in money(…), not 2 names"),
    ("money(3) > 3", "money is asked of a player or an account"),
    ("owner(4) == Ann", "there is no square 4"),
    ("owner('2') == Ann", "there is no square '2'"),
    ("owner(Ann) == Ann", "owner is asked of a square, and 'Ann' is a player"),
    ("owner(none) == Ann", "owner is asked of a square: name one"),
    ("owner(2) == Annn", "there is no player 'Annn'; did you mean 'Ann'?"),
    ("owner(2) == 'no one'", "there is no player 'no one'"),
    ("owner(2) in [Ann, Bobb]", "there is no player 'Bobb'; did you mean 'Bob'?"),
    ("Annn == owner(2)", "there is no player 'Annn'"),
    ("beside(mill) == 12", "there is no square 12"),
    ("color(2) == redd", "'redd' is an unknown word; did you mean 'red'?"),
    ("color(2) == mauve", "'mauve' is an unknown word; write it in quotes if color(2) can be that"),
    ("color(2) == 3", "color(2) is a text, and 3 is not"),
    ("sold(2) == 3", "sold(2) is yes or no, and 3 is not"),
    ("money(Ann) == yes", "money(Ann) is a number, and yes is not"),
    ("money(Ann) > lots", "money(Ann) is a number, and 'lots' is not"),
    ("money(Ann) > '3'", "money(Ann) is a number, and '3' is not"),
    ("money(Ann) < none", "none is neither less nor more than something"),
    ("money(Ann) == color(2)", "money(Ann) is a number, and color(2) is a text"),
    ("owner(2) == number(2)", "owner(2) is a player, and number(2) is a number"),
    ("money(Ann) == [1]", "money(Ann) is a number, not a list: use in"),
    ("money(Ann) in 5", "5 is no list: write it like [2, 3]"),
    ("worth() > 3", "worth takes (square), not nothing"),
    ("worth(1, 2) > 3", "worth takes (square), not 2 names"),
    ("worth(9) > 3", "there is no square 9"),
    ("worth(Ann) > 3", "there is no square 'Ann'"),
    ("worth(owner(2)) > 3", "square of worth is a square; owner(2) is a player"),
    ("sum_of([1, 9]) > 3", "there is no square 9"),
    ("sum_of(1, many) > 3", "most of sum_of is a number, and 'many' is not"),
    ("guess() == 3", "guess() is a text, and 3 is not"),
    ("guess() == sevn", "'sevn' is an unknown word; did you mean 'seven'?"),
    ("period(1) > 1", "period takes nothing, not one name"),
    ("asked(Annn) == 'Well?'", "there is no player 'Annn'"),
    ("asked() == 'Well?'", "asked takes one name, not nothing"),
    ("-color(2) == 1", "only a number can have a minus"),
    ("-zzz == period()", "only a number can have a minus"),
])  # fmt: skip
def test_a_word_that_means_nothing_is_an_error_that_names_it(
    play: Play, text: str, said: str
) -> None:
    with pytest.raises(UsageError) as raised:
        enter(play, text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_error_does_not_suggest_texts_that_may_be_secret(play: Play) -> None:
    square = play.world.find("square", 1)
    assert square is not None
    with_secret = Play(RULES, DATA)
    with_secret.world.attributes[square]["color"] = "purple"
    enter(with_secret, "color(2) == purple")
    with pytest.raises(UsageError) as raised:
        enter(with_secret, "color(2) == purpel")
    assert "purple" not in str(raised.value)
