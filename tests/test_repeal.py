"""`rules check --repeal`: after which changes of the rules does a game get stuck?"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from tiers import sample

from nomoledger.cli import program
from nomoledger.events.rules import Rule
from nomoledger.game.simulation.control_game import ControlGame, play_control_game
from nomoledger.game.simulation.moments import TrialMoment, telling
from nomoledger.game.simulation.repeal_testing import RepealReport, changes_of, find_stuck
from nomoledger.game.simulation.repeal_trial import RepealTrials
from nomoledger.game.simulation.rule_changes import TriedChange, drawn, rule_changes
from nomoledger.rulebook.loading import parse

JOINING = """
### I.1 Joining

Anybody may join, and leave.

```yaml
essential: without it nobody plays
declares: {player: {name: Text key, naps: Number}}
commodities: {"$": {}}
```

```python
def define_join(name):
    create("player", {"name": name, "naps": 0})

def define_depart(player):
    destroy(player)
```
"""
CATCHING = """
### II.2 Catching

A frog that catches a fly gets three dollars.

```yaml
parameters: {dollars: 3}
```

```python
def action_catch(player: Player):
    mint(player, dollars)
```
"""
#: The rulebook in which every change leaves a game that goes on.
SOUND = f"""{JOINING}{CATCHING}
### III.1 Naps

A frog that naps wakes up after two days.

```yaml
parameters: {{hours_of_sleep: 48}}
```

```python
def action_nap(player: Player):
    schedule("wake", player, due = now() + hours(hours_of_sleep))

def define_wake(player):
    if kind(player) == "player":
        set(player, "naps", get(player, "naps") + 1)
```
"""
#: Catching relies on a helper that another rule holds.
REACHING = """
### II.3 Reach

Every frog reaches as far as it can.

```python
def value_reach(player: Player):
    return [2]
```

### II.4 Jumping

A frog that jumps gets a dollar for each leaf that it reaches.

```python
def action_jump(player: Player):
    mint(player, reach(player)[0])
```
"""
#: The timer of one rule runs the operation of another.
YAWNING = """
### III.2 Yawning

A frog that has caught a fly wakes up a day later.

```python
def after_catch(player):
    schedule("wake", player, due = now() + 86400)
```
"""
#: A number that fails when it becomes 5, and a list whose last entry is used.
SHARING = """
### IV.1 Sharing

Six flies are shared by the frogs, and the last color wins.

```yaml
parameters: {frogs: 4, colors: [green, red]}
```

```python
def action_share(player: Player):
    mint(player, 6 // (5 - frogs))
    mint(player, len(colors[1]))
```
"""


@pytest.fixture
def tried(tmp_path: Path) -> Callable[[str], RepealReport]:
    def tried(text: str) -> RepealReport:
        path = tmp_path / "pond.md"
        path.write_text(text)
        return find_stuck(str(path), changes_of(str(path)))

    return tried


def stuck_of(report: RepealReport, sort: str) -> dict[str, str]:
    return {one.change: one.reason for one in report.tallies()[sort].stuck}


def rules_of(text: str) -> tuple[Rule, ...]:
    return parse(text, "pond.md").rules


def control_game(text: str) -> ControlGame:
    game = play_control_game(rules_of(text), "pond", {}, seed=1, players=4)
    assert game is not None
    return game


# --- what is stuck


@pytest.mark.slow
def test_nothing_is_stuck_where_every_rule_stands_alone(
    tried: Callable[[str], RepealReport],
) -> None:
    report = tried(SOUND)
    assert {sort: tally.stuck for sort, tally in report.tallies().items()} == {
        "rules": [],
        "parameters": [],
        "chapters": [],
        "renumberings": [],
    }
    assert (report.rules.tried, report.rules.playable, report.rules.essential) == (3, 2, ["I.1"])
    assert (report.chapters.tried, report.chapters.essential) == (3, ["I"])
    assert (report.parameters.tried, report.parameters.playable) == (4, 4)
    assert (report.renumberings.tried, report.renumberings.playable) == (3, 3)


@pytest.mark.slow
def test_an_act_is_stuck_without_the_helper_of_another_rule(
    tried: Callable[[str], RepealReport],
) -> None:
    stuck = stuck_of(tried(SOUND + REACHING), "rules")
    assert list(stuck) == ["II.3"]
    assert "jump" in stuck["II.3"]
    assert "rule II.4: pond.md:" in stuck["II.3"]
    assert "out of bound" in stuck["II.3"]


@pytest.mark.slow
def test_a_timer_whose_operation_goes_makes_nothing_stuck(
    tried: Callable[[str], RepealReport],
) -> None:
    report = tried(SOUND + YAWNING)
    assert (report.rules.stuck, report.chapters.stuck) == ([], [])


@pytest.mark.slow
def test_numbers_and_lists_that_fail_when_amended_are_found(
    tried: Callable[[str], RepealReport],
) -> None:
    report = tried(SOUND + SHARING)
    stuck = stuck_of(report, "parameters")
    assert set(stuck) == {"IV.1.frogs=5", 'IV.1.colors=["green"]'}
    assert "zero" in stuck["IV.1.frogs=5"]
    assert report.rules.stuck == []


@pytest.mark.slow
def test_a_rule_that_another_names_by_number_may_be_renumbered_or_go(
    tried: Callable[[str], RepealReport],
) -> None:
    text = SOUND.replace("mint(player, dollars)", 'mint(player, param("III.1", "hours_of_sleep"))')
    report = tried(text)
    assert (report.renumberings.stuck, report.rules.stuck) == ([], [])


@pytest.mark.slow
def test_a_period_that_does_not_close_is_stuck(tried: Callable[[str], RepealReport]) -> None:
    gate = """
