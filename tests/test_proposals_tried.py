"""Proposals are tried before they are judged: what is refused, what is told, what is recorded."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import nomoledger
from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import MisfitError, UnknownError
from nomoledger.events.rules import Change, Enact, Rule
from nomoledger.game.counterfactual import WhatIf
from nomoledger.game.game import Game
from nomoledger.game.proposal_check import ProposalCheck
from nomoledger.rulebook import change_check
from nomoledger.rulebook.case_comparison import in_order
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.change_check import said_in
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import parse

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
BOOK = """---
rulebook: fines
api: 0
---
### I.1 Players

Ann, Bob and Cal play.

```yaml
declares: {player: {name: Text key}}
commodities: {"$": {places: 0}}
```
```python
def on_enact():
    for name in ["Ann", "Bob", "Cal"]:
        create("player", {"name": name}, name)
        mint(name, 100)
```

### I.2 Fines

A fine is ten dollars, and never more than 1,000 dollars.

```yaml
parameters: {amount: {value: 10, unit: dollars}, most: 1000, word: fine, days: [Mon, Tue]}
```
```python
def value_fine() -> Number:
    return min(amount, most)

def define_pay_fine(player: Player):
    pay(player, "mint", fine(), word)
```

### I.3 Being late

Who is late pays a fine.

```python
def action_be_late(player: Player):
    pay_fine(player)
```

### II.1 Proposals

The admin decides on proposals. Votes are secret.

```yaml
declares: {proposal: {number: Number key, state: Text}}
secret: [vote]
```
```python
def define_propose(player: Player, proposal: Number):
    create("proposal", {"number": proposal, "state": "open"})

def define_vote(player: Player, proposal: Proposal, choice: Text):
    if choice == "maybe":
        refuse("say yes or no")

def define_judge(proposal: Proposal, verdict: Text):
    set(proposal, "state", verdict)
    if verdict == "accepted":
        adopt(get(proposal, "number"))
```
"""
CASES = """
rulebook: fines
cases:
- case: Ann is late
  cites: [I.3]
  steps: [{by: Ann, do: be_late}]
  then: {players: {Ann: {money: 90}}}
- case: Bob is late, and this case is wrong
  cites: [I.3]
  steps: [{by: Bob, do: be_late}]
  then: {players: {Bob: {money: 1}}}
