"""Proposals are tried before they are judged: what is refused, what is told, what is recorded."""

from pathlib import Path
from typing import Any

import pytest

import nomoledger
from nomoledger import events as e
from nomoledger.errors import MisfitError
from nomoledger.events.rules import Enact, Rule
from nomoledger.game.counterfactual import WhatIf
from nomoledger.game.game import Game
from nomoledger.rulebook import change_check
from nomoledger.rulebook.case_comparison import in_order
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.change_check import said_in
from nomoledger.rulebook.loading import parse
from nomoledger.sandbox.limits import Limits

from .fines import BOOK, CASES, NOON, amend, changes, check, enact

# --- what is refused ----------------------------------------------------------------------------

UNREADABLE = Enact(Rule(number="X.1", code="while True:\n    pass\n"))
NUMBER_AS_TEXT = amend("I.2", parameters={"amount": "many"})
REFUSED = {
    "a number becomes a text": (NUMBER_AS_TEXT, "amount is a number of dollars, not 'many'"),
    "a text becomes a number": (amend("I.2", parameters={"word": 7}), "word is a text"),
    "a list becomes a number": (amend("I.2", parameters={"weekdays": 7}), "weekdays is a list"),
    "an unknown parameter": (amend("I.2", parameters={"amonut": 7}), "no parameter 'amonut'"),
    "an unknown entry": (amend("I.2", entries={"weekdays": [["Sun", "Tue"]]}), "no entry 'Sun'"),
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
    "a parameter called like a word": (
        enact(
            "X.1",
            "def after_be_late(player):\n    pay(player, 'mint', days)\n",
            parameters={"days": 1},
        ),
        "rule X.1: the parameter 'days' hides the word days of the language: give it another name",
    ),
    "a parameter called like a word, by an amendment": (
        amend(
            "I.2",
            parameters={"min": 5},
            functions={"value_fine": "def value_fine() -> Number:\n    return amount + min\n"},
        ),
        "rule I.2: the parameter 'min' hides the word min of the language: give it another name",
    ),
    "another number of decimal places": (
        enact("X.1", "def value_x(): return 1\n", commodities={"$": {"places": 2}}),
        "rule X.1: $ has 0 decimal places in rule I.1, so it cannot have 2",
    ),
    "a kind called like a type": (
        enact("X.1", "def value_x(): return 1\n", declares={"none": {"a": "Text"}}),
        "rule X.1: 'none' is a word of the language, and no kind can have this name",
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


def test_a_long_message_is_cut(game: Game) -> None:
    long = Enact(Rule(number="X.1", code=f"x = {'(' * 5000}{')' * 5000}\n"))
    (error,) = game.check_proposal((long,)).errors
    assert "too many nested parentheses" in error
    assert len(error) <= 300


def test_every_change_that_does_not_fit_is_named(game: Game) -> None:
    found = check(
        game, NUMBER_AS_TEXT, {"repeal": "V.9"}, enact("X.1", "def after_fine(): nix()\n")
    )
    assert len(found.errors) == 3
    assert found.cases_tried == 0


def test_every_parameter_of_an_amendment_that_does_not_fit_is_named(game: Game) -> None:
    bad = {"amount": "many", "word": 7, "weekdays": 1}
    found = check(game, amend("I.2", parameters={**bad, "most": 2000}))
    assert [error.split(" is ")[0] for error in found.errors] == [
        "rule I.2: amount",
        "rule I.2: word",
        "rule I.2: weekdays",
    ]
    unknown = check(game, amend("I.2", parameters={"amonut": 7, "mots": 8}))
    assert [error.split(";")[0] for error in unknown.errors] == [
        "rule I.2 has no parameter 'amonut'",
        "rule I.2 has no parameter 'mots'",
    ]


def test_an_amendment_that_does_not_fit_is_checked_as_far_as_it_fits(game: Game) -> None:
    """The prose is amended along, so no mismatch is told of a rule that is tried in part."""
    code = {"value_fine": "def value_fine() -> Number:\n    return amount + min + nix()\n"}
    parameters = {"amount": "many", "min": 5, "days": 2}
    data = amend("I.2", parameters=parameters, functions=code, prose="A fine is many dollars.")
    found = check(game, data)
    assert found.errors[0] == "rule I.2: amount is a number of dollars, not 'many'"
    assert [word for word in ("'min' hides", "'days' hides", "'nix'") if word in str(found.errors)]
    assert len(found.errors) == 4
    assert found.mismatches == ()


def test_rules_that_name_an_argument_that_would_be_gone_are_told(game: Game) -> None:
    hook = enact("X.1", "def after_pay_fine(player):\n    mint(player, 1)\n")
    game.rule("A hook", changes=changes(hook), at=NOON)
    new = "def define_pay_fine(who: Player):\n    pay(who, 'mint', fine(), word)\n"
    renamed = amend("I.2", functions={"define_pay_fine": new})
    assert check(game, renamed).errors == (
        "rule X.1, line 1: pay_fine has no argument 'player': it has (who)",
    )
    hook_too = {"after_pay_fine": "def after_pay_fine(who):\n    mint(who, 1)\n"}
    mended = amend("X.1", functions=hook_too)
    assert check(game, renamed, mended).errors == ()


def test_rules_whose_calls_would_no_longer_fit_are_told(game: Game) -> None:
    new = "def define_pay_fine(player: Player, why: Text):\n    pay(player, word, fine(), why)\n"
    found = check(game, amend("I.2", functions={"define_pay_fine": new}))
    assert found.errors == (
        "rule I.3, line 2: pay_fine is not given 'why': it takes (player, why)",
    )
    optional = new.replace("why: Text", "why: Text = ''")
    assert check(game, amend("I.2", functions={"define_pay_fine": optional})).errors == ()


def test_an_old_fault_of_a_rule_is_not_held_against_an_amendment(game: Game) -> None:
    """The parameter `weekdays` is used by nobody."""
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


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("x = [][3]", "on_enact of rule X.1: rule X.1: "),
        ("for n in range(5): fail('bad luck')", "bad luck"),
    ],
)
def test_a_new_rule_whose_beginning_fails_is_refused(code: str, says: str, game: Game) -> None:
    begins = enact("X.1", f"def on_enact():\n    {code}\n")
    (error,) = check(game, begins).errors
    assert says in error
    with pytest.raises(MisfitError):
        game.propose("Ann", "Text", changes(begins), at=NOON)
    taken = enact("I.3", f"def on_enact():\n    {code}\n")
    (error,) = check(game, taken).errors
    assert says.replace("X.1", "I.3") in error
    found = check(game, {"repeal": "I.2"}, begins, {"repeal": "X.1"})
    assert found.errors == ()


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("refuse('not today')", "as things stand, this would be refused: not today (X.1"),
        ("roll(1, 6, 'luck')", "admin will be asked: roll 1d6 (luck)"),
        ("ruling('Which?', ['a', 'b'])", "admin will be asked: Which?"),
    ],
)
def test_what_the_beginning_of_a_new_rule_needs_is_a_note(code: str, says: str, game: Game) -> None:
    found = check(game, enact("X.1", f"def on_enact():\n    {code}\n"))
    assert found.errors == ()
    assert [note for note in found.notes if note.startswith("on_enact of rule X.1: ")] == list(
        found.notes
    )
    assert says in found.notes[0]


