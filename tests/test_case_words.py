"""What cases can state and expect: clocks, timers, moves, parts of lists, and who is refused."""

import json
from pathlib import Path

import pytest
from cli.commands import run

from nomoledger.errors import RulebookError
from nomoledger.rulebook.cases import run_case
from nomoledger.rulebook.cases.format import parse_cases

HEAD = "case: it\nrulebook: mail-opening\n"


def difference(text: str, head: str = HEAD) -> str | None:
    (case,) = parse_cases({"it.yaml": head + text})
    return run_case(case).difference


GIVEN = """
given:
  board: 16
  players: {Ann: {square: 14}, Bob: {}}
  proposals: [{by: Ann, text: Nothing.}]
steps:
- {do: reject, dice: [4, 2]}
- {at: +1d, by: Ann, do: buy, with: {square: 4}}
"""
THEN = "  players: {Ann: {square: 4, money: 960}}\n  squares: {4: {owner: Ann}}\n"


@pytest.mark.parametrize(("then", "said"), [
    ("moves: [{piece: Ann, left: 14, passed: [15, 16, 1, 2, 3], to: 4}]", None),
    ("moves: {includes: [{to: 4}]}", None),
    ("moves: [{passed: {includes: [1, 16]}}]", None),
    ("moves: [{passed: [15, 16]}]", "move 1 is piece Ann, left 14, to 4, passed [15, 16, 1, 2, 3]"),
    ("moves: [{passed: {includes: [7]}}]", "expected passed among others [7]"),
    ("moves: []", "there is a move that the case does not name"),
    ("moves: [{to: 4}, {to: 5}]", "there are 1 moves, expected move 2: to 5"),
    ("moves: {includes: [{to: 5}]}", "there is no such move, in this order: to 5"),
    ("moves: [{via: 3}]", "a move has no 'via'"),
    ("payments: {includes: [{from: Ann, amount: 40}]}", None),
    ("payments: {includes: []}", None),
    ("payments: []", "there is a payment that the case does not name"),
    ("payments: {includes: [{amount: 41}]}", "there is no such payment, in this order"),
    ("proposals: [{number: 1}]", None),
    ("proposals: {includes: []}", None),
    ("proposals: []", "there is a proposal that the case does not name"),
    ("proposals: {includes: [{number: 2}]}", "there is no proposal with number 2"),
    ("accounts: {admin: 40}\n  proposals: [{state: rejected}]\n  whole: yes", None),
    ("accounts: {admin: 40}\n  whole: yes", "every proposal is"),
    ("proposals: [{}]\n  whole: yes", "account admin is $ 40, expected nothing as before"),
])  # fmt: skip
def test_a_list_is_whole_or_says_that_it_is_a_part(then: str, said: str | None) -> None:
    text = f"{GIVEN}then:\n{THEN}  {then}\n"
    try:
        found = difference(text)
    except RulebookError as error:
        found = str(error)
    assert found == said or (said is not None and said in str(found))


RULES = """
### I.1 Players
Words.
```yaml
declares:
  player: {name: Text key}
  pot: {name: Text key, since: Time, rest: Duration, size: Number}
commodities: {gold: {places: 0}}
```
```python
def on_enact():
    create("pot", {"name": "Pot"}, "Pot")
def define_join(name: Text):
    create("player", {"name": name}, name)
def action_dig(player: Player):
    schedule("tire", player)
def action_stir(player: Player):
    schedule_after(hours(5), "tire", player)
def define_tire(player: Player):
    set("Pot", "size", 3)
def forbid_tire(player):
    return "nobody tires" if get("Pot", "size") == 1 else None
def forbid_dig(player):
    return "no spade" if player == "Bob" else None
```
"""


@pytest.fixture
def pots(tmp_path: Path) -> str:
    (tmp_path / "pots.md").write_text(RULES)
    return f"case: it\nrulebook: {tmp_path / 'pots.md'}\n"


@pytest.mark.parametrize(("given", "then"), [
    ("pots: [{name: Pot, size: 2}]", "pots: [{name: Pot, size: 2}]"),
    ("pots: [{size: 2}]", "pots: [{name: Pot, size: 2}]"),
    ("pot: {size: 2}", "pots: [{name: Pot, size: 2}]"),
    ("pots: [{name: Pan, size: 2}]", "pots: [{name: Pot}, {name: Pan, size: 2}]"),
    ("pots: [{since: -80h, rest: 3d}]", "pots: [{since: -80h, rest: 72h}]"),
    ("pots: [{since: 2002-02-26 04:00}]", "pots: [{since: -80h}]"),
])  # fmt: skip
def test_the_only_thing_of_its_kind_is_edited(pots: str, given: str, then: str) -> None:
    assert difference(f"given: {{{given}}}\nthen:\n  {then}\n", pots) is None