### V.1 Gate

The pond closes while the gate is open; this rule opens it.

```yaml
declares: {game: {gate: Flag}}
```

```python
def on_enact():
    set("game", "gate", True)

def on_repeal():
    set("game", "gate", False)
```

### V.2 Closing

No period closes while the gate is shut.

```python
def define_close_period():
    if not get("game", "gate"):
        refuse("the gate is shut")
```
"""
    stuck = stuck_of(tried(SOUND + gate), "rules")
    assert list(stuck) == ["V.1"]
    assert "does not close" in stuck["V.1"]
    assert "the gate is shut" in stuck["V.1"]


@pytest.mark.slow
def test_the_repeal_of_an_essential_rule_is_stuck_only_by_a_fault(
    tried: Callable[[str], RepealReport],
) -> None:
    essential = "```yaml\nessential: frogs reach\n```\n\n```python\ndef value_reach"
    text = SOUND + REACHING.replace("```python\ndef value_reach", essential)
    harmless = text.replace("mint(player, reach(player)[0])", "mint(player, len(reach(player)))")
    report = tried(harmless)
    assert (report.rules.essential, report.rules.stuck) == (["I.1", "II.3"], [])
    assert report.rules.playable == report.rules.tried - 2
    report = tried(text)
    assert list(stuck_of(report, "rules")) == ["II.3"]
    assert report.rules.essential == ["I.1", "II.3"]


def test_a_replay_that_differs_is_stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots try requests between the inputs: what a trial leaves behind shows in the replay."""
    rules = rules_of(SOUND)
    trials = RepealTrials(control_game(SOUND), {}, 1)
    change = next(change for change in rule_changes(rules) if change.name == "II.2")
    assert trials.finding(change) is None
    forget = "nomoledger.game.simulation.repeal_trial.recorded_draws"
    monkeypatch.setattr(forget, lambda entries: {})
    rolls = SOUND.replace("mint(player, dollars)", "mint(player, roll(1, 6)[0])")
    changes = {change.name: change for change in rule_changes(rules_of(rolls))}
    finding = RepealTrials(control_game(rolls), {}, 1).finding(changes["III.1.hours_of_sleep=52"])
    assert finding is not None
    assert finding.reason.startswith("replay is not exact")


# --- the changes and the moments


def test_a_sample_is_the_same_for_a_seed_and_takes_some_of_each_sort() -> None:
    changes = rule_changes(rules_of(SOUND + REACHING + SHARING))
    some = drawn(changes, 2, 5)
    assert some == drawn(changes, 2, 5)
    assert any(drawn(changes, 2, seed) != some for seed in range(6, 16))
    sorts = [change.sort for change in some]
    assert sorts == [s for s in ("rules", "parameters", "chapters", "renumberings") for _ in "12"]
    assert drawn(changes, None, 5) == changes