def test_new_rules_begin_once_all_changes_are_carried_out(game: Game) -> None:
    first = enact(
        "X.1", "def on_enact():\n    for frog in all('frog'):\n        set(frog, 'name', 'Fred')\n"
    )
    declaring = enact("X.2", "def on_enact():\n    create('frog', {'name': 'Fred'})\n")
    declaring["enact"]["declares"] = {"frog": {"name": "Text key"}}
    assert check(game, first, declaring, {"renumber": "X.2", "to": "X.3"}).errors == ()


def test_a_new_rule_that_begins_without_end_is_refused(game: Game) -> None:
    game.limits = Limits(cpu_seconds=0.5)
    endless = "def on_enact():\n    for i in range(1 << 30):\n        set('Ann', 'name', 'Ann')\n"
    (error,) = check(game, enact("X.1", endless)).errors
    assert error == "rule X.1: it used up its processor time"


def test_a_moment_that_a_guard_refuses_now_is_only_a_note(game: Game) -> None:
    code = "def forbid_meet(player):\n    refuse('not today')\n"
    meet = enact("X.1", code, moments={"meet": {"player": "Player"}})
    game.rule("They meet", changes=changes(meet), at=NOON)
    found = check(game, {"do": "meet", "with": {"player": "Ann"}})
    assert found.errors == ()
    assert "as things stand, this would be refused: not today" in found.notes[0]
    unknown = check(game, {"do": "meet", "with": {"player": "Eve"}})
    assert unknown.errors != ()


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