- case: nobody is late
  then: {players: {Ann: {money: 100}}}
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game whose rulebook and cases are gone since it opened."""
    folder = tmp_path_factory.mktemp("fines")
    (folder / "cases" / "fines").mkdir(parents=True)
    (folder / "fines.md").write_text(BOOK, "utf-8")
    (folder / "cases" / "fines" / "late.yaml").write_text(CASES, "utf-8")
    with nomoledger.open(folder / "g.db", create=True) as ledger:
        ledger.create_game("g", str(folder / "fines.md"), at=NOON, secret=b"s" * 32)
    shutil.rmtree(folder / "cases")
    (folder / "fines.md").unlink()
    return folder / "g.db"


@pytest.fixture
def file(opened: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(shutil.copy(opened, tmp_path / "g.db"))


@pytest.fixture
def game(file: str) -> Any:
    with nomoledger.open(file) as ledger:
        yield ledger.game("g")


def changes(*data: Any) -> tuple[Change, ...]:
    return read_changes(list(data))


def amend(number: str, **fields: Any) -> dict[str, Any]:
    return {"amend": number, **fields}


def enact(number: str, code: str, **fields: Any) -> dict[str, Any]:
    return {"enact": {"number": number, "title": "New", "prose": "New.", "code": code, **fields}}


def check(game: Game, *data: Any) -> ProposalCheck:
    return game.check_proposal(changes(*data))


def command(*words: str) -> Result:
    return CliRunner().invoke(program, list(words))


# --- what is refused ----------------------------------------------------------------------------

UNREADABLE = Enact(Rule(number="X.1", code="while True:\n    pass\n"))
NUMBER_AS_TEXT = amend("I.2", parameters={"amount": "many"})
REFUSED = {
    "a number becomes a text": (NUMBER_AS_TEXT, "amount is a number of dollars, not 'many'"),
    "a text becomes a number": (amend("I.2", parameters={"word": 7}), "word is a text"),
    "a list becomes a number": (amend("I.2", parameters={"days": 7}), "days is a list"),
    "an unknown parameter": (amend("I.2", parameters={"amonut": 7}), "no parameter 'amonut'"),
    "an unknown entry": (amend("I.2", entries={"days": [["Sun", "Tue"]]}), "no entry 'Sun'"),
    "an unknown function": (amend("I.2", functions={"value_x": None}), "no function 'value_x'"),
    "a rule that is not in force": (amend("V.9", prose="x"), "there is no rule V.9 in force"),
    "a repeal of no rule": ({"repeal": "V.9"}, "there is no rule V.9 in force"),
    "a number that is taken": ({"renumber": "I.2", "to": "I.3"}, "there is a rule I.3 already"),
    "a typing error": (
        enact("X.1", "def after_be_late(player):\n    pay_fien(player)\n"),
        "rule X.1, line 2: no rule says what 'pay_fien' is",
    ),
    "a hook on nothing": (
        enact("X.1", "def after_be_latte(player):\n    pay_fine(player)\n"),
        "rule X.1, line 1: after_be_latte bends 'be_latte', which no rule defines",
    ),
    "an unknown operation": ({"do": "pay_fien", "with": {"player": "Ann"}}, "'pay_fien'"),
    "an unknown argument": ({"do": "pay_fine", "with": {"playr": "Ann"}}, "playr"),
    "an unknown player": ({"do": "pay_fine", "with": {"player": "Zoe"}}, "no player 'Zoe'"),
    "an unknown attribute": ({"set": {"player": "Ann", "colour": 1}}, "no 'colour'"),
    "an unknown account": ({"post": {"Ann": 5, "Zoe": -5}}, "there is no account 'Zoe'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused_and_nothing_is_recorded(what: str, game: Game) -> None:
    data, reason = REFUSED[what]
    head = game.ledger.head("g")
    changed = changes(data)
    with pytest.raises(MisfitError) as refusal:
        game.propose("Ann", "Text", changed, at=NOON)
    assert reason in str(refusal.value)
    with pytest.raises(MisfitError):
        game.rule("Text", changes=changed, at=NOON)
    assert game.check_proposal(changed).errors == refusal.value.errors
    assert game.ledger.head("g") == head


def test_code_that_cannot_be_read_is_refused(game: Game) -> None:
    with pytest.raises(MisfitError, match=r"X\.1, line 1: while is not part"):
        game.propose("Ann", "Text", (UNREADABLE,), at=NOON)


def test_every_change_that_does_not_fit_is_named(game: Game) -> None:
    found = check(
        game, NUMBER_AS_TEXT, {"repeal": "V.9"}, enact("X.1", "def after_fine(): nix()\n")
    )
    assert len(found.errors) == 3
    assert found.cases_tried == 0


def test_an_old_fault_of_a_rule_is_not_held_against_an_amendment(game: Game) -> None:
    """The parameter `days` is used by nobody."""
    assert check(game, amend("I.2", parameters={"amount": 11})).errors == ()


def test_the_trial_leaves_no_trace(game: Game) -> None:
    before = game.world.digest()
    data = {"repeal": "I.2"}, {"set": {"player": "Ann", "name": "Eve"}}, {"repeal": "V.9"}
    assert change_check.check_changes(game.world, changes(*data), "proposal").after.rules
    assert game.world.digest() == before


def test_a_number_that_is_taken_is_left_to_the_admin(game: Game) -> None:
    code = "def after_be_late(player):\n    pay_fine(player)\n"
    found = check(game, enact("I.3", code))
    assert found.errors == ()
    assert (
        "there is a rule I.3 already: the admin will be asked for another number" in found.notes[0]
    )
    faulty = check(game, enact("I.3", code.replace("pay_fine", "pay_fien")))
    assert faulty.errors == (
        "rule I.3, line 2: no rule says what 'pay_fien' is; did you mean 'pay_fine'?",
    )


def test_a_refusal_that_depends_on_the_state_is_only_a_note(game: Game) -> None:
    found = check(
        game,
        enact("X.1", "def define_ban(player: Player):\n    refuse('not today')\n"),
    )
    assert found.errors == ()
    data = {"do": "vote", "with": {"player": "Ann", "proposal": 1, "choice": "maybe"}}
    game.propose("Ann", "Text", at=NOON)
    found = check(game, data)
    assert found.errors == ()
    assert "as things stand, this would be refused: say yes or no" in found.notes[0]


# --- what is told -------------------------------------------------------------------------------


def test_a_repeal_tells_what_is_left_undefined_and_who_uses_it(game: Game) -> None:
    found = check(game, {"repeal": "I.2"})
    assert found.errors == ()
    assert [(left.name, left.used_by) for left in found.left_undefined] == [("pay_fine", ("I.3",))]


def test_a_function_taken_out_leaves_its_users_undefined(game: Game) -> None:
    found = check(game, amend("I.2", functions={"define_pay_fine": None}))
    assert [(left.name, left.used_by) for left in found.left_undefined] == [("pay_fine", ("I.3",))]


def test_prose_that_says_the_old_number_is_told(game: Game) -> None:
    found = check(game, amend("I.2", parameters={"amount": 20, "most": 2000}))
    assert found.mismatches == (
        "rule I.2: the prose says ten dollars, the value of amount becomes 20",
        "rule I.2: the prose says 1,000 dollars, the value of most becomes 2000",
    )


def test_prose_that_is_amended_along_is_no_mismatch(game: Game) -> None:
    prose = "A fine is twenty dollars, and never more than 1000 dollars."
    assert check(game, amend("I.2", prose=prose, parameters={"amount": 20})).mismatches == ()
    (mismatch,) = check(game, amend("I.2", prose=prose)).mismatches
    assert mismatch == (
        "rule I.2: the prose no longer says ten dollars, the value of amount stays 10"
    )


@pytest.mark.parametrize(
    ("prose", "number", "said"),
    [
        ("At 2.5 dollars", 2, ""),
        ("At 12 dollars", 2, ""),
        ("Version V.2", 2, ""),
        ("At 2.", 2, "2"),
        ("At 2.50 dollars", "2.50", "2.50 dollars"),
        ("At 2.5 dollars", "2.50", "2.5 dollars"),
        ("Twenty squares", 20, "Twenty squares"),
        ("10 000 marks", 10000, "10 000 marks"),
    ],
)
def test_numbers_in_prose(prose: str, number: Any, said: str) -> None:
    assert said_in(prose, number) == said


def test_the_cases_that_pass_now_and_would_fail_are_told(game: Game) -> None:
    """The cases are those that were copied; that of Bob fails now, too."""
    found = check(game, amend("I.2", parameters={"amount": 20}))
    (failure,) = found.cases_failing
    assert failure.startswith("late.yaml:4: Ann is late")
    assert "money is 80, expected 90" in failure
    assert (found.cases_tried, found.cases_not_tried) == (3, 0)


def test_a_case_that_never_ends_under_the_new_rules_would_fail(game: Game) -> None:
    endless = "def after_be_late(player):\n    for i in range(1 << 40):\n        pass\n"
    found = check(game, enact("X.1", endless))
    assert any("late.yaml:4: Ann is late" in failure for failure in found.cases_failing)
    assert found.cases_tried == 3


def test_cases_are_bounded_by_time(game: Game) -> None:
    found = game.check_proposal(changes(amend("I.2", parameters={"amount": 20})), seconds=0)
    assert found.cases_tried < 3
    assert found.cases_tried + found.cases_not_tried == 3


def test_the_cases_that_name_the_changed_rules_come_first(game: Game) -> None:
    cases = parse_cases({"late.yaml": CASES})
    last_first = in_order(list(reversed(cases)), ["I.3"], game.world.rules)
    assert [case.name for case in last_first][-1] == "nobody is late"


def test_a_rule_that_the_game_cannot_do_without_says_so(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Rule, "essential", "there is no game without it", raising=False)
    checked = change_check.check_changes(game.world, changes({"repeal": "I.1"}), "proposal")
    assert "rule I.1 Players is essential: there is no game without it" in checked.notes


def test_the_last_period_is_played_again_on_request(game: Game) -> None:
    game.submit("Ann", "be_late", at=NOON)
    game.close(at=NOON)
    game.submit("Bob", "be_late", at=NOON)
    changed = changes(amend("I.2", parameters={"amount": 20}))
    assert game.check_proposal(changed).what_if is None
    rerun = game.check_proposal(changed, with_what_if=True).what_if
    assert isinstance(rerun, WhatIf)
    assert rerun.period == 1
    assert [(d.subject, d.recorded, d.rerun) for d in rerun.otherwise if d.subject == "Ann"] == [
        ("Ann", 90, 80)
    ]
    function = changes(amend("I.2", functions={"value_fine": "def value_fine():\n    return 30\n"}))
    rerun = game.check_proposal(function, with_what_if=True).what_if
    assert rerun is not None
    assert {d.rerun for d in rerun.otherwise if d.subject == "Ann"} == {70}
    repeal = game.check_proposal(changes({"repeal": "I.2"}), with_what_if=True).what_if
    assert repeal is not None
    assert repeal.stopped is None


# --- what is recorded ---------------------------------------------------------------------------


def test_adoption_does_what_the_check_said(game: Game) -> None:
    changed = changes(amend("I.2", parameters={"amount": 20}))
    assert game.check_proposal(changed).errors == ()
    game.propose("Ann", "Dear", changed, at=NOON)
    game.judge(1, "accepted", at=NOON)
    assert game.submit("Ann", "be_late", at=NOON).refusals == []
    assert game.world.balance("Ann", "$") == 80


def test_the_admin_can_record_the_words_only(game: Game) -> None:
    game.propose("Ann", "Many", changes(NUMBER_AS_TEXT), words_only=True, at=NOON)
    made = game.world.proposals[1]
    assert (made.text, made.changes, made.words_only) == ("Many", (), True)
    assert game.proposal(1).words_only
    view: Any = game.view("log")
    assert any("makes proposal 1 (in words only): Many" in line.told for line in view.events)
    game.judge(1, "accepted", at=NOON)
    assert game.proposal(1).state == "accepted"


@pytest.mark.parametrize("level", [0, 1])
def test_a_game_of_an_old_level_records_what_does_not_fit(
    level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nomoledger.game.start.NEWEST", level)
    with nomoledger.open(tmp_path / "old.db", create=True) as ledger:
        game = ledger.create_game("g", parse(BOOK, "fines.md"), at=NOON)
        assert game.world.level == level
        changed = changes({"amend": "V.9", "prose": "x"}, NUMBER_AS_TEXT)
        assert isinstance(game.propose("Ann", "Text", changed, at=NOON).events[0], e.ProposalMade)
        assert game.rule("Text", changes=changed, at=NOON).refusals
        assert game.check_proposal(changed).errors == ("amend V.9: there is no rule V.9 in force",)
        with pytest.raises(MisfitError, match="while is not part of the language"):
            game.propose("Ann", "Text", (UNREADABLE,), at=NOON)


def test_a_repeated_request_is_not_checked_again(game: Game) -> None:
    first = game.propose("Ann", "Text", changes({"repeal": "I.3"}), id="p1", at=NOON)
    game.judge(1, "accepted", at=NOON)
    assert (
        game.propose("Ann", "Text", changes({"repeal": "I.3"}), id="p1").events[0]
        == (first.events[0])
    )


def test_the_copied_cases_are_in_no_log_and_no_state(game: Game) -> None:
    (copied,) = (x.body for x in game.history.entries() if isinstance(x.body, e.CasesCopied))
    assert list(copied.texts) == ["late.yaml"]
    view: Any = game.view("log")
    assert not any("cases" in line.told for line in view.events)
    assert game.replay(from_start=True).exact


# --- one proposal -------------------------------------------------------------------------------


def test_a_proposal_is_shown_with_its_changes_as_a_diff(game: Game) -> None:
    new = "def value_fine() -> Number:\n    return amount\n"
    data = amend("I.2", parameters={"amount": 20}, functions={"value_fine": new}, prose="Short.")
    game.propose("Ann", "Dear", changes(data, {"repeal": "I.3"}), at=NOON)
    shown = game.proposal(1)
    assert (shown.by, shown.text, shown.state, shown.carried_out) == ("Ann", "Dear", "open", False)
    first, second = shown.changes
    assert [(v.name, v.old, v.new) for v in first.values] == [("amount", 10, 20)]
    assert "-    return min(amount, most)" in first.code
    assert "+    return amount" in first.code
    assert "+Short." in first.prose
    assert second.what == "repeal rule I.3 Being late"
    game.judge(1, "accepted", at=NOON)
    game.rule("dearer", changes=changes(amend("I.2", parameters={"amount": 30})), at=NOON)
    after = game.proposal(1)
    assert (after.verdict, after.carried_out) == ("accepted", True)
    assert after.changes == shown.changes


def test_secret_votes_are_shown_to_those_who_cast_them(game: Game) -> None:
    game.propose("Ann", "Text", at=NOON)
    game.vote("Bob", 1, "no", at=NOON)
    game.vote("Bob", 1, "yes", at=NOON)
    assert game.vote("Bob", 1, "maybe", at=NOON).refusals
    game.vote("Cal", 1, "no", at=NOON)
    assert game.proposal(1).votes == {"Bob": "yes", "Cal": "no"}
    assert game.proposal(1, reader="Bob").votes == {"Bob": "yes"}
    assert game.proposal(1, reader=None).votes == {}


def test_a_proposal_that_there_is_not(game: Game) -> None:
    with pytest.raises(UnknownError, match="there is no proposal 7"):
        game.proposal(7)


# --- the command line ---------------------------------------------------------------------------


def test_check_prints_findings_and_exits_with_1_on_errors(file: str) -> None:
    Path("good.yaml").write_text("- {repeal: I.2}\n")
    good = command("proposal", "check", file, "good.yaml")
    assert good.exit_code == 0
    assert "left without a definition: pay_fine, which I.3 would still use" in good.stdout
    assert json.loads(command("proposal", "check", file, "good.yaml", "--json").stdout)[
        "left_undefined"
    ] == [{"name": "pay_fine", "used_by": ["I.3"]}]
    Path("bad.yaml").write_text("- {amend: I.2, parameters: {amount: many}}\n")
    bad = command("proposal", "check", file, "bad.yaml")
    assert (bad.exit_code, bad.stdout) == (
        1,
        "error: rule I.2: amount is a number of dollars, not 'many'\n",
    )
    Path("code.yaml").write_text("- {amend: I.2, code: 'def value_fine(: pass'}\n")
    code = command("proposal", "check", file, "code.yaml", "--json")
    assert code.exit_code == 1
    assert json.loads(code.stdout)["errors"][0].startswith("rule I.2, line 1: ")


@pytest.mark.parametrize("verb", [("propose", "Ann"), ("ruling",)])
def test_what_does_not_fit_is_refused_with_a_line_per_error(
    verb: tuple[str, ...], file: str
) -> None:
    Path("bad.yaml").write_text("- {repeal: V.9}\n- {repeal: V.8}\n")
    words = (verb[0], file, *verb[1:], "Text", "--changes", "bad.yaml")
    log = command("log", file).stdout
    result = command(*words)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == [
        "refused: repeal V.9: there is no rule V.9 in force",
        "refused: repeal V.8: there is no rule V.8 in force",
    ]
    as_json = command(*words, "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["refused"] == [
        "repeal V.9: there is no rule V.9 in force",
        "repeal V.8: there is no rule V.8 in force",
    ]
    assert command("log", file).stdout == log


def test_a_proposal_is_made_and_its_findings_are_printed(file: str) -> None:
    words = ("propose", file, "Ann", "Dear", "--amend", "I.2.amount=20", "--id", "p1")
    made = command(*words)
    assert made.exit_code == 0
    assert "Ann makes proposal 1: Dear" in made.stdout
    assert "mismatch: rule I.2: the prose says ten dollars" in made.stdout
    assert "case would fail: late.yaml:4: Ann is late" in made.stdout
    assert "mismatch" not in command(*words).stdout
    shown = command("proposal", "show", file, "1")
    assert "amend rule I.2 Fines\n  amount: 10 → 20\n" in shown.stdout
    assert json.loads(command("proposal", "show", file, "1", "--json").stdout)["by"] == "Ann"


def test_words_only_on_the_command_line(file: str) -> None:
    Path("bad.yaml").write_text("- {repeal: V.9}\n")
    made = command("propose", file, "Ann", "Text", "--changes", "bad.yaml", "--words-only")
    assert made.exit_code == 0
    assert "Ann makes proposal 1 (in words only): Text" in made.stdout
