"""A modified writer that lies about dice is found from the public export alone."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from rulings.game import SECRET, RuledGame
from rulings.rules import RULES

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.errors import UsageError
from nomoledger.events.rules import Rule
from nomoledger.proof.content_audit import ContentAudit
from nomoledger.proof.public_check import check_export
from nomoledger.state.player_seeds import commitment_to
from nomoledger.state.reducer import SETTLE
from proof.gambling import GamblingGame
from proof.modified_writer import publish

#: Turns an honest event into what the modified writer records in its place.
Lie = Callable[[e.Event], e.Event]


def played() -> list[e.Event]:
    """Two periods: draws that are done and refused, and a ruling that reaches back."""
    game = GamblingGame()
    game.gamble("Ann")
    after = len(game.entries) - 1
    game.gamble("Bob", stake=900)
    game.gamble("Bob")
    close(game)
    game.gamble("Bob")
    edit = e.TakenIn(after, "Ann", "gamble")
    game.ask("rule_on", "replace", "She asked.", edits=(edit,), questions="default")
    close(game)
    return [entry.body for entry in game.entries]


def close(game: RuledGame) -> None:
    game.ask("close")
    while game.world.waiting is not None:
        game.ask("answer", "money")


@pytest.fixture(scope="module")
def honest() -> list[e.Event]:
    return played()


def found(bodies: list[e.Event], folder: Path) -> str:
    """Return what the check of the public export finds."""
    return str(check_export(publish(bodies, folder / "public.jsonl")).detail)


def test_an_honest_game_passes(honest: list[e.Event], tmp_path: Path) -> None:
    verdict = check_export(publish(honest, tmp_path / "public.jsonl"))
    assert (verdict.detail, verdict.seals) == (None, 2)
    draws = [body for body in honest if isinstance(body, e.DrawRecorded)]
    assert {draw.effective for draw in draws} == {None, 1}
    assert any(isinstance(body, e.AttemptRefused) for body in honest)


def draw(**fields: Any) -> Lie:
    """Return the lie that the first roll of Bob that counts has other *fields*."""

    def lie(event: e.Event) -> e.Event:
        is_chosen = isinstance(event, e.DrawRecorded) and event.address.startswith(
            "1/player 2/pay_out(player 2)/luck#0"
        )
        return replace(event, **fields) if is_chosen else event

    return lie


def ruled(**fields: Any) -> Lie:
    """Return the lie that a roll for a ruling has other *fields*."""

    def lie(event: e.Event) -> e.Event:
        is_chosen = isinstance(event, e.DrawRecorded) and event.effective is not None
        return replace(event, **fields) if is_chosen else event

    return lie


def of(kind: type[e.Event], **fields: Any) -> Lie:
    """Return the lie that events of *kind* have other *fields*."""
    return lambda event: replace(event, **fields) if isinstance(event, kind) else event


def at(address: str) -> Lie:
    """Return the lie that the dice fell at another *address*, as the seed has them there."""
    fallen = tuple(dice.roll(dice.period_seed(SECRET, 1), address, (1000,)))
    return draw(address=address, values=fallen)


LIES = {
    "other dice": (draw(values=(1000,)), "not what the seed of its period gives"),
    "no sides": (draw(sides=(), values=(1000,)), "says neither its sides nor its options"),
    "dice and options": (draw(options=(1000,)), "cannot have these values, sides and options"),
    "no such die": (draw(sides=(0,)), "cannot have these values"),
    "a die too large": (draw(sides=(2**70,)), "cannot have these values"),
    "more values than dice": (draw(values=(1, 2)), "cannot have these values"),
    "an address of its own": (at("lucky-77"), "not made of period, actor, operation"),
    "the address of level 2": (draw(asked=""), "not made of period, actor, operation"),
    "another period": (at("2/player 2/pay_out(player 2)/luck#0"), "begins with 1/player 2"),
    "another actor": (at("1/player 1/pay_out(player 2)/luck#0"), "begins with 1/player 2"),
    "another operation": (at("1/player 2/gamble(player 2)/luck#1"), "begins with 1/player 2"),
    "another subject": (at("1/player 2/pay_out(player 1)/luck#0"), "begins with 1/player 2"),
    "another label": (at("1/player 2/pay_out(player 2)/charm#0"), "no rule gives such a label"),
    "a die skipped": (at("1/player 2/pay_out(player 2)/luck#5"), "it ends with #0"),
    "no attempt": (draw(asked="x9|gamble/luck#0"), "no attempt is under way"),
    "another cause": (draw(cause=3), "begins with 1/player 2"),
    "the seed of another period": (draw(effective=1), "is of no ruling"),
    "a made-up ruling": (draw(effective=1, rules=("ruling:9",)), "does not reach back"),
    "a ruling too early": (draw(rules=("ruling:1",)), "does not reach back"),
    "a ruling on no period": (ruled(effective=0), "no ruling reaches it"),
    "a ruling on a later period": (ruled(effective=2), "no ruling reaches it"),
    "a ruling on the open period": (ruled(effective=None), "it is of period 2"),
    "a die of a ruling skipped": (
        ruled(address="1/player 1/gamble(player 1)/luck#7"), "no draw has #6",
    ),
    "no seed": (of(e.PeriodClosed, seed=""), "the seed of period 1 is missing"),
    "a short seed": (of(e.PeriodClosed, seed="00"), "the seed of period 1 is missing"),
    "no hexadecimal seed": (of(e.PeriodClosed, seed="z" * 64), "the seed of period 1 is missing"),
    "another seed": (of(e.PeriodClosed, seed="00" * 32), "does not fit the commitment"),
    "no commitment at the opening": (of(e.GameOpened, commitment=""), "period 1 is missing"),
    "no commitment at a close": (of(e.PeriodClosed, commitment=""), "period 2 is missing"),
    "an empty secret": (
        of(e.GameOpened, commitment=dice.commitment(dice.period_seed(b"", 1))),
        "derives from an empty secret",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_dice_is_found_in_public(
    honest: list[e.Event], tmp_path: Path, name: str
) -> None:
    lie, problem = LIES[name]
    told = [lie(body) for body in honest]
    assert told != honest
    assert problem in found(told, tmp_path)


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_dice_is_found_in_the_ledger(honest: list[e.Event], name: str) -> None:
    lie, problem = LIES[name]
    problems = list(_audit([lie(body) for body in honest]))
    assert any(problem in text for text in problems)


def _audit(bodies: list[e.Event]) -> Iterator[str]:
    audit = ContentAudit("g", SECRET)
    for number, body in enumerate(bodies):
        problem = audit.check(number, body, bytes(32))
        if problem is not None:
            yield problem[1]
            return


def test_dice_that_were_entered_by_hand_are_found(honest: list[e.Event], tmp_path: Path) -> None:
    when: dict[str, Any] = {"received_at": honest[0].received_at, "period": 1}
    when["recorded_at"] = honest[0].recorded_at
    entered = e.DrawEntered(id="e1", question="i3|gamble/luck#0", values=(6,), **when)
    place = next(n for n, body in enumerate(honest) if isinstance(body, e.DrawRecorded))
    told = [*honest[:place], entered, *honest[place:]]
    assert "whose dice are drawn from seeds" in found(told, tmp_path)


# --- seeds of the players -------------------------------------------------------------------------

SEEDS = {"Ann": "a seed that only Ann knows", "Bob": "a seed that only Bob knows"}


def played_with_seeds() -> list[e.Event]:
    """Three periods; Ann and Bob mix their seeds into the dice of the third."""
    game = GamblingGame(dice="players")
    for name, seed in SEEDS.items():
        game.ask("commit_seed", name, commitment_to(seed))
    close(game)
    for name, seed in SEEDS.items():
        game.ask("reveal_seed", name, seed)
    close(game)
    game.gamble("Bob")
    close(game)
    return [entry.body for entry in game.entries]


@pytest.fixture(scope="module")
def seeded() -> list[e.Event]:
    return played_with_seeds()


def test_a_game_with_seeds_of_the_players_passes(seeded: list[e.Event], tmp_path: Path) -> None:
    assert found(seeded, tmp_path) == "None"
    assert list(_audit(seeded)) == []


def test_a_reveal_that_is_left_out_or_forged_is_found(
    seeded: list[e.Event], tmp_path: Path
) -> None:
    is_reveal = [isinstance(body, e.SeedRevealed) and body.by == "Bob" for body in seeded]
    place = is_reveal.index(True)
    forged = replace(seeded[place], seed="a seed that Bob never had")
    assert "does not fit the commitment" in found(
        [*seeded[:place], forged, *seeded[place + 1 :]], tmp_path
    )
    silent = e.ClockAdvanced(
        id="i0", period=2, received_at=forged.received_at, recorded_at=forged.recorded_at
    )
    assert "not what the seed of its period gives" in found(
        [*seeded[:place], silent, *seeded[place + 1 :]], tmp_path
    )


def test_a_commitment_that_comes_after_the_first_reveals_is_found(
    seeded: list[e.Event], tmp_path: Path
) -> None:
    place = next(n for n, body in enumerate(seeded) if isinstance(body, e.SeedRevealed))
    first = seeded[place]
    late = e.SeedCommitted(
        id="late", period=2, received_at=first.received_at, recorded_at=first.recorded_at,
        by="Bob", drawn_in=3, commitment="0" * 64,
    )  # fmt: skip
    told = [*seeded[:place], late, *seeded[place:]]
    assert "seeds can now be committed for periods 4 to" in found(told, tmp_path)


def test_the_seed_of_the_admin_is_committed_before_the_players_reveal_theirs(
    seeded: list[e.Event], tmp_path: Path
) -> None:
    closed = [body for body in seeded if isinstance(body, e.PeriodClosed)]
    assert closed[0].commitment == dice.commitment(dice.period_seed(SECRET, 3))
    ground = replace(closed[2], seed="00" * 32)
    told = [ground if body is closed[2] else body for body in seeded]
    assert "does not fit the commitment" in found(told, tmp_path)
    first = dice.commitment(dice.period_seed(SECRET, 1))
    opened = replace(seeded[0], commitment=first)
    assert "period 1 is missing" in found([opened, *seeded[1:]], tmp_path)


def test_a_period_that_is_closed_twice_with_other_seeds_is_found(
    honest: list[e.Event], tmp_path: Path
) -> None:
    place = next(n for n, body in enumerate(honest) if isinstance(body, e.PeriodClosed))
    again = replace(honest[place], seed="00" * 32)
    told = [*honest[: place + 1], again, *honest[place + 1 :]]
    assert "does not fit the commitment" in found(told, tmp_path)


def test_a_draw_of_a_sealed_request_that_reveals_itself_passes(tmp_path: Path) -> None:
    code = """
