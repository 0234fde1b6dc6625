"""`what-if` with rulings that nobody made: `--ruling`, `--after` and `--instead`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from nomoledger import Ledger
from nomoledger.cli import program

ON_16 = "- {set: {player: The Founder, square: 16}}\n"
SOLD = "- {set: {square: 4, owner: Bob}}\n- {post: {Bob: -40, admin: 40}}\n"
#: Of the season: the event before the turn in which The Founder slipped, his roll, and the slip.
BEFORE_ROLL, ROLL, SLIP = 488, 489, 496

WhatIf = Callable[..., Any]


def run(*words: object) -> Result:
    return CliRunner().invoke(program, [*map(str, words)])


def ok(*words: object) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def what_if(season_file: Path, tmp_path: Path) -> WhatIf:
    """Returns the result of a what-if of the season, with a file of *changes*."""

    def ask(changes: str, *words: object) -> Any:
        (tmp_path / "changes.yaml").write_text(changes)
        named = [str(word).replace("FILE", str(tmp_path / "changes.yaml")) for word in words]
        with Ledger.open(season_file) as ledger:
            before = ledger.head("weekly-vote-season")
        result = json.loads(ok("what-if", season_file, *named, "--json"))
        with Ledger.open(season_file) as ledger:
            assert ledger.head("weekly-vote-season") == before
        return result

    return ask


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game in which Ann rolled 3 and 4 and bought square 8, and a copy with ruling 1 on that."""
    folder = tmp_path_factory.mktemp("games")
    bought, ruled = folder / "bought.db", folder / "ruled.db"
    rules = ("--rulebook", "mail-opening", "--set", "squares=9", "--dice", "entered")
    ok("init", bought, *rules, "--at", "2026-01-05")
    for name in ("Ann", "Bob"):
        ok("join", bought, name, f"email={name.lower()}@example.org", "--at", "2026-01-05")
    ok("propose", bought, "Ann", "Nothing", "--at", "2026-01-05")
    ok("judge", bought, 1, "rejected", "--at", "2026-01-05")
    ok("roll", bought, 3, 4, "--at", "2026-01-05")
    ok("submit", bought, "Ann", "buy", "square=8", "--at", "2026-01-05")
    (roll,) = (x.split()[0] for x in ok("log", bought).splitlines() if "rolled by hand" in x)
    ok("close", bought, "--at", "2026-01-12")
    ok("copy", bought, ruled)
    words = ("--replace", f"{roll.removeprefix('#')}=2,4", "--settle", "all", "--yes")
    ok("ruling", ruled, "It was a 2", *words, "--cite", "VII.1", "--at", "2026-01-12")
    return folder


