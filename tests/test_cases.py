"""Cases: the examples that ship and those of the docs pass, and what is wrong in one is told."""

import re
from pathlib import Path

import pytest
from msgspec import structs
from tiers import sample

from nomoledger.errors import RulebookError, UnknownError
from nomoledger.rulebook.cases import Case, CaseRunner, cases_beside, load_cases
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.loading import load, shipped

run_case = CaseRunner().run
SHIPPED_CASES = [case for name in shipped() for case in cases_beside(name)]
DOCS = Path(__file__).parents[1] / "docs" / "cases.md"

FAIR = """
### I.1 The fair

Pieces, dice, draws, questions.

```yaml
declares:
  player: {name: Text key, square: Square, sick: Flag, friend: Player}
  square: {number: Number key}
commodities: {"$": {places: 2}, mitt: {places: 0}}
accounts: [bank]
```

```python
def action_fish(player: Player):
    a = roll(1, 20, "fish")[0]
    b = roll(2, 6, "weather")
    pay("bank", player, divide(a * 100 + b[0] + b[1], 100), "fish")

def action_visit(player: Player):
    set(player, "friend", draw(all("player"), "friend"))

def action_wait(player: Player):
    if ask(player, "Do you want to be sick?", ["yes", "no"]) == "yes":
        set(player, "sick", True)
    give("bank", player, ruling("How many mitts?", [1, 2, 3]), "mitt")

def action_share(player: Player):
    split("bank", [[each, 1] for each in all("player")], 1, "bank", "share")
```
"""


def fair(tmp_path: Path, text: str) -> Case:
    (tmp_path / "fair.md").write_text(FAIR, encoding="utf-8")
    head = "case: it\nrulebook: fair.md\ngiven: {players: [Ann, Bob], accounts: {bank: 10}}\n"
    (case,) = parse_cases({str(tmp_path / "case.yaml"): head + text})
    return case


def mail(text: str) -> Case:
    head = "case: it\nrulebook: mail-opening\n"
    (case,) = parse_cases({"it.yaml": head + text})
    return case


def difference(case: Case) -> str:
    result = run_case(case)
    assert not result.ok
    assert result.difference is not None
    return result.difference


@pytest.mark.slow
@pytest.mark.parametrize("case", sample(SHIPPED_CASES, 18), ids=lambda case: case.name)
def test_a_case_of_a_shipped_rulebook_passes(case: Case) -> None:
    assert run_case(case).difference is None


@pytest.mark.parametrize(
    "text", re.findall(r"```yaml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
)
def test_an_example_of_the_docs_passes(text: str) -> None:
    for case in parse_cases({str(DOCS): text}):
        assert run_case(case).difference is None


# --- what a case can say ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dice",
    [
        "[17, 1, 2]",
        "[17, [1, 2]]",
        "{weather: [1, 2], fish: 17}",
        "{d20: 17, 2d6: [1, 2]}",
        "[{d20: 17}, {d6: [1, 2]}]",
        "{weather: [1, 2], d20: 17}",
    ],
)
def test_dice_can_be_given_in_order_by_label_and_with_sides(tmp_path: Path, dice: str) -> None:
    steps = f"steps: [{{by: Ann, do: fish, dice: {dice}}}]\n"
    case = fair(tmp_path, steps + "then: {players: {Ann: {money: 17.03}}, accounts: {bank: -7.03}}")
    assert run_case(case).difference is None


@pytest.mark.parametrize(
    ("dice", "says"),
    [
        ("[17, 1, 2, 3]", "nobody asks for dice 3"),
        ("[21, 1, 2]", "a die of 20 sides cannot show 21"),
        ("[17, [1]]", "asks for 2 dice, the case gives 1"),
        ("{d6: [4, 1, 2]}", "the die has 20 sides, the case says 6"),
        ("[17]", "admin is asked: roll 2d6 .weather.; the step says nothing"),
        ("{fish: 3, wether: [1, 2]}", "admin is asked: roll 2d6"),
    ],
)
def test_impossible_dice_are_refused(tmp_path: Path, dice: str, says: str) -> None:
    case = fair(tmp_path, f"steps: [{{by: Ann, do: fish, dice: {dice}}}]")
    assert re.search(says, difference(case))


