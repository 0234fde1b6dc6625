"""Dice with seeds of the players, from `init` to the check of the public export."""

import json
from pathlib import Path

import pytest

from cli.commands import ok, wrong
from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.player_seeds import commitment_to, mix

SEEDS = {"Ann": "a seed that only Ann knows", "Bob": "a seed that only Bob knows"}


@pytest.fixture
def game(tmp_path: Path) -> str:
    """Return a game of Ann and Bob whose dice take seeds of the players."""
    ledger = str(tmp_path / "g.db")
    ok("init", ledger, "--rulebook", "mail-opening", "--dice", "players")
    for name in SEEDS:
        ok("join", ledger, name, f"email={name}@example.org")
    return ledger


def commit(ledger: str, name: str, period: int, seed: str | None = None) -> str:
    words = ("dice", "commit", ledger, name, commitment_to(seed or SEEDS[name]))
    return ok(*words, "--period", str(period))


def roll(ledger: str, proposal: int) -> None:
    """Let Ann take a turn, for which she rolls."""
    ok("propose", ledger, "Ann", f"Proposal {proposal}.")
    ok("judge", ledger, str(proposal), "accepted")


@pytest.mark.slow
def test_revealed_seeds_change_the_dice_and_the_public_check_computes_them(
    game: str, tmp_path: Path
) -> None:
    for name in SEEDS:
        assert "commits to a seed for the dice of period 3" in commit(game, name, 3)
    ok("close", game)
    assert "reveals the seed" in ok("dice", "reveal", game, "Ann", SEEDS["Ann"])
    assert "reveals the seed" in ok("dice", "reveal", game, "Bob", SEEDS["Bob"])
    shown = ok("dice", "show", game)
    assert "period 3: revealed by Ann, Bob" in shown
    ok("close", game)
    roll(game, 1)
    ok("close", game)
    with Ledger.open(game) as ledger:
        name = ledger.games()[0]
        secret = ledger.secret(name)
        made = [x.body for x in ledger.read(name) if isinstance(x.body, e.DrawRecorded)]
    mixed = dice.mixed(dice.period_seed(secret, 3), mix(SEEDS.items()))
    assert made
    for draw in made:
        assert list(draw.values) == dice.roll(mixed, draw.address, draw.sides)
    ok("verify", game)
    ok("replay", game, "--period", "3")
    public = str(tmp_path / "public.jsonl")
    ok("export", game, public, "--public")
    ok("verify", public)


def test_who_withholds_a_seed_is_left_out_and_named(game: str) -> None:
    for name in SEEDS:
        commit(game, name, 3)
    ok("close", game)
    ok("dice", "reveal", game, "Bob", SEEDS["Bob"])
    ok("close", game)
    shown = ok("dice", "show", game)
    assert f"period 3: withheld by Ann; mixed: {mix([('Bob', SEEDS['Bob'])])}" in shown
    late = wrong("dice", "reveal", game, "Ann", SEEDS["Ann"], "--period", "3")
    assert "seeds of period 4 can now be revealed, not of period 3" in late
    roll(game, 1)
    ok("close", game)
    ok("verify", game)


def test_a_game_whose_players_reveal_nothing_has_the_dice_of_the_admin(game: str) -> None:
    ok("close", game)
    ok("close", game)
    roll(game, 1)
    ok("close", game)
    ok("verify", game)
    ok("replay", game)


def test_commitments_and_reveals_that_do_not_fit_are_refused(game: str) -> None:
    right = commitment_to(SEEDS["Ann"])
    assert "committed for periods 3 to" in wrong(
        "dice", "commit", game, "Ann", right, "--period", "2"
    )
    assert "SHA-256 in hexadecimal" in wrong("dice", "commit", game, "Ann", "12")
    assert "there is no player 'Zoe'" in wrong("dice", "commit", game, "Zoe", right)
    ok("dice", "commit", game, "Ann", right)
    assert "has committed to a seed" in wrong("dice", "commit", game, "Ann", right)
    assert "another player has made this" in wrong("dice", "commit", game, "Bob", right)
    commit(game, "Bob", 3, seed="short")
    assert "seeds of period 2 can now be revealed" in wrong(
        "dice", "reveal", game, "Ann", SEEDS["Ann"], "--period", "3"
    )
    ok("close", game)
    assert "does not fit the commitment" in wrong("dice", "reveal", game, "Ann", SEEDS["Bob"])
    assert "16 to 200 characters" in wrong("dice", "reveal", game, "Bob", "short")
    ok("dice", "reveal", game, "Ann", SEEDS["Ann"])
    assert "revealed the seed for period 3 already" in wrong(
        "dice", "reveal", game, "Ann", SEEDS["Ann"]
    )