@pytest.fixture
def bought(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The game in which Ann bought square 8."""
    monkeypatch.chdir(tmp_path)
    Path("sold.yaml").write_text(SOLD)
    ok("copy", games / "bought.db", "bought.db")
    return "bought.db"


@pytest.fixture
def game(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The game in which ruling 1 took square 8 from Ann."""
    monkeypatch.chdir(tmp_path)
    Path("sold.yaml").write_text(SOLD)
    ok("copy", games / "ruled.db", "g.db")
    return "g.db"


def money(result: Any, player: str) -> tuple[int, int]:
    (row,) = [place for place in result["places"] if place["player"] == player]
    return row["money"], row["rerun_money"]


def differences(result: Any) -> set[tuple[str, str, Any]]:
    return {(row["subject"], row["what"], row["rerun"]) for row in result["otherwise"]}


# --- a hand-kept record


def test_a_hypothesis_explains_a_fact_of_a_record(what_if: WhatIf) -> None:
    result = what_if(ON_16, "--ruling", "FILE", "--after", BEFORE_ROLL, "--to", 3)
    (fact,) = result["explained"]
    assert (fact["event"], fact["by_rules"]) == (SLIP, 20)
    assert (result["orphans"], result["collisions"], result["otherwise"]) == ([], [], [])


def test_another_hypothesis_does_not(what_if: WhatIf) -> None:
    changes = ON_16.replace("16", "14")
    result = what_if(changes, "--ruling", "FILE", "--after", BEFORE_ROLL, "--to", 3)
    assert result["explained"] == []
    assert result["orphans"][0]["event"] == SLIP
    assert "would be 19" in result["orphans"][0]["why"]


def test_facts_after_a_hypothesis_are_compared_with_the_rules(what_if: WhatIf) -> None:
    owned = "- {set: {square: 18, owner: Jamie}}\n"
    result = what_if(owned, "--ruling", "FILE", "--from", 4, "--to", 4)
    assert ("square 18", "owner", "Jamie") in differences(result)
    assert all("rent" in orphan["what"] and "18" in orphan["what"] for orphan in result["orphans"])
    assert len(result["orphans"]) == 3
    assert money(result, "Jamie")[0] < money(result, "Jamie")[1]


def test_the_start_of_a_period_comes_before_its_first_line(what_if: WhatIf) -> None:
    """Ruling 4 is that line, and makes the rules of week 4."""
    result = what_if("- {set: {square: 18, owner: Jamie}}\n", "--ruling", "FILE", "--from", 4)
    assert result["difference"]["event"] > result["first"]


def test_a_ruling_makes_its_rules_where_it_is_placed(what_if: WhatIf) -> None:
    """Rents of week 4 are as recorded up to the ruling, and gone after it."""
    rents = (754, 830)
    placed = ("--ruling", "FILE", "--after", rents[0] + 7, "--to", 4)
    later = what_if("- {repeal: X.3}\n", *placed)
    whole = what_if("- {repeal: X.3}\n", "--ruling", "FILE", "--from", 4, "--to", 4)
    first, second = (min(x["event"] for x in each["orphans"]) for each in (whole, later))
    assert first < rents[0] < second
    assert all("no rule in force speaks of 'rent'" in x["why"] for x in later["orphans"])


def test_a_list_can_replace_a_field(what_if: WhatIf) -> None:
    result = what_if("", "--replace", f"{ROLL}=dice:[2,4]", "--to", 3)
    assert [fact["event"] for fact in result["explained"]] == [SLIP]


def test_a_ruling_of_the_record_can_be_otherwise(what_if: WhatIf) -> None:
    """Ruling 4 brought the rents of week 4."""
    result = what_if("- {set: {square: 18, owner: Jamie}}\n", "--instead", "4=FILE", "--to", 4)
    assert ("square 18", "owner", "Jamie") in differences(result)
    assert any("rent" in orphan["what"] for orphan in result["orphans"])


# --- a game under way


def test_set_and_post_are_done_once(game: str) -> None:
    result = json.loads(ok("what-if", game, "--ruling", "sold.yaml", "--from", 2, "--json"))
    assert money(result, "Bob") == (1000, 960)
    assert ("square 4", "owner", "Bob") in differences(result)
    assert result["stopped"] is None


def test_an_operation_of_the_rules_can_be_done(game: str) -> None:
    Path("fine.yaml").write_text("- {do: fine, with: {player: Bob, amount: 50}}\n")
    result = json.loads(ok("what-if", game, "--ruling", "fine.yaml", "--from", 2, "--json"))
    assert money(result, "Bob") == (1000, 950)


def test_an_operation_can_follow_the_rule_that_defines_it(game: str) -> None:
    """Rule changes hold from the start of the replay."""
    code = "def define_gift(player: Player):\\n    pay('admin', player, 7, 'gift')"
    rule = f'{{number: Z.1, title: Gift, prose: A gift of 7., code: "{code}"}}'
    changes = f"- {{do: gift, with: {{player: Bob}}}}\n- {{enact: {rule}}}\n"
    Path("gift.yaml").write_text(changes)
    result = json.loads(ok("what-if", game, "--ruling", "gift.yaml", "--from", 2, "--json"))
    assert money(result, "Bob") == (1000, 1007)


def test_other_changes_take_the_place_of_the_edits_of_a_ruling(game: str) -> None:
    """Without the edit of ruling 1, Ann keeps what she bought."""
    result = json.loads(ok("what-if", game, "--instead", "1=sold.yaml", "--json"))
    assert money(result, "Ann") == (1000, 920)
    assert money(result, "Bob") == (1000, 960)
    assert {("square 8", "owner", "Ann"), ("square 4", "owner", "Bob")} <= differences(result)


def test_other_changes_take_the_place_of_those_of_a_ruling(game: str) -> None:
    Path("fine.yaml").write_text("- {do: fine, with: {player: Bob, amount: 50}}\n")
    ok("ruling", game, "A fine", "--changes", "fine.yaml", "--cite", "IV.4", "--at", "2026-01-13")
    Path("less.yaml").write_text("- {do: fine, with: {player: Bob, amount: 20}}\n")
    result = json.loads(ok("what-if", game, "--instead", "2=less.yaml", "--json"))
    assert money(result, "Bob") == (950, 980)


def test_a_ruling_that_is_left_out_makes_none_of_its_changes(bought: str) -> None:
    Path("dear.yaml").write_text(
        "- {post: {Bob: -40, admin: 40}}\n- {amend: V.1, parameters: {dollars_per_number: 20}}\n"
    )
    ok("ruling", bought, "Dearer", "--changes", "dear.yaml", "--cite", "V.1", "--at", "2026-01-13")
    ok("propose", bought, "Ann", "Nothing", "--at", "2026-01-13")
    ok("judge", bought, 2, "rejected", "--at", "2026-01-13")
    ok("roll", bought, 1, 1, "--at", "2026-01-13")
    ok("roll", bought, 1, 2, "--at", "2026-01-13")
    ok("submit", bought, "Ann", "buy", "square=4", "--at", "2026-01-13")
    result = json.loads(ok("what-if", bought, "--overrule", 1, "--json"))
    assert money(result, "Bob") == (960, 1000)
    assert money(result, "Ann") == (840, 880)
    assert (result["stopped"], result["orphans"], result["collisions"]) == (None, [], [])


def test_a_ruling_that_answered_a_question_cannot_be_left_out(bought: str) -> None:
    Path("fine.yaml").write_text("- {do: fine, with: {player: Bob, amount: 5000}}\n")
    ok("ruling", bought, "A fine", "--changes", "fine.yaml", "--at", "2026-01-13")
    ok("ruling", bought, "It is too much", "--value", "nothing moves", "--at", "2026-01-13")
    result = run("what-if", bought, "--overrule", 2)
    assert result.exit_code == 2
    assert "ruling 2 answered a question: --replace" in result.output


def test_a_ruling_on_the_past_is_left_out_with_its_edits(game: str) -> None:
    result = json.loads(ok("what-if", game, "--overrule", 1, "--json"))
    assert money(result, "Ann") == (1000, 920)
    assert ("square 8", "owner", "Ann") in differences(result)


def test_a_ruling_that_waits_for_an_answer_stops_the_replay(game: str) -> None:
    ok("propose", game, "Bob", "Nothing", "--at", "2026-01-13")
    ok("judge", game, 2, "rejected", "--at", "2026-01-13")
    log = ok("log", game).splitlines()
    (last,) = (x.split()[0] for x in log[-1:])
    done = run("what-if", game, "--ruling", "sold.yaml", "--after", last)
    assert done.exit_code == 1
    assert "the ruling at the end waits for what comes before it" in done.output


def test_a_dispute_takes_such_a_what_if_as_evidence(bought: str) -> None:
    ok("dispute", "open", bought, "Bob", "Square 4 was mine", "--period", 1, "--at", "2026-01-13")
    ok("what-if", bought, "--ruling", "sold.yaml", "--from", 2, "--save", "saved.json")
    words = ("See", "--what-if", "saved.json", "--at", "2026-01-13")
    ok("dispute", "argue", bought, 1, "Bob", *words)
    assert "$ of Bob: 1000 would be 960" in ok("dispute", "show", bought, 1)


def test_a_dispute_takes_a_what_if_after_a_settled_ruling(game: str) -> None:
    """Play cannot come out as recorded when it is played again: the ruling has changed the past."""
    ok("dispute", "open", game, "Bob", "Square 4 was mine", "--period", 1, "--at", "2026-01-13")
    ok("what-if", game, "--ruling", "sold.yaml", "--from", 2, "--save", "saved.json")
    words = ("See", "--what-if", "saved.json", "--at", "2026-01-13")
    ok("dispute", "argue", game, 1, "Bob", *words)
    assert "$ of Bob: 1000 would be 960" in ok("dispute", "show", game, 1)


def test_a_dispute_takes_a_what_if_after_a_ruling_that_settled_money_alone(bought: str) -> None:
    (roll,) = (x.split()[0] for x in ok("log", bought).splitlines() if "rolled by hand" in x)
    words = ("--replace", f"{roll.removeprefix('#')}=2,4", "--settle", "money", "--yes")
    ok("ruling", bought, "It was a 2", *words, "--cite", "VII.1", "--at", "2026-01-12")
    ok("dispute", "open", bought, "Bob", "Square 4 was mine", "--period", 1, "--at", "2026-01-13")
    ok("what-if", bought, "--overrule", 1, "--save", "saved.json")
    words = ("See", "--what-if", "saved.json", "--at", "2026-01-13")
    ok("dispute", "argue", bought, 1, "Bob", *words)
    assert "$ of Ann: 1000 would be 920" in ok("dispute", "show", bought, 1)


@pytest.mark.parametrize(
    ("changes", "words", "message"),
    [
        ("{set: {square: 77, owner: Bob}}", "--ruling FILE --from 2", "there is no square 77"),
        ("{set: {square: 7, owned: Bob}}", "--ruling FILE --from 2", "a square has no 'owned'"),
        ("{set: {square: 7, owner: Eve}}", "--ruling FILE --from 2", "'Eve'"),
        ("{do: fly}", "--ruling FILE --from 2", "no rule in force says how to 'fly'"),
        ("{do: fly}", "--instead 1=FILE", "ruling 1 does not fit: no rule in force says"),
        (SOLD, "--ruling FILE --after 9999", "there is no event #9999"),
        (SOLD, "--instead 9=FILE", "there is no ruling 9 in force"),
        (SOLD, "--instead 1=FILE --instead 1=FILE", "can be changed once, not twice"),
        (SOLD, "--instead one=FILE", "is not N=FILE"),
        (SOLD, "--instead 1=nowhere.yaml", "nowhere.yaml cannot be read"),
        (SOLD, "--after 57", "give both"),
        ("{post: {Bob: 5, Ann: -4}}", "--ruling FILE --from 2", "break the sum"),
    ],
)
def test_what_does_not_fit_is_one_line_of_error(
    game: str, changes: str, words: str, message: str
) -> None:
    Path("changes.yaml").write_text(changes)
    result = run("what-if", game, *words.replace("FILE", "changes.yaml").split())
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1
