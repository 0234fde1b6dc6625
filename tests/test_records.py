"""Hand-kept records: what an audit finds in them, and what is wrong with a record."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.errors import NomoledgerError, RecordError
from nomoledger.events import FactUnexplained, RulingMade
from nomoledger.game import recorded_games as replays
from nomoledger.game.game import Game
from nomoledger.game.records import import_record, is_record
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.ledger import Ledger

SEASON = "weekly-vote-season"

RULES = """
### R.1 Turns

Two dice; the squares landed on can be bought for ten times their number.

```yaml
declares:
  player: {offered: List}
  square: {owner: Player, name: Text}
facts:
  roll: {attempt: turn, given: [player], dice: dice}
  land: {subject: player, attribute: square, value: square}
  option: {asks: is_offered, given: [player, square], value: open, prevails: offer}
  buy: {attempt: buy, given: [player, square, name]}
  name: {subject: square, attribute: name, value: name}
```

```python
def define_turn(player: Player):
    thrown = roll(2, 6, "turn")
    for pip in range(thrown[0] + thrown[1]):
        move(player, successor(get(player, "square")), "step")
    if get(get(player, "square"), "owner") == None:
        offer(player, get(player, "square"), True)

def define_offer(player: Player, square: Square, open: Flag):
    offered = [other for other in get(player, "offered") or [] if other != square]
    set(player, "offered", offered + ([square] if open else []))

def value_is_offered(player: Player, square: Square):
    return square in (get(player, "offered") or [])

def action_buy(player: Player, square: Square, name: Text = None):
    pay(player, "admin", 10 * get(square, "number"), "square")
    set(square, "owner", player)
    set(square, "name", name)

def forbid_buy(player, square):
    if not is_offered(player, square):
        return "nobody offered it"
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as opened:
        yield opened


def record(folder: Path, *facts: dict[str, Any], **header: Any) -> Path:
    """A record of Ann's and Bob's play on twenty squares under RULES."""
    (folder / "rules.md").write_text(RULES)
    first: dict[str, Any] = {
        "rulebook": "weekly-vote-opening",
        "game": "g",
        "opening": {"players": {"Ann": {"square": 13}, "Bob": {}}},
    }
    lines = [first | header, {"week": 1, "rules": "rules.md", "basis": "inferred"}, *facts]
    path = folder / "record.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def audit(ledger: Ledger, path: Path) -> Report:
    return replay(ledger, import_record(ledger, path).name, 1)


def found(report: Report) -> list[tuple[str, str, Any, Any]]:
    return [(d.subject, d.what, d.recorded, d.by_rules) for d in report.divergences]


# --- the real week ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_real_week_has_one_mistake(ledger: Ledger) -> None:
    report = audit(ledger, replays.find(SEASON))
    assert (report.mode, report.exact, report.compared) == ("audit", False, 11)
    assert found(report) == [("Jamie", "square", 3, 1)]
    assert report.divergences[0].rule == "VI.1@1"
    assert report.unexplained == ()


@pytest.mark.slow
def test_play_goes_on_from_the_record(ledger: Ledger) -> None:
    desk = import_record(ledger, replays.find(SEASON))
    world = as_of(ledger, desk.name, 1)
    assert world.label(world.get("Jamie", "square")) == 3
    assert desk.world.period == 6


def test_the_other_real_game_comes_out_exactly(ledger: Ledger) -> None:
    report = audit(ledger, replays.find("origon-week1"))
    assert (report.exact, report.compared, report.unexplained) == (True, 7, ())
    world = as_of(ledger, report.game, 1)
    assert [world.balance(player, "$") for player in world.kinds["player"]] == [4, 12]


def test_a_payment_that_differs_follows_the_record(ledger: Ledger, tmp_path: Path) -> None:
    text = replays.find("origon-week1").read_text()
    shutil.copytree(replays.folder() / "origon-week1", tmp_path / "origon-week1")
    path = tmp_path / "record.jsonl"
    path.write_text(text.replace('"times": 2, "amount": 8', '"times": 1, "amount": 4'))
    report = audit(ledger, path)
    assert found(report) == [("The Racecar", "payday", 4, 8)]
    assert report.divergences[0].rule == "11.1@1"
    world = as_of(ledger, report.game, 1)
    assert world.balance("The Racecar", "$") == 8
    assert sum(world.balance(account, "$") for account in world.balances) == 0


@pytest.mark.slow
def test_proposals_that_the_record_has_come_in_as_such(ledger: Ledger) -> None:
    desk = import_record(ledger, replays.find(SEASON))
    assert {n: made.by for n, made in desk.world.proposals.items()} == {
        1: "Jamie",
        2: "Woll",
        7: "Woll",
        14: "Jamie",
        15: "Woll",
    }
    donuts = desk.world.rule("XII.2")
    assert donuts is not None
    assert donuts.version == 2
    assert "chance decides" in donuts.prose


def test_a_record_may_be_imported_in_part(ledger: Ledger) -> None:
    assert import_record(ledger, replays.find(SEASON), until=1).world.period == 2


@pytest.mark.slow
def test_rules_known_from_play_come_in_by_an_inferred_ruling(ledger: Ledger) -> None:
    game = import_record(ledger, replays.find(SEASON)).name
    rulings = [entry.body for entry in ledger.read(game) if isinstance(entry.body, RulingMade)]
    assert {ruling.basis for ruling in rulings} == {"inferred"}
    assert [ruling.period for ruling in rulings] == [1, 2, 3, 4, 5, 5]


@pytest.mark.slow
def test_the_real_week_with_two_mistakes_more(ledger: Ledger, tmp_path: Path) -> None:
    lines = replays.find(SEASON).read_text().splitlines()
    changed = [
        line.replace('"player": "Woll", "square": 8', '"player": "Woll", "square": 9').replace(
            '"player": "Cypher", "square": 7', '"player": "Cypher", "square": 6'
        )
        for line in lines
    ]
    shutil.copytree(replays.folder() / SEASON, tmp_path / SEASON)
    path = tmp_path / "season.jsonl"
    path.write_text("\n".join(changed))
    subjects = [divergence.subject for divergence in audit(ledger, path).divergences]
    assert subjects == ["Cypher", "Jamie", "Woll"]


# --- what a fact can say ------------------------------------------------------------------------


def test_nothing_follows_from_a_square_that_the_record_corrects(
    ledger: Ledger, tmp_path: Path
) -> None:
    path = record(
        tmp_path,
        {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]},
        {"week": 1, "kind": "land", "player": "Ann", "square": 18},
        {"week": 1, "kind": "option", "player": "Ann", "square": 18, "open": True},
        {"week": 1, "kind": "buy", "player": "Ann", "square": 18, "name": "Moo"},
        {"week": 1, "kind": "name", "square": 18, "name": "Moo"},
    )
    report = audit(ledger, path)
    assert found(report) == [("Ann", "square", 18, 19)]
    assert report.divergences[0].follows == ()
    world = as_of(ledger, "g", 1)
    square = world.find("square", 18)
    assert square is not None
    assert (world.get(square, "owner"), world.get(square, "name")) == ("Ann", "Moo")


def test_what_the_rules_refuse_is_a_difference(ledger: Ledger, tmp_path: Path) -> None:
    path = record(tmp_path, {"week": 1, "kind": "buy", "player": "Ann", "square": 3})
    assert found(audit(ledger, path)) == [("Ann", "buy", "done", "refused: nobody offered it")]


def test_a_fact_that_no_rule_speaks_of_is_listed_apart(ledger: Ledger, tmp_path: Path) -> None:
    path = record(
        tmp_path,
        {"week": 1, "kind": "sneeze", "player": "Ann"},
        {"week": 1, "kind": "land", "player": "Zoe", "square": 3},
        {"week": 1, "kind": "land", "player": "Ann", "square": 77},
        {"week": 1, "kind": "roll", "player": "Bob", "dice": [1, 2, 3]},
    )
    report = audit(ledger, path)
    assert (report.exact, found(report)) == (True, [])
    assert [each.why for each in report.unexplained] == [
        "no rule in force speaks of 'sneeze'",
        "there is no 'Zoe'",
        "there is no square 77",
        "dice left over: 3",
    ]
    assert any(isinstance(entry.body, FactUnexplained) for entry in ledger.read("g"))


def test_a_record_may_begin_in_any_week(ledger: Ledger, tmp_path: Path) -> None:
    opening = {"players": {"Ann": {"square": 5, "money": 70}}}
    path = record(tmp_path, period=6, opening=opening, parameters={"squares": 9})
    path.write_text(path.read_text().replace('"week": 1', '"week": 6'))
    world = as_of(ledger, import_record(ledger, path).name, 6)
    assert (world.label(world.get("Ann", "square")), world.balance("Ann", "$")) == (5, 70)
    assert len(world.kinds["square"]) == 9


def test_dice_the_record_passes_over_did_not_fall(ledger: Ledger, tmp_path: Path) -> None:
    path = record(
        tmp_path,
        {"week": 1, "kind": "roll", "player": "Ann", "dice": [2]},
        {"week": 1, "kind": "roll", "player": "Bob", "dice": [2, 1]},
    )
    report = audit(ledger, path)
    assert found(report) == [("Ann", "turn", None, "roll 2d6 (turn)")]


TIMER = """
### R.2 Rent is due

```python
def after_buy(player, square):
    schedule("lose", square, due = now() + hours(3))