def test_a_number_is_amended_up_and_down_and_a_list_loses_its_last_entry() -> None:
    rule = Rule(
        number="V.1",
        parameters={"dollars": 10, "none": 0, "words": ["a", "b"], "is_so": True, "word": "x"},
    )
    names = [change.name for change in rule_changes([rule]) if change.sort == "parameters"]
    assert names == ["V.1.dollars=11", "V.1.dollars=9", "V.1.none=1", 'V.1.words=["a"]']


def test_a_chapter_is_all_rules_before_the_first_dot_and_a_free_number_is_free() -> None:
    rules = [Rule(number=number) for number in ("2", "2.1", "2.1.1", "3.1", "3.2")]
    changes = rule_changes(rules)
    chapters = {c.name: len(c.changes) for c in changes if c.sort == "chapters"}
    assert chapters == {"2": 3, "3": 2}
    free = [change.name for change in changes if change.sort == "renumberings"]
    assert free == ["2 to 1", "2.1 to 2.2", "2.1.1 to 2.1.2", "3.1 to 3.3", "3.2 to 3.3"]


def test_moments_are_those_in_which_most_different_things_are_under_way() -> None:
    moments = [
        TrialMoment(1, frozenset("a")),
        TrialMoment(2, frozenset("abc")),
        TrialMoment(3, frozenset("ab")),
        TrialMoment(4, frozenset("d")),
    ]
    assert [moment.place for moment in telling(moments, 3)] == [2, 4]
    assert [moment.place for moment in telling(moments, 1)] == [2]


def test_timers_and_orders_are_under_way_when_rules_change() -> None:
    control = control_game(SOUND + YAWNING)
    seen = {thing for moment in control.moments for thing in moment.under_way}
    assert "timer wake" in seen
    assert any(thing.startswith("order ") for thing in seen)


# --- the command


@pytest.fixture
def pond(tmp_path: Path) -> str:
    (tmp_path / "pond.md").write_text(SOUND + REACHING)
    return str(tmp_path / "pond.md")


@pytest.mark.slow
def test_the_command_prints_a_line_for_each_sort_and_for_each_stuck_change(pond: str) -> None:
    result = CliRunner().invoke(program, ["rules", "check", pond, "--repeal"])
    assert result.exit_code == 1, result.output
    lines = result.output.splitlines()[4:]
    assert lines[0] == "  rules changed: 3 of 5 playable, essential: I.1"
    assert lines[1].startswith("stuck after II.3: ")
    assert lines[2:] == [
        "  parameters changed: 4 of 4 playable",
        "  chapters changed: 2 of 3 playable, essential: I",
        "  renumberings changed: 5 of 5 playable",
    ]


@pytest.mark.slow
def test_the_command_prints_json_and_takes_a_sample(pond: str) -> None:
    words = ["rules", "check", pond, "--repeal", "--sample", "1", "--seed", "3", "--json"]
    result = CliRunner().invoke(program, words)
    found = json.loads(result.output)["repeal"]
    assert list(found) == ["rules", "parameters", "chapters", "renumberings"]
    for tally in found.values():
        assert list(tally) == ["tried", "playable", "essential", "stuck"]
        assert tally["tried"] == 1
    is_stuck = any(tally["stuck"] for tally in found.values())
    assert result.exit_code == int(is_stuck)
    again = CliRunner().invoke(program, words)
    assert again.output == result.output


def test_without_repeal_the_json_has_no_such_part(pond: str) -> None:
    result = CliRunner().invoke(program, ["rules", "check", pond, "--json"])
    assert "repeal" not in json.loads(result.output)


# --- the shipped rulebooks


#: Rules of one rulebook whose repeal leaves a game that goes on.
REPEALED = {
    "mail-opening": "IX.2",
    "origon": "18.2",
    "nomopoly-iii": "XIV.3",
    "weekly-vote": "XXXIV.7",
}


@pytest.mark.slow
@pytest.mark.parametrize("rulebook", sample(REPEALED, 1))
def test_a_harmless_rule_of_a_shipped_rulebook_can_go(rulebook: str) -> None:
    changes: list[TriedChange] = [
        change for change in changes_of(rulebook) if change.name == REPEALED[rulebook]
    ]
    report = find_stuck(rulebook, changes)
    assert (report.rules.tried, report.rules.stuck) == (1, [])