def test_a_repeated_reveal_under_the_same_id_is_harmless(game: str) -> None:
    commit(game, "Ann", 3)
    ok("close", game)
    words = ("dice", "reveal", game, "Ann", SEEDS["Ann"], "--id", "r1")
    assert ok(*words) == ok(*words)


def test_other_games_take_no_seeds(tmp_path: Path) -> None:
    ledger = str(tmp_path / "g.db")
    ok("init", ledger, "--rulebook", "mail-opening")
    ok("join", ledger, "Ann", "email=a@example.org")
    assert "take no seeds of players" in wrong("dice", "commit", ledger, "Ann", "0" * 64)
    assert ok("dice", "show", ledger) == "the dice are drawn from seeds of the admin\n"


def test_a_seed_that_the_admin_chose_is_marked(game: str) -> None:
    made = json.loads(ok("dice", "seed", "--json"))
    assert commitment_to(made["seed"]) == made["commitment"]
    text = ok("dice", "commit", game, "Ann", made["commitment"], "--by-admin")
    assert "chosen by the admin" in text


@pytest.mark.slow
def test_no_id_of_a_request_changes_the_dice(tmp_path: Path) -> None:
    """The admin copies the ledger, and tries ids until the dice please."""
    ledger = str(tmp_path / "g.db")
    ok("init", ledger, "--rulebook", "mail-opening")
    ok("join", ledger, "Ann", "email=ann@example.org")
    ok("propose", ledger, "Ann", "A proposal.")
    fallen = set()
    for number in range(6):
        copy = str(tmp_path / f"{number}.db")
        ok("copy", ledger, copy)
        ok("judge", copy, "1", "accepted", "--id", f"try {number}")
        with Ledger.open(copy) as opened:
            made = [x.body for x in opened.read("mail-opening")]
        fallen.add(tuple(x.values for x in made if isinstance(x, e.DrawRecorded)))
    assert len(fallen) == 1
    assert all(fallen)


@pytest.mark.slow
def test_status_says_whose_seeds_are_due_and_with_which_command(game: str) -> None:
    opened = ok("status", game)
    commits = "seeds to commit before period 1 closes, for the dice of period 3"
    assert f"{commits}: Ann, Bob (nomoledger dice commit {game} PLAYER COMMITMENT)" in opened
    assert "nothing is open" not in opened
    commit(game, "Ann", 3)
    assert f"{commits}: Bob (nomoledger dice commit {game} Bob COMMITMENT)" in ok("status", game)
    assert "seeds to" not in ok("status", game, "--as", "Ann")
    assert "PLAYER COMMITMENT" not in ok("status", game, "--as", "Bob")
    commit(game, "Bob", 3)
    assert "seeds to" not in ok("status", game)
    ok("close", game)
    shown = ok("status", game, "--admin")
    reveals = "seeds to reveal before period 2 closes, for the dice of period 3"
    assert f"{reveals}: Ann, Bob (nomoledger dice reveal {game} PLAYER SEED)" in shown
    assert "seeds to commit before period 2 closes, for the dice of period 4: Ann, Bob" in shown
    ok("dice", "reveal", game, "Bob", SEEDS["Bob"])
    (reveal, *_) = json.loads(ok("status", game, "--json"))["seeds"]
    assert reveal == {
        "act": "reveal",
        "period": 3,
        "players": ["Ann"],
        "command": f"nomoledger dice reveal {game} Ann SEED",
    }


def test_status_of_other_games_and_of_crowds_is_short(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = str(tmp_path / "other.db")
    ok("init", other, "--rulebook", "mail-opening")
    ok("join", other, "Ann", "email=a@example.org")
    assert "seeds" not in ok("status", other)
    monkeypatch.setattr("nomoledger.cli.status._NAMED_MAX", 1)
    assert ": Ann and 1 more (nomoledger" in ok("status", game)