@pytest.mark.parametrize(("step", "said"), [
    ("{by: Ann, do: dig, refused: {tire: I.1}}", None),
    ("{by: Ann, do: dig, refused: {tire: yes}}", None),
    ("{by: Bob, do: dig, refused: I.1}", None),
    ("{by: Bob, do: dig, refused: {act: I.1}}", None),
    ("{by: Bob, do: dig, refused: {dig: I.1}}", None),
    ("{by: Ann, do: dig, refused: I.1}", None),
    ("{by: Ann, do: dig, refused: yes}", None),
    ("{by: Ann, do: dig, refused: I.7}", "refused, but not by I.7: tire, which follows: nobody"),
    ("{by: Ann, do: dig, refused: {act: I.1}}", "act is not refused, though it should be"),
    ("{by: Ann, do: dig}", "refused: tire, which follows: nobody tires"),
    ("{by: Ann, do: dig, refused: {tire: I.7}}", "tire is refused, but not by I.7"),
    ("{by: Bob, do: dig, refused: {dig: I.1, tire: I.1}}", "tire is not refused"),
])  # fmt: skip
def test_a_refusal_says_what_is_refused(pots: str, step: str, said: str | None) -> None:
    text = f"given: {{players: [Ann, Bob], pot: {{size: 1}}}}\nsteps: [{step}]\n"
    found = difference(text + "then: {pots: [{}]}\n", pots)
    assert found == said or (said is not None and said in str(found))


def test_timers_are_stated_and_moved(pots: str) -> None:
    timer = "given: {players: [Ann], timers: [{do: tire, with: {player: Ann}, at: +3h}]}\n"
    early = "steps: [{at: +2h, do: advance, then: {pots: [{size: null}], pending: {timers: 1}}}]\n"
    late = "steps: [{at: +4h, do: advance, then: {pots: [{size: 3}], pending: {timers: 0}}}]\n"
    assert difference(timer + early, pots) is None
    assert difference(timer + late, pots) is None
    for wrong, said in (("at: -3h", "-3h is past"), ("do: tyre", "no rule says how to 'tyre'")):
        key = wrong.partition(":")[0]
        given = timer.replace("at: +3h" if key == "at" else "do: tire", wrong)
        with pytest.raises(RulebookError, match=said):
            difference(given + early, pots)


CLOCKS = "case: it\nrulebook: nomopoly-iii\n"
PLAYERS = "players: {Ann: {last: {turn: -80h}}, Bob: {}}"


@pytest.mark.parametrize(("given", "who", "is_"), [
    (PLAYERS, "Ann", 288_000),
    (PLAYERS, "Bob", "null"),
    ("last: {turn: {Bob: -80h 30m}}, players: {Ann: {}, Bob: {}}", "Bob", 289_800),
])  # fmt: skip
def test_clocks_are_stated(given: str, who: str, is_: object) -> None:
    asked = f"{{value: time_since, with: {{event: turn, subject: {who}}}, is: {is_}}}"
    assert difference(f"given: {{{given}}}\nsteps: [{asked}]\n", CLOCKS) is None


def test_a_clock_that_cannot_be_stated_is_an_error() -> None:
    with pytest.raises(RulebookError, match="is still to come"):
        difference("given: {last: {turn: {Ann: +80h}}, players: [Ann]}\n", CLOCKS)
    with pytest.raises(RulebookError, match="these rules keep no clocks"):
        difference("given: {last: {turn: {Ann: -80h}}, players: [Ann]}\n")


LISTED = """rulebook: mail-opening
cases:
- case: good
  given: {board: 9, players: [Ann]}
- case: a wrong word
  givn: {board: 9}
- case: an unknown act
  given: {board: 9, players: [Ann]}
  steps: [{do: fly}]
%s- case: a failing one
  given: {board: 9, players: [Ann]}
  then: {players: {Ann: {money: 3}}}
"""
BROKEN = "- case: no YAML\n  given: {board: 9, players: [Ann}\n"


@pytest.mark.parametrize(("more", "count"), [("", 2), (BROKEN, 3)])
def test_a_malformed_case_hides_no_other(tmp_path: Path, more: str, count: int) -> None:
    file = tmp_path / "cases.yaml"
    file.write_text(LISTED % more)
    done = run("test", str(file))
    assert done.exit_code == 2
    lines = done.stdout.splitlines()
    assert lines[0] == f"{file}: line 5: a wrong word: unknown field 'givn'"
    assert "line 7: an unknown act: step 1: nobody can 'fly'" in lines[1]
    assert (count == 2) == ("no YAML" not in done.stdout)
    assert "a failing one, in the end: Ann's money is 1000, expected 3" in lines[-2]
    cases = 4 + bool(more)
    assert lines[-1] == f"{cases} cases, {count + 1} failed, {count} of them could not be run"


def test_a_broken_document_hides_no_other(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    texts = [HEAD.replace("it", name) + then for name, then in (
        ("one", "then: {}\n"), ("two", "then: {players: [}\n"), ("three", "then: {board: 7}\n")
    )]  # fmt: skip
    file.write_text("---\n".join(texts))
    found = {each["name"]: each for each in _json(file)["results"]}
    assert [each["ok"] for each in found.values()] == [True, False, False]
    assert [each["run"] for each in found.values()] == [True, False, True]
    assert str(found["two"]["difference"]).startswith("line 7: two: not YAML")


def _json(file: Path) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(run("test", str(file), "--json").stdout)
    return found
