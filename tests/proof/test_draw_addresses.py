"""Addresses of draws: made of nothing that anybody can choose, and never used twice."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rulings.game import RuledGame, oracle_of, stored
from rulings.rules import RULES

from nomoledger import events as e
from nomoledger.engine.settlement.timeline import Timeline
from nomoledger.events.rules import Post, Rule
from nomoledger.game.counterfactual import WhatIfChanges, what_if
from nomoledger.state.snapshot_codec import decode_snapshot, encode_snapshot
from proof.gambling import GamblingGame, addresses, values

# --- nothing in an address can be chosen ----------------------------------------------------------


def test_an_address_says_period_actor_operation_label_and_ordinal() -> None:
    game = GamblingGame()
    assert addresses(game.gamble("Bob")) == [
        "1/player 2/gamble(player 2)/luck#0",
        "1/player 2/pay_out(player 2)/luck#0",
        "1/player 2/pay_out(player 2)/color#0",
    ]
    assert addresses(game.gamble("Bob"))[0] == "1/player 2/gamble(player 2)/luck#1"


def test_ids_arguments_names_and_other_requests_change_no_die() -> None:
    dice = values(GamblingGame().gamble("Bob"))
    assert all(values(GamblingGame().gamble("Bob", id=f"try {n}")) == dice for n in range(5))
    assert values(GamblingGame().gamble("Bob", stake=7)) == dice
    assert values(GamblingGame().gamble("Bob", note="please")) == dice
    assert values(GamblingGame("Zoe", "Carl").gamble("Carl")) == dice
    game = GamblingGame()
    for request in ("first", "second"):
        game.gamble("Ann", id=request)
    game.ask("advance")
    assert values(game.gamble("Bob")) == dice


def test_a_standing_order_draws_as_its_request_would() -> None:
    asked, ordered = GamblingGame(), GamblingGame()
    ordered.ask("order", "Bob", "money(Bob) > 100", (e.Act(action="gamble"),))
    ordered.ask("rule", "A gift.", changes=(Post({"mint": -1, "Bob": 1}),))
    assert addresses(ordered.draws()) == addresses(asked.gamble("Bob"))
    assert values(ordered.draws()) == values(asked.draws())


def test_the_name_under_which_somebody_joins_changes_no_die() -> None:
    code = "def after_join(name: Text):\n    mint(name, roll(1, 1000, 'welcome')[0], 'welcome')\n"
    made = []
    for name in ("Ann", "Ann the Second"):
        game = RuledGame([*RULES, Rule(number="9", code=code)])
        events = game.ask("join", name)
        made.append([event for event in events if isinstance(event, e.DrawRecorded)])
    assert addresses(made[0]) == addresses(made[1]) == ["1/nobody/join()/welcome#0"]
    assert values(made[0]) == values(made[1])


# --- no die is thrown twice -----------------------------------------------------------------------


def test_a_refused_attempt_leaves_its_dice_for_the_next() -> None:
    game = GamblingGame()
    refused = [game.gamble("Bob", stake=501 + n) for n in range(4)]
    assert {draw.address for draws in refused for draw in draws} == {
        "1/player 2/gamble(player 2)/luck#0"
    }
    done = game.gamble("Bob")
    assert {draw.values for draws in refused for draw in draws} == {done[0].values}
    assert done[0].address == "1/player 2/gamble(player 2)/luck#0"
    assert values(done) == values(GamblingGame().gamble("Bob"))
    assert game.gamble("Bob")[0].address == "1/player 2/gamble(player 2)/luck#1"


def test_each_period_has_its_own_dice() -> None:
    game = GamblingGame()
    first = game.gamble("Bob")
    game.ask("close")
    while game.world.waiting is not None:
        game.ask("answer", "money")
    assert "used" not in game.world.dice
    second = game.gamble("Bob")
    assert second[0].address == "2/player 2/gamble(player 2)/luck#0"
    assert values(second) != values(first)


def test_secret_draws_say_who_sees_them_and_count_apart() -> None:
    game = GamblingGame(secret=("gamble",))
    ann, bob = game.gamble("Ann"), game.gamble("Bob")
    assert ann[0].address == "1 for Ann/player 1/gamble(player 1)/luck#0"
    assert bob[0].address == "1 for Bob/player 2/gamble(player 2)/luck#0"
    assert {draw.audience for draw in (*ann, *bob)} == {("Ann",), ("Bob",)}


def test_snapshots_and_the_digest_cover_what_addresses_depend_on() -> None:
    game = GamblingGame()
    before = game.world.digest()
    game.gamble("Bob")
    assert game.world.dice["used"]
    encoded = encode_snapshot(game.world)
    decoded = decode_snapshot(encoded.root, lambda keys: {k: encoded.parts[k] for k in keys})
    assert decoded.dice == game.world.dice
    assert decoded.digest() == game.world.digest() != before
    decoded.dice["used"]["1/player 2/gamble(player 2)/luck"] += 1
    assert decoded.digest() != game.world.digest()


# --- what-ifs map draws by the request ------------------------------------------------------------

requests = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bob"]), st.sampled_from(["gamble", "go"])),
    min_size=2, max_size=6,
)  # fmt: skip


def timeline_draws(game: GamblingGame, edit: e.Edit) -> tuple[dict[str, e.DrawRecorded], list[str]]:
    """Return the draws of the game with *edit* by their questions, and all their addresses."""
    timeline = Timeline(game.entries, [edit], oracle=oracle_of(game.world), questions="default")
    for _ in timeline.run():
        pass
    events = [event for events in timeline.rerun.events.values() for event in events]
    made = [event for event in events if isinstance(event, e.DrawRecorded)]
    return {draw.answers: draw for draw in made}, addresses(made)


@pytest.mark.slow
@given(requests, st.data())
def test_a_request_that_is_left_out_or_added_changes_no_die_of_another(
    asked: list[tuple[str, str]], data: st.DataObject
) -> None:
    game = GamblingGame()
    for player, action in asked:
        game.ask("submit", player, action, {})
    recorded = {draw.answers: draw for draw in game.draws()}
    places = [x.number for x in game.entries if isinstance(x.body, e.SubmissionReceived)]
    chosen = data.draw(st.sampled_from(places))
    if data.draw(st.booleans()):
        body = game.entries[chosen].body
        assert isinstance(body, e.Input)
        left_out = body.id
        edit: e.Edit = e.LeftOut(chosen)
    else:
        player, action = data.draw(st.sampled_from(asked))
        left_out, edit = "", e.TakenIn(chosen - 1, player, action)
    replayed, places_drawn = timeline_draws(game, edit)
    for question, draw in replayed.items():
        if question in recorded:
            assert (draw.address, draw.values) == (
                recorded[question].address,
                recorded[question].values,
            )
    kept = {question for question in recorded if question.split("|")[0].split(">")[0] != left_out}
    by_gamble = {question for question in kept if "gamble" in question}
    first = game.entries[chosen].body.received_at
    later = {x for x in by_gamble if recorded[x].received_at > first}
    assert later <= replayed.keys()
    assert max(Counter(places_drawn).values(), default=0) <= 1
    new = {draw.address for question, draw in replayed.items() if question not in recorded}
    assert not new & {draw.address for draw in recorded.values()}


def test_two_rulings_that_take_in_requests_get_two_dice() -> None:
    game = GamblingGame()
    game.gamble("Bob")
    after = len(game.entries) - 1
    made: list[e.DrawRecorded] = []
    for note in ("one", "two"):
        edit = e.TakenIn(after, "Bob", "gamble", {"note": note})
        events = game.ask("rule_on", "replace", "He asked.", edits=(edit,))
        made += [event for event in events if isinstance(event, e.DrawRecorded)]
    lucky = [address for address in addresses(made) if "gamble" in address]
    assert lucky == [f"1/player 2/gamble(player 2)/luck#{n}" for n in (1, 2)]
    assert game.gamble("Bob")[0].address == "1/player 2/gamble(player 2)/luck#3"
    assert len(set(addresses(game.draws()))) == len(game.draws())


def test_a_what_if_on_the_open_period_discloses_no_die_to_come() -> None:
    game = GamblingGame()
    edits = (e.TakenIn(len(game.entries) - 1, "Bob", "gamble"),)
    with stored(game) as ledger:
        first, second = (
            what_if(ledger, "g", WhatIfChanges(edits=edits), throwaway=bytes([n]) * 32)
            for n in (1, 2)
        )
    rolled = [[asked.value for asked in report.asked] for report in (first, second)]
    real = [list(draw.values) for draw in game.gamble("Bob")]
    assert first.throwaway
    assert rolled[0] != rolled[1]
    assert real[0] not in (rolled[0][0], rolled[1][0])