def test_a_case_states_draws_answers_and_items(tmp_path: Path) -> None:
    steps = """
steps:
- {by: Ann, do: visit, draws: {friend: Bob}}
- {by: Ann, do: wait, answers: {be sick: yes, mitts: 2}}
- {by: Bob, do: wait, asks: be sick}
- {by: Bob, do: answer, with: {value: no}, asks: mitts}
- {do: ruling, with: {text: Two., value: 2}}
- {by: Ann, do: share}
then:
  players:
    Ann: {friend: Bob, statuses: [sick], items: {mitt: 2}, money: 0.50}
    Bob: {items: {mitt: 2}, money: "0.50"}
  payments:
  - {from: bank, to: Ann, amount: 2, commodity: mitt}
  - {from: bank, to: Bob, amount: 2, commodity: mitt}
  - {from: bank, to: Ann, amount: 0.50, why: share}
  - {from: bank, to: Bob, amount: 0.50}
  accounts: {bank: {$: 9, mitt: -4}}
  pending: none
"""
    assert run_case(fair(tmp_path, steps)).difference is None


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("{mitt: 3}", ""),
        ("{items: {mitt: 3}}", ""),
        ("{mitt: 4}", "Ann's items is mitt 3, expected mitt 4"),
        ("{mitten: 4}", "a player has no 'mitten'"),
        ("absent", "there is Ann, expected to be gone"),
    ],
)
def test_an_item_may_share_its_name_with_an_attribute(tmp_path: Path, row: str, says: str) -> None:
    case = fair(tmp_path, f"steps:\n- {{do: close}}\nthen: {{players: {{Ann: {row}}}}}\n")
    given = case.body.given
    given = structs.replace(given, players={"Ann": {"mitt": 3}, "Bob": {}})
    case = structs.replace(case, body=structs.replace(case.body, given=given))
    try:
        told = run_case(case).difference or ""
    except RulebookError as error:
        told = str(error)
    assert says in told
    assert bool(says) == bool(told)


def test_a_named_thing_has_an_account(tmp_path: Path) -> None:
    text = FAIR.replace(
        "### I.1",
        """### I.0 Chests

Every player has a chest.

```yaml
declares: {chest: {owner: Player}}
```

```python
def after_create(kind, attributes, name):
    if kind == "player":
        create("chest", {"owner": name}, name + "'s chest")
```

### I.1""",
    )
    assert text != FAIR
    (tmp_path / "fair.md").write_text(text, encoding="utf-8")
    told = "given: {players: [Ann], accounts: {%s: {$: 3, mitt: 2}}}\n"
    for chest, says in [("Ann's chest", ""), ("Bob's chest", "there is no account")]:
        steps = f"steps: [{{do: close}}]\nthen: {{accounts: {{{chest}: {{$: 3, mitt: 2}}}}}}\n"
        text = "case: it\nrulebook: fair.md\n" + told % chest + steps
        (case,) = parse_cases({str(tmp_path / "case.yaml"): text})
        try:
            difference = run_case(case).difference or ""
        except RulebookError as error:
            difference = str(error)
        assert says in difference
        assert bool(says) == bool(difference)


def test_a_given_thing_that_the_rules_bring_along_is_altered_not_made_again(
    tmp_path: Path,
) -> None:
    text = FAIR.replace(
        "### I.1",
        """### I.0 A bear

There is a bear, called Moo.

```yaml
declares: {bear: {name: Text key, square: Square, fat: Flag}}
```

```python
def on_enact():
    create("bear", {"name": "Moo"}, "Moo")
```

### I.1""",
    )
    assert text != FAIR
    (tmp_path / "fair.md").write_text(text, encoding="utf-8")
    told = "bears: [{name: Moo, square: 3, fat: yes}, {name: Boo}, {name: Moo}]"
    text = (
        "case: it\nrulebook: fair.md\n"
        "given: {players: [Ann], squares: {3: {}}, %s}\n"
        "then: {bears: [{name: Moo, square: 3, fat: yes}, {name: Boo, square: null}]}\n"
    )
    (case,) = parse_cases({str(tmp_path / "case.yaml"): text % told})
    assert run_case(case).difference is None


