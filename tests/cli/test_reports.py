"""Commands that report on rules, history and standings."""

from pathlib import Path

import pytest

from cli.commands import NOON, data, ok


@pytest.mark.slow
def test_the_rules_and_their_history(landed: str) -> None:
    ok("propose", landed, "Ann", "Ten", "--amend", "VIII.3.days_open=10", "--at", NOON)
    ok("judge", landed, "2", "accepted", "--at", NOON)
    assert "VIII.3 Options to buy is amended by proposal 2 by Ann" in ok("rules", "log", landed)
    output = ok("rules", "diff", landed, "0", "1")
    assert "-days_open = 7\n+days_open = 10" in output
    assert "\x1b" not in output
    (found,) = data("rules", "diff", landed, "0", "1")["differences"]
    assert (found["number"], found["was"], found["now"]) == ("VIII.3", "VIII.3@1", "VIII.3@2")
    versions = data("rules", "blame", landed, "VIII.3")["versions"]
    assert [each["by"]["source"] for each in versions] == ["rulebook", "proposal 2"]
    assert versions[1]["by"]["verdict"] == "accepted"
    assert len(data("rules", "log", landed)["changes"]) == 28


def test_the_history_in_prose(landed: str) -> None:
    output = ok("history", landed)
    assert "Ann rolls 3 and 4, goes from 1 to 8 and may buy square 8" in output
    assert ok("history", landed, "--period", "1") == output
    assert data("history", landed)["chapters"][0]["period"] == 1


def test_the_cases_of_a_rulebook() -> None:
    assert ok("test", "origon-opening").endswith(" cases, 0 failed\n")


def test_tables_as_csv(landed: str) -> None:
    assert ok("standings", landed, "--csv").splitlines()[1] == "1,Ann,1000,0,"
    assert ok("standings", landed, "--all", "--csv").splitlines()[1] == "Ann,1,yes,no,no,1,1000,0"
    assert ok("balances", landed, "--csv").splitlines()[-1] == "admin,-2000"
    assert ok("standings", landed, "--all").split()[:3] == ["player", "1", "(open)"]


@pytest.mark.parametrize(("name", "begins"), [("c.svg", b"<?xml"), ("c.PNG", b"\x89PNG")])
def test_a_chart_does_not_change_the_printed_table(landed: str, name: str, begins: bytes) -> None:
    assert ok("standings", landed, "--chart", name) == ok("standings", landed)
    assert Path(name).read_bytes().startswith(begins)