def define_lose(square: Square):
    set(square, "owner", None)
```
"""


def test_what_is_due_by_the_time_of_a_line_happens_first(ledger: Ledger, tmp_path: Path) -> None:
    roll = {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]}
    buy = {"week": 1, "kind": "buy", "player": "Ann", "square": 19}
    path = record(tmp_path, roll | {"at": "08:00"}, buy, roll | {"at": "12:30", "dice": [1, 2]})
    (tmp_path / "rules.md").write_text(RULES + TIMER)
    game = import_record(ledger, path)
    told = [type(entry.body).__name__ for entry in game.history.entries()]
    fired = told.index("TimerFired")
    assert game.history.entries()[fired].body.received_at.hour == 11
    assert told[fired - 1] == "ClockAdvanced"
    assert game.world.get(str(game.world.find("square", 19)), "owner") is None


@pytest.mark.parametrize(
    ("times", "text"),
    [
        (["2000-01-03T30:00"], "record.jsonl:3: '2000-01-03T30:00' is no time: write it as in"),
        (["2000-02-03"], "2000-02-03 00:00 is not in its period: week 1 is from 2000-01-03 00:00"),
        (["10:00", "9:00"], "record.jsonl:4: 2000-01-03 09:00 is before 2000-01-03 10:00"),
    ],
)
def test_a_line_with_a_bad_time_is_named(
    ledger: Ledger, tmp_path: Path, times: list[str], text: str
) -> None:
    roll = {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]}
    path = record(tmp_path, *(roll | {"at": time} for time in times))
    with pytest.raises(RecordError) as error:
        import_record(ledger, path)
    assert text in str(error.value)


# --- what is wrong with a record ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "is empty"),
        (["hello"], "bad.jsonl:1: not the header"),
        (['{"rulebook": "mail-opening", "colour": 3}'], "unknown field `colour`"),
        (['{"rulebook": "nonsense"}'], "no rulebook 'nonsense'"),
        (['{"rulebook": "mail-opening"}', "{"], "bad.jsonl:2: not a line of JSON"),
        (['{"rulebook": "mail-opening"}', '{"kind": "roll"}'], "bad.jsonl:2: the line has no week"),
        (['{"rulebook": "mail-opening"}', '{"week": 1}'], "the line needs a kind"),
        (['{"rulebook": "mail-opening"}', '{"week": 1, "rules": "none.md"}'], "No such file"),
        (
            ['{"rulebook": "mail-opening"}', '{"week": 1, "rules": "../x"}'],
            "is not beside the record",
        ),
        (['{"rulebook": "mail-opening"}', '{"week": 1, "rules": "/etc/hosts"}'], "not beside"),
        (['{"rulebook": "/etc/hosts"}', '{"week": 1, "kind": "x"}'], "is not beside the record"),
        (
            ['{"rulebook": "a\\u0000b"}', '{"week": 1, "kind": "x"}'],
            "rulebook: a text cannot hold the control character U+0000",
        ),
        (['{"rulebook": "mail-opening", "start": "soon"}'], "start is a day"),
        (['{"rulebook": "mail-opening", "opening": {"players": {"A": {"hat": 1}}}}'], "no 'hat'"),
        (
            [
                '{"rulebook": "mail-opening"}',
                '{"week": 2, "kind": "x"}',
                '{"week": 1, "kind": "x"}',
            ],
            "bad.jsonl:3: week 1 after week 2",
        ),
    ],
)
def test_a_bad_record_is_one_line_and_leaves_nothing(
    ledger: Ledger, tmp_path: Path, lines: list[str], text: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(NomoledgerError) as error:
        import_record(ledger, path)
    assert text in str(error.value)
    assert "\n" not in str(error.value)
    assert ledger.games() == []


def test_a_record_under_rules_that_know_no_facts_is_not_imported(
    ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "mail.jsonl"
    header = {"rulebook": "weekly-vote", "opening": {"players": ["Ann"]}}
    fact = {"week": 1, "kind": "roll", "player": "Ann", "dice": [3]}
    path.write_text(f"{json.dumps(header)}\n{json.dumps(fact)}\n")
    with pytest.raises(RecordError, match=r"mail.jsonl:2: no rule in force says what facts mean"):
        import_record(ledger, path)
    assert ledger.games() == []


def test_a_record_is_told_from_an_export(tmp_path: Path) -> None:
    assert is_record(replays.find(SEASON))
    export = tmp_path / "export.jsonl"
    export.write_text('{"nomoledger": 1, "game": "g"}\n')
    assert not is_record(export)
    assert not is_record(tmp_path / "none")


def test_the_file_must_be_there(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        import_record(ledger, tmp_path / "none.jsonl")


@pytest.mark.slow
def test_a_game_imported_can_be_played_on(ledger: Ledger) -> None:
    game = import_record(ledger, replays.find(SEASON)).name
    outcome = Game(ledger, game).join("Newcomer")
    assert outcome.refusals == []


HATS = """### X.9 Hats
Hats.
```yaml
declares: {player: {hat: Text}, game: {season: Text}}
text_only: hats are for show
```
"""


def with_hats(folder: Path, **opening: Any) -> Path:
    (folder / "hats.md").write_text(HATS)
    return record(folder, {"week": 1, "rules": "hats.md"}, opening=opening)


def test_an_opening_states_what_a_later_line_declares(tmp_path: Path) -> None:
    path = with_hats(
        tmp_path,
        players={"Ann": {"square": 13, "hat": "bowler"}, "Bob": {}},
        game={"season": "May"},
    )
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        game = import_record(ledger, path)
        world = game.world
        assert [world.get("Ann", "hat"), world.get("game", "season")] == ["bowler", "May"]
        assert world.get("Bob", "hat") is None
        given = [x.body for x in game.history.entries() if isinstance(x.body, e.StateGiven)]
        assert [body.players for body in given] == [
            {"Ann": {"square": 13}, "Bob": {}},
            {"Ann": {"hat": "bowler"}},
        ]


def test_an_opening_that_no_line_declares_is_an_error(tmp_path: Path) -> None:
    path = with_hats(tmp_path, players={"Ann": {"hatt": "bowler"}})
    with (
        Ledger.open(tmp_path / "g.db", create=True) as ledger,
        pytest.raises(RecordError, match="a player has no 'hatt', and no line declares it"),
    ):
        import_record(ledger, path)