def test_a_case_states_what_is_open_at_its_end(tmp_path: Path) -> None:
    steps = "steps: [{by: Ann, do: wait}]\n"
    case = fair(tmp_path, steps + "then: {pending: {questions: [be sick]}}")
    assert run_case(case).difference is None
    case = fair(tmp_path, steps + "then: {pending: {questions: []}}")
    assert "a question is open that the case does not name" in difference(case)
    assert "Ann is asked: Do you want to be sick?" in difference(fair(tmp_path, steps))


def test_a_case_can_set_parameters_and_select_rules() -> None:
    case = mail(
        "rules: [IV.1, II.1, VI.1, VI.2]\n"
        "given: {settings: {VI.1.squares: 4, starting_money: 3}}\n"
        "steps: [{do: join, with: {name: Ann, email: a@x.org}}]\n"
        "then: {players: {Ann: {email: a@x.org, money: 3, square: 1}}}"
    )
    assert run_case(case).difference is None


def test_a_case_states_rulings_in_force_and_accepts_british_spelling() -> None:
    case = mail(
        "given: {board: 4, players: [Ann], rulings: [{text: It was so., changes: "
        "[{set: {square: 1, color: red}}]}]}\n"
        "steps: [{do: ruling, with: {text: Or so., changes: [{set: {square: 2, color: red}}]}}]\n"
        "then: {squares: {2: {Colour: red}}}"
    )
    assert run_case(case).difference is None


# --- what is not so -----------------------------------------------------------------------------

GIVEN = (
    "given: {board: 16, players: {Ann: {square: 14}, Bob: {}}, "
    "offers: [{player: Bob, square: 5}]}\n"
)
TURN = "steps: [{by: Ann, do: propose, with: {text: Hm.}}, {do: reject, dice: [4, 2]}]\n"
BUY = "steps: [{by: Bob, do: buy, with: {square: 5}}]\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TURN, "in the end: Ann's square is 4, expected 14 as before .the case does not name it"),
        (TURN + "then: {players: {Ann: {square: 5}}}", "Ann's square is 4, expected 5"),
        (TURN + "then: {players: {Cal: {}}}", "there is no player Cal; there is: Ann, Bob"),
        (BUY + "then: {players: {Bob: {money: 950}}}", "square 5's owner is Bob, expected nothing"),
        (BUY + "then: {players: {Bob: absent}}", "there is Bob, expected to be gone"),
        ("then: {board: 15}", "has 16 squares, expected 15"),
        ("then: {payments: [{amount: 3}]}", "there are 0 payments, expected payment 1"),
        ("then: {accounts: {admin: 3}}", "account admin holds 0 .*expected 3"),
        ("then: {rules: {X.1: present}}", "rule X.1 is not in force"),
        ("then: {rules: {V.1: absent}}", "rule V.1 is in force"),
        ("then: {rules: {V.1: {parameters: {dollars_per_number: 9}}}}", "is 10, expected 9"),
        ("then: {game: {ended: yes}}", "the game's ended is no, expected yes"),
        ("then: {game: {period: 2}}", "the game's period is 1, expected 2"),
        ("then: {offers: []}", "there is a offer that the case does not name"),
        ("then: {pending: {timers: 0}}", "1 timers are running"),
        ("then: {pending: none}", "1 timers are running"),
        ("then: {pending: {offers: [{square: 6}]}}", "no offer with square 6"),
        ("then: {pending: {proposals: [1]}}", "the open proposals are"),
        ("then: {values: [{value: block, with: {square: 1}, is: [1]}]}", r"\[\], expected \[1\]"),
        ("steps: [{value: row_length, is: 5}]", "step 1 .row_length.: it is 4, expected 5"),
        ("steps: [{do: report_threat}]", "the game is over: .*the case does not say so"),
        ("steps: [{do: join, with: {name: Cal, email: c@x}}]", "new player Cal"),
        ("steps: [{by: Ann, do: buy, with: {square: 5}}]", "refused: buy: this square is"),
        ("steps: [{by: Ann, do: buy, with: {square: 5}, refused: VIII.1}]", "not by VIII.1"),
        ("steps: [{by: Bob, do: buy, with: {square: 5}, refused: yes}]", "it is not refused"),
        ("steps: [{do: advance, asks: anything}]", "nothing is asked"),
        ("steps: [{do: roll, dice: [1, 2]}]", "there is no dice or draw to settle"),
    ],
)
def test_a_difference_is_described_in_words(text: str, says: str) -> None:
    assert re.search(says, difference(mail(GIVEN + text)))