def action_show(player: Player):
    roll(1, 1000, "hidden")
    reveal()
    mint(player, roll(1, 1000, "shown")[0], "shown")
"""
    game = RuledGame([*RULES, Rule(number="9", code=code, secret=("show",))])
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    for name in ("Ann", "Bob", "Ann"):
        game.ask("submit", name, "show", {})
    game.ask("advance")
    close(game)
    told = [entry.body for entry in game.entries]
    drawn = [x for x in told if isinstance(x, e.DrawRecorded) and x.audience is None]
    shown = [draw.address for draw in drawn if "/shown#" in draw.address]
    assert shown == [
        "1/player 1/show(player 1)/shown#0",
        "1/player 2/show(player 2)/shown#0",
        "1/player 1/show(player 1)/shown#1",
    ]
    assert found(told, tmp_path) == "None"
    place = next(n for n, body in enumerate(told) if getattr(body, "address", "") == shown[0])
    for address in ("1/player 1/show(player 1)/shown#3", "9/player 1/show(player 1)/shown#0"):
        lie = replace(told[place], address=address)
        assert "the address of the draw" in found(
            [*told[:place], lie, *told[place + 1 :]], tmp_path
        )


# --- honest games of all kinds --------------------------------------------------------------------

moves = st.lists(
    st.tuples(
        st.sampled_from(["gamble", "fail", "go", "close", "take in", "leave out", "bet"]),
        st.sampled_from(["Ann", "Bob"]),
        st.integers(0, 99),
    ),
    min_size=3, max_size=12,
)  # fmt: skip


def make(game: GamblingGame, move: str, player: str, number: int) -> None:
    """Make one *move*; *number* chooses the event that a ruling is about."""
    requests = [x.number for x in game.entries if isinstance(x.body, e.SubmissionReceived)]
    if move == "close":
        close(game)
    elif move == "take in":
        after = min(25 + number, len(game.entries) - 1)
        rule_on(game, "replace", edits=(e.TakenIn(after, player, "gamble"),))
    elif move == "leave out" and requests:
        rule_on(game, "reject", about=requests[number % len(requests)])
    elif move == "bet":
        game.ask("order", player, f"money({player}) > {number + 400}", (e.Act(action="gamble"),))
    elif move == "fail":
        game.gamble(player, stake=900)
    elif move != "leave out":
        game.ask("submit", player, move, {})
    while game.world.waiting is not None:
        game.ask("answer", "money")


def rule_on(game: GamblingGame, kind: str, **fields: Any) -> None:
    """Make a ruling, unless an earlier one says the same."""
    with suppress(UsageError):
        game.ask("rule_on", kind, "So.", questions="skip", settle="money", **fields)


@pytest.mark.slow
@settings(max_examples=40)
@given(moves, st.sampled_from([(), ("gamble",)]), st.sampled_from(["seeded", "players"]))
def test_the_checks_raise_no_false_alarm(
    made: list[tuple[str, str, int]], secret: tuple[str, ...], kind: str
) -> None:
    game = GamblingGame(secret=secret, dice=kind)
    for move, player, number in made:
        make(game, move, player, number)
    close(game)
    bodies = [entry.body for entry in game.entries]
    assert list(_audit(bodies)) == []
    with TemporaryDirectory() as folder:
        assert found(bodies, Path(folder)) == "None"
    used: dict[str, set[str]] = {}
    refused = {x.attempt for x in bodies if isinstance(x, e.AttemptRefused)}
    for body in bodies:
        if isinstance(body, e.DrawRecorded) and body.answers.rpartition("|")[0] not in refused:
            used.setdefault(body.address, set()).add(body.answers)
    if not any(isinstance(x, e.AttemptRefused) and x.operation == SETTLE for x in bodies):
        assert all(len(questions) == 1 for questions in used.values())
