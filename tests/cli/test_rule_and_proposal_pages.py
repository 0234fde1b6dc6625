"""proposals, proposal show and rules show: a proposal before the vote, a rule with its history."""

import shutil
from pathlib import Path

import pytest

from cli.commands import NOON, data, ok, wrong


@pytest.fixture(scope="module")
def amended_file(landed_file: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Proposal 2 of Ann is accepted and amends VIII.3; 3 of Bob is undecided; copy the file."""
    file = str(shutil.copy(landed_file, tmp_path_factory.mktemp("amended") / "g.db"))
    ok("propose", file, "Ann", "Ten days", "--amend", "VIII.3.days_open=10", "--at", NOON)
    ok("judge", file, "2", "accepted", "--at", NOON)
    ok("roll", file, "1", "2", "--at", NOON)
    ok("propose", file, "Bob", "Five", "--amend", "VIII.3.days_open=5", "--at", NOON)
    ok("ruling", file, "A day is 24 hours", "--cite", "VIII.3", "--at", NOON)
    return file


@pytest.fixture
def amended(amended_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same game, as g.db in the current folder."""
    monkeypatch.chdir(tmp_path)
    return shutil.copy(amended_file, "g.db")


def test_the_list_of_proposals(amended: str) -> None:
    assert [line.split() for line in ok("proposals", amended).splitlines()] == [
        ["proposal", "by", "state", "votes", "until", "text"],
        ["1", "Ann", "rejected", "Nothing"],
        ["2", "Ann", "accepted", "Ten", "days"],
        ["3", "Bob", "undecided", "Five"],
    ]


def test_a_proposal_that_waits_for_dice_is_no_undecided_one(game: str) -> None:
    ok("propose", game, "Ann", "Nothing", "--at", NOON)
    ok("judge", game, "1", "rejected", "--at", NOON)
    ok("propose", game, "Bob", "Later", "--at", NOON)
    states = [row["state"] for row in data("proposals", game)["proposals"]]
    assert states == ["rejected", "waiting"]
    ok("undo", game, "--at", NOON)
    states = [row["state"] for row in data("proposals", game)["proposals"]]
    assert states == ["rejected", "taken back"]


@pytest.mark.slow
def test_a_proposal_is_tried_before_it_is_judged(amended: str) -> None:
    before = data("verify", amended)
    told = ok("proposal", "show", amended, "3")
    assert "days_open: 10 → 5" in told
    assert "if it were accepted now:\n" in told
    assert "note" not in told.partition("if it were")[2]
    assert data("proposal", "show", amended, "3")["check"]["errors"] == []
    assert data("verify", amended) == before
    decided = data("proposal", "show", amended, "2")
    assert (decided["check"], decided["is_open"]) == (None, False)
    assert "if it were accepted" not in ok("proposal", "show", amended, "2")


def test_what_would_be_wrong_shows_before_the_vote(amended: str) -> None:
    """The proposal fitted when it was made; since then its rule has been repealed."""
    ok("ruling", amended, "VIII.3 goes", "--repeal", "VIII.3", "--at", NOON)
    told = ok("proposal", "show", amended, "3", "--cases", "0")
    assert "error: " in told.partition("if it were accepted now:")[2]


def test_a_rule_with_its_history_and_the_rulings_under_it(amended: str) -> None:
    told = ok("rules", "show", amended, "VIII.3")
    assert "### VIII.3 Options to buy (version 2)" in told
    assert "parameters: days_open = 10" in told
    assert "    def after_land(player, square):" in told
    assert "VIII.3@1 is enacted by rulebook" in told
    assert "VIII.3@2 is amended by proposal 2 by Ann (accepted): Ten days" in told
    assert "ruling 1" in told
    assert "A day is 24 hours" in told
    page = data("rules", "show", amended, "VIII.3")
    assert (page["version"], page["in_force"], len(page["versions"])) == (2, True, 2)
    assert "nothing has been ruled" in ok("rules", "show", amended, "VIII.1")


def test_a_rule_as_of_an_earlier_period(amended: str) -> None:
    ok("close", amended, "--at", NOON)
    ok("judge", amended, "3", "accepted", "--at", NOON)
    assert "days_open = 5" in ok("rules", "show", amended, "VIII.3")
    assert "days_open = 10" in ok("rules", "show", amended, "VIII.3", "--period", "1")


def test_a_ledger_of_the_environment(amended: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = ok("rules", "show", amended, "VIII.3")
    monkeypatch.setenv("NOMOLEDGER_LEDGER", amended)
    assert ok("rules", "show", "VIII.3") == shown
    assert "### VIII.3" in ok("rules", "show", "mail-opening", "VIII.3")


def test_wrong_numbers_are_clear(amended: str) -> None:
    assert "there has been no rule 'XX.9'" in wrong("rules", "show", amended, "XX.9")
    assert "give its number" in wrong("rules", "show", amended)
