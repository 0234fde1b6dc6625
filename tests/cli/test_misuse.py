"""Usage errors: one line on standard error, and nothing changes."""

from pathlib import Path

import pytest
from tiers import sample_rows

from cli.commands import NOON, data, run, wrong

MISUSE = [
    ("bogus", "no such command 'bogus'"),
    ("standings", "missing argument 'LEDGER'"),
    ("standings g.db --loud", "no such option"),
    ("standings nope.db", "no ledger at nope.db"),
    ("standings junk.db", "is not a ledger"),
    ("standings g.db --game chess", "no game 'chess'"),
    ("standings g.db --period x", "'x' is not a valid integer"),
    ("standings g.db --period 0", "there is no period 0"),
    ("standings g.db --period -99999999999999999999", "there is no period"),
    ("join g.db Cyd email", "'email' is not of the form KEY=VALUE"),
    ("join g.db Cyd --at noon", "'noon' is not a time"),
    ("join g.db Cyd --at 0001-01-01T00:00:00+23:59", "is not a time"),
    ("submit g.db Zoe buy", "there is no player 'Zoe'; playing: Ann, Bob"),
    ("submit g.db Ann dance", "nobody can 'dance'; there is: buy, deal"),
    ("judge g.db 1 maybe", "'maybe' is not one of"),
    ("judge g.db 99999999999999999999999999 accepted", "proposal: a number is too large"),
    ("judge g.db one accepted", "'one' is not a valid integer"),
    ("vote g.db Ann 3 yes", "there is no proposal 3"),
    ("roll g.db 3 4", "no question is open"),
    ("answer g.db yes", "no question is open"),
    ("ruling g.db Text --value yes", "no question is open"),
    ("ruling g.db Text --value yes --changes junk.db", "give one"),
    ("advance g.db", "missing option '--to'"),
    ("advance g.db --to 2026-01-06 --at 2026-01-06", "from --to"),
    ("propose g.db Ann Text --changes nope.yaml", "nope.yaml cannot be read"),
    ("propose g.db Ann Text --changes bad.yaml", "bad.yaml:2: not YAML"),
    ("propose g.db Ann Text --changes odd.yaml", "odd.yaml: "),
    ("propose g.db Ann Text --amend days_open=10", "names no rule's parameter"),
    ("init g.db --rulebook mail-opening", "there is a game 'mail-opening' already"),
    ("init new.db --rulebook nope", "no rulebook 'nope'"),
    ("init new.db --rulebook junk.db", "no rules in it"),
    ("init new.db --rulebook mail-opening --set size=3", "no parameter 'size'"),
    ("init new.db --rulebook mail-opening --set squares=many", "squares is a whole number"),
    ("init new.db --rulebook mail-opening --set squares=99999999999999999999", "too large"),
    ("init new.db --rulebook mail-opening --set squares=0", "at least one square (VI.1"),
    ("init new.db --rulebook mail-opening --dice loaded", "'loaded' is not one of"),
    ("init no/where.db --rulebook mail-opening", "no/where.db"),
    ("import new.db nope.jsonl", "nope.jsonl: No such file"),
    ("import new.db junk.db", "junk.db:1: "),
    ("import new.db g.db", "g.db:1: "),
    ("export g.db no/where.jsonl", "no/where.jsonl: No such file"),
    ("export g.db .", "is a directory"),
    ("export g.db ./g.db", "is a ledger, or belongs to one"),
    ("init junk.db --rulebook mail-opening", "is not a ledger"),
    ("init . --rulebook mail-opening", "nomoledger: "),
    ("standings .", "nomoledger: "),
    ("import new.db .", "is a directory"),
    ("verify g.db --head 3:ab", "not a head: '3:ab'"),
    ("log g.db --as Zoe", "there is no player 'Zoe'"),
    ("rules nope.db", "no ledger at nope.db"),
    ("rules diff g.db 1", "missing argument 'B'"),
    ("rules diff g.db 0 7", "there is no period 7; the periods are 1 to 1, and 0 for the opening"),
    ("rules diff g.db one 2", "'one' is not a valid integer"),
    ("rules blame g.db XX.1", "there has been no rule 'XX.1'"),
    ("rules log g.db --period 9", "there is no period 9"),
    ("history g.db --period 9", "there is no period 9"),
    ("standings g.db --csv --json", "--json and --csv exclude each other"),
    ("standings g.db --chart standings.jpg", "something.svg or something.png"),
    ("standings g.db --chart .", "is a directory"),
    ("standings g.db --chart no/where.svg", "no/where.svg"),
    ("completion tcsh", "'tcsh' is not one of 'bash', 'zsh', 'fish'"),
    ("rules show mail-opening XX.1", "has no rule 'XX.1'"),
    ("rules mechanics clocks-9", "there is no mechanic 'clocks-9'"),
    ("replay g.db --period 9", "there is no period 9"),
    ("test nope.yaml", "nope.yaml"),
    ("test bad.yaml", "bad.yaml"),
    ("demo --ledger g.db", "g.db exists already"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), sample_rows(MISUSE, 7))
def test_misuse_is_one_line_and_changes_nothing(game: str, words: str, message: str) -> None:
    Path("junk.db").write_text("no ledger\n")
    Path("bad.yaml").write_text("- {do: [\n")
    Path("odd.yaml").write_text("- {frobnicate: 3}\n")
    before = {each.name for each in Path().iterdir()}, data("verify", game)
    assert message in wrong(*words.split()).replace(f"{Path.cwd()}/", "")
    assert ({each.name for each in Path().iterdir()}, data("verify", game)) == before


def test_an_argument_that_is_not_utf8(game: str) -> None:
    assert "is not UTF-8" in wrong("join", game, "\udce4")


def test_a_name_cannot_control_the_terminal(game: str) -> None:
    refused = wrong("join", game, "Eve\x1b[31m\nMallory", "email=e@x.org", "--at", NOON)
    assert "cannot hold the control character U+001B" in refused
    assert "\x1b" not in refused


def test_an_unexpected_error_is_one_line(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("a fault\nof ours")

    monkeypatch.setattr("nomoledger.game.read_models.projection", fail)
    result = run("standings", game)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("nomoledger: unexpected ZeroDivisionError: of ours; this is a")
    monkeypatch.setenv("NOMOLEDGER_DEBUG", "1")
    assert isinstance(run("standings", game).exception, ZeroDivisionError)
