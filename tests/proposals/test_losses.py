"""What a proposal would take away from the rules that stay, and from people."""

from typing import Any

from nomoledger.game.game import Game

from .fines import NOON, amend, changes, check, enact

BONUS = enact("X.1", "def after_pay_fine(player):\n    mint(player, 1)\n")


def ruled(game: Game, *data: Any) -> None:
    assert game.rule("New rules", changes=changes(*data), at=NOON).refusals == []


def left(game: Game, *data: Any) -> list[tuple[str, tuple[str, ...]]]:
    found = check(game, *data)
    assert found.errors == ()
    return [(each.name, each.used_by) for each in found.left_undefined]


def test_hooks_on_an_operation_that_no_rule_would_call_are_told(game: Game) -> None:
    ruled(game, BONUS)
    found = check(game, {"repeal": "I.3"})
    assert found.left_undefined == ()
    assert (
        "no rule would call pay_fine any more, so the hooks on it would not run: X.1" in found.notes
    )


def test_hooks_on_a_moment_that_no_rule_would_announce_are_told(game: Game) -> None:
    says = enact(
        "X.1",
        "def after_be_late(player):\n    scold(player)\n",
        moments={"scold": {"player": "Player"}},
    )
    hears = enact("X.2", "def after_scold(player):\n    mint(player, 1)\n")
    ruled(game, says, hears)
    note = "no rule would call scold any more, so the hooks on it would not run: X.2"
    assert note in check(game, {"repeal": "X.1"}).notes
    assert note in check(game, amend("X.1", functions={"after_be_late": None})).notes
    assert note not in check(game, {"repeal": "I.2"}).notes


def test_an_operation_that_another_rule_still_schedules_is_not_told(game: Game) -> None:
    later = 'def after_be_late(player):\n    schedule("pay_fine", player)\n'
    ruled(game, BONUS, enact("X.2", later), enact("X.3", later))
    assert not any("pay_fine" in note for note in check(game, {"repeal": "X.2"}).notes)


def test_values_that_other_rules_read_are_told(game: Game) -> None:
    ruled(game, enact("X.1", "def action_give_back(player: Player):\n    mint(player, fine())\n"))
    assert left(game, {"repeal": "I.2"}) == [("fine", ("X.1",)), ("pay_fine", ("I.3",))]
    adjusted = enact("X.2", "def adjust_fine():\n    return add(1)\n")
    ruled(game, adjusted)
    assert left(game, {"repeal": "I.2"})[0] == ("fine", ("X.1", "X.2"))


def test_an_operation_that_rules_only_look_for_under_way_is_told(game: Game) -> None:
    code = 'def after_fine():\n    if within("pay_fine") == None:\n        refuse("why?")\n'
    ruled(game, enact("X.1", code.replace("after_fine()", "after_be_late()")))
    assert left(game, {"repeal": "I.2"}) == [("pay_fine", ("I.3", "X.1"))]


def test_what_people_could_no_longer_do_is_told(game: Game) -> None:
    sweep = enact("X.1", "def action_sweep(admin):\n    pass\n")
    ruled(game, sweep)
    assert check(game, {"repeal": "I.3"}).notes == ("players could no longer: be_late",)
    assert check(game, {"repeal": "X.1"}).notes == ("the admin could no longer: sweep",)
    assert check(game, {"repeal": "II.1"}).notes == (
        "players could no longer: propose, vote",
        "the admin could no longer: judge",
    )
    assert (
        check(
            game, {"repeal": "I.3"}, enact("X.2", "def action_be_late(player):\n    pass\n")
        ).notes
        == ()
    )


def test_a_mechanic_that_goes_with_its_last_rule_is_told(game: Game) -> None:
    code = """
def after_be_late(player):
    if long_ago("late", player, days(1)):
        mint(player, 1)
"""
    notes = 'def after_pay_fine(player):\n    note_time("late", player)\n'
    ruled(game, enact("X.1", notes, uses=["clocks-1"]), enact("X.2", code))
    assert left(game, {"repeal": "X.1"}) == [("long_ago", ("X.2",))]
    ruled(game, enact("X.3", notes.replace("pay_fine", "be_late"), uses=["clocks-1"]))
    assert left(game, {"repeal": "X.1"}) == []