def test_intermediate_differences_name_the_step() -> None:
    case = mail(
        GIVEN + "steps: [{by: Bob, do: buy, with: {square: 5}, then: {players: {Bob: {money: 9}}}}]"
    )
    assert difference(case) == "it, step 1 (buy): Bob's money is 950, expected 9"


# --- what cannot be read ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("steps: [{do: buy, wiht: {}}]", "it.yaml:1: it: steps.0.: unknown field 'wiht'"),
        ("stesp: []", "unknown field 'stesp'"),
        ("given: {board: many}", "given.board must be a whole number"),
        ("given: {playrs: {}}", "nor the plural of a kind: 'playrs' .did you mean 'players'"),
        ("given: {players: {Ann: {mony: 3}}}", "a player has no 'mony' .did you mean 'money'"),
        ("given: {settings: {sqares: 3}}", "no parameter 'sqares'"),
        ("given: {board: 0}", "the game cannot start so: the board needs at least one square"),
        ("given: {players: [Ann], players: [Bob]}", "'players' is said twice"),
        ("rules: [XX.1]", "has no rule XX.1"),
        ("steps: [{do: byu, with: {square: 1}}]", "nobody can 'byu' .did you mean 'buy'"),
        ("steps: [{do: buy, with: {sqare: 1}}]", "buy does not take 'sqare'"),
        ("steps: [{do: buy}]", "buy needs to be told 'square'"),
        ("steps: [{by: Zoe, do: buy, with: {square: 1}}]", "no player 'Zoe'; playing are: nobody"),
        ("steps: [{at: soon, do: advance}]", "'soon' is no time"),
        ("steps: [{at: -1d, do: advance}]", "is before the step before it"),
        ("steps: [{do: accept}]", "there is no proposal to judge"),
        ("steps: [{value: rent, is: 3}]", "no rule says what 'rent' is; values are: block"),
        ("steps: [{value: block}]", "say what it is"),
        ("then: {squares: {1: {colr: red}}}", "a square has no 'colr'"),
        ("then: {rules: {V.1: changed}}", "not 'changed'"),
    ],
)
def test_a_mistake_in_a_case_names_its_place(text: str, says: str) -> None:
    with pytest.raises(RulebookError, match=says) as told:
        run_case(mail(text))
    assert "\n" not in str(told.value)


def test_cases_are_read_from_files_folders_documents_and_lists(tmp_path: Path) -> None:
    one = "case: a\nrulebook: mail-opening\n---\ncase: b\nrulebook: mail-opening\n"
    (tmp_path / "one.yaml").write_text(one, encoding="utf-8")
    two = "rulebook: mail-opening\ncases:\n- case: c\n- {case: d, rulebook: x.md}\n"
    (tmp_path / "two.yaml").write_text(two, encoding="utf-8")
    cases = load_cases(tmp_path)
    assert [(case.name, case.line) for case in cases] == [("a", 1), ("b", 4), ("c", 3), ("d", 4)]
    assert cases[3].body.rulebook == "x.md"
    with pytest.raises(UnknownError, match="no file or folder"):
        load_cases(tmp_path / "three.yaml")


def test_a_rulebook_can_be_put_in_place_of_another() -> None:
    book = load("mail-opening").with_settings({"squares": 5})
    assert run_case(mail("then: {board: 5}"), rulebook=book).ok


@pytest.mark.parametrize(
    "change",
    [
        "{set: {square: 1, colr: red}}",
        "{set: {square: 99, color: red}}",
        "{do: paint, with: {square: 1, hue: red}}",
        "{do: paint, with: {square: 99, color: red}}",
    ],
)
def test_changes_that_name_what_is_not_there_are_refused(change: str) -> None:
    case = mail(
        f"given: {{players: [Ann], proposals: [{{by: Ann, text: Odd., changes: [{change}]}}]}}\n"
        "steps: [{do: accept, refused: yes}]"
    )
    assert run_case(case).difference is None
