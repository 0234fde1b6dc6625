"""What is open agrees with the state of the proposals, and rules say what their text was for."""

import pytest

from cli.commands import NOON, data, ok, wrong


def accepted(game: str) -> int:
    """Propose and accept an amendment; return the number of the verdict."""
    ok("propose", game, "Ann", "Dear", "--amend", "V.1.dollars_per_number=20", "--at", NOON)
    ok("judge", game, "1", "accepted", "--at", NOON)
    ok("roll", game, "3", "4", "--at", NOON)
    lines = data("log", game, "--admin")["events"]
    number: int = next(x["number"] for x in lines if x["told"] == "proposal 1 is accepted")
    return number


def undecided(game: str) -> list[int]:
    return [each["number"] for each in data("status", game)["proposals"]]


def state(game: str) -> str:
    found: str = data("state", game, "--admin")["things"]["proposal"][0]["state"]
    return found


@pytest.mark.slow
def test_a_rejected_verdict_leaves_the_proposal_open_in_status_too(game: str) -> None:
    verdict = accepted(game)
    assert (state(game), undecided(game)) == ("accepted", [])
    reject = ("ruling", game, "No verdict", "--reject", f"#{verdict}", "--settle", "all", "--yes")
    ok(*reject, "--questions", "skip", "--at", NOON)
    assert (state(game), undecided(game)) == ("undecided", [1])
    ok("ruling", game, "It counts", "--overrule", "1", "--settle", "all", "--yes", "--at", NOON)
    assert (state(game), undecided(game)) == ("accepted", [])


@pytest.mark.slow
def test_rules_say_which_value_their_text_was_written_for(game: str) -> None:
    accepted(game)
    said = "dollars_per_number is now 20: the text above was written when it was 10"
    assert said in ok("rules", game)
    rule = next(x for x in data("rules", game)["rules"] if x["number"] == "V.1")
    assert (rule["written_for"], rule["parameters"]["dollars_per_number"]) == (
        {"dollars_per_number": 10}, 20,
    )  # fmt: skip
    with open("prose.yaml", "w") as file:
        file.write("{amend: V.1, prose: It is 20 dollars times its number.}")
    ok("ruling", game, "So be it", "--changes", "prose.yaml", "--at", NOON)
    assert said not in ok("rules", game)


def test_the_vocabulary_of_a_ledger_is_that_of_its_rules_in_force(game: str) -> None:
    with open("more.yaml", "w") as file:
        file.write(
            "enact: {number: X.1, title: Hats, prose: Hats., declares: {player: {hat: Text}},"
            " code: 'def action_hat(player: Player): pass'}"
        )
    ok("ruling", game, "Hats", "--changes", "more.yaml", "--at", NOON)
    words = ok("rules", "vocabulary", game)
    assert "  hat()  [X.1]" in words
    assert "hat()" not in ok("rules", "vocabulary", "mail-opening")
    assert "no rules in it" in wrong("rules", "vocabulary", "more.yaml")
