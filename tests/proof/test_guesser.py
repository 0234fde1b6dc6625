"""The guesser compares everything public of games that differ only in secret moves."""

import io
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rulings.game import SECRET, RuledGame
from rulings.players import Move, Player
from rulings.rules import RULES
from rulings.test_properties import PLAY, some, tried

from nomoledger import events as e
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView, projection
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_export import export_public
from nomoledger.proof.sealer import Sealer
from nomoledger.rulebook.loading import load
from nomoledger.views.journals import FORMATS, export_journal
from nomoledger.views.site import render_site

from .plots import NOON, PLAIN, played

#: What nobody can tell from random bytes without the secret: all hashes over what is sealed.
VEILED = ("head", "whole", "rollup", "envelopes", "previous", "signature")


def seen(ledger: Ledger, game: str) -> dict[str, Any]:
    """Return everything published of *game*, with only the lengths of hashes over secrets."""
    file = io.BytesIO()
    export_public(ledger, game, file)
    found: dict[str, Any] = {"export": list(map(_veiled, file.getvalue().splitlines()))}
    found |= render_site(ledger, game)
    for name in ("log", "history", "rulings", "proposals", "disputes"):
        model = projection(name)(LedgerView(ledger, game))
        found[name] = msgspec.json.encode(model, enc_hook=str)
    return found


def _veiled(line: bytes) -> Any:
    fields = msgspec.json.decode(line)
    if fields.get("nomoledger") != "seal/1":
        return line
    for name in VEILED:
        fields[name] = re.sub("[0-9a-f]", "x", msgspec.json.encode(fields[name]).decode())
    return fields


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def test_a_secret_act_leaves_no_trace_in_anything_public(tmp_path: Path) -> None:
    found = []
    for plotting in (True, False):
        file = played(tmp_path / f"{plotting}.db", with_secrets=plotting)
        with Ledger.open(file) as ledger:
            found.append((len(list(ledger.read("plots"))), seen(ledger, "plots")))
    assert found[0][0] > found[1][0]
    assert differing(found[0][1], found[1][1]) == []


def test_a_secret_act_leaves_no_trace_in_journals(tmp_path: Path) -> None:
    written = []
    for plotting in (True, False):
        file = played(tmp_path / f"{plotting}.db", with_secrets=plotting)
        with Ledger.open(file) as ledger:
            written.append([_journal(ledger, name) for name in FORMATS])
    assert written[0] == written[1]


def _journal(ledger: Ledger, name: str) -> bytes:
    file = io.BytesIO()
    export_journal(ledger, file, "plots", name, is_public=True)
    return file.getvalue()


def test_a_player_with_secrets_sees_no_trace_of_those_of_others(tmp_path: Path) -> None:
    """Ann's own view has consecutive numbers, whatever Bob does in secret."""
    logs = []
    for moves in (PLAIN, [each for each in PLAIN if each[1][:2] != ["Bob", "plot"]]):
        file = tmp_path / f"{len(moves)}.db"
        at_fixed = [(*each[:2], 60) for each in moves]  # ids and times are told apart below
        played(file, at_fixed)
        with Ledger.open(file) as ledger:
            entries = list(LedgerView(ledger, "plots", reader="Ann").entries())
        logs.append([(x.number, type(x.body), x.body.cause) for x in entries])
    assert logs[0] == logs[1]


# --- random games ---------------------------------------------------------------------------------


class Guesser(Player):
    """Plays and rules on public events; the clock moves the same with or without plots."""

    plots = True

    def plot(self, one: int, other: int) -> None:
        if self.plots:
            super().plot(one, other)
        else:
            self.game.at += timedelta(minutes=1)
            self.game.count += 1

    def ruling(self, one: int, other: int) -> None:
        rolled = [
            x for x in self.game.entries if isinstance(x.body, e.DrawRecorded | e.DrawEntered)
        ]
        rolled = [x for x in rolled if x.body.audience is None]
        if rolled:
            chosen = rolled[one % len(rolled)]
            self.rule_on(
                e.Replaced(chosen.number, [1 + other % 4, 1 + other % 3][: _width(chosen)])
            )


def _width(entry: e.Entry) -> int:
    assert isinstance(entry.body, e.DrawRecorded | e.DrawEntered)
    return len(entry.body.values)


def lines(game: RuledGame) -> list[bytes]:
    """Return the lines of the public chain of *game*."""
    sealer, found = Sealer("g", SECRET), []
    for entry in game.entries:
        found += [line.event for line in sealer.take(entry.number, entry.body)]
        if isinstance(entry.body, e.PeriodClosed):
            found.append(sealer.seal(b"").state.encode())
    return found


def guessed(dice: str, moves: Sequence[Move], plots: bool) -> list[bytes]:
    game = RuledGame(RULES, dice)
    guesser = Guesser(game)
    guesser.plots = plots
    guesser.play([("join", 0, 0), ("join", 1, 0), ("join", 2, 0), *moves])
    return lines(game)


@pytest.mark.slow
@tried(60)
@given(st.sampled_from(["seeded", "entered"]), some([*PLAY, "plot", "plot"], 4, 16))
def test_no_random_game_shows_whether_anybody_plotted(dice: str, moves: list[Move]) -> None:
    assert guessed(dice, moves, True) == guessed(dice, moves, False)


@tried(40)
@given(some([*PLAY, "plot"], 4, 12), some(["ruling", "plot", "go", "close"], 2, 4))
def test_no_random_game_with_rulings_shows_whether_anybody_plotted(
    moves: list[Move], later: list[Move]
) -> None:
    moves = [*moves, *later]
    assert guessed("seeded", moves, True) == guessed("seeded", moves, False)


# --- shipped rulebooks ----------------------------------------------------------------------------


def of_rulebook(
    file: Path, name: str, given_state: dict[str, Any], play: Callable[[Game], None]
) -> dict[str, Any]:
    with Ledger.open(file, create=True) as ledger:
        desk = open_game(
            ledger, "g", load(name), at=NOON, recorded_at=NOON, secret=SECRET, given=given_state
        )
        desk.clock = lambda: NOON
        play(desk)
        return seen(ledger, "g")


@pytest.mark.slow
def test_a_secret_time_bomb_leaves_no_trace(tmp_path: Path) -> None:
    def play(desk: Game, plants: bool) -> None:
        if plants:
            desk.submit("Ann", "plant_bomb", at=NOON + timedelta(hours=1), id="hush")
        desk.propose("Bob", "More.", (), at=NOON + timedelta(hours=2), id="more")
        desk.advance(at=NOON + timedelta(hours=30), id="on")

    players = {"Ann": {"square": 2, "money": 1000, "items": {"time bomb": 2}}, "Bob": {"square": 3}}
    one, other = (
        of_rulebook(
            tmp_path / f"{plants}.db",
            "weekly-vote",
            {"players": players},
            lambda desk, plants=plants: play(desk, plants),  # type: ignore[misc]
        )
        for plants in (True, False)
    )
    assert differing(one, other) == []


@pytest.mark.slow
def test_nobody_sees_who_voted_how(tmp_path: Path) -> None:
    def play(desk: Game, choices: tuple[str, str]) -> None:
        desk.propose("Ann", "More.", (), at=NOON + timedelta(hours=1), id="more")
        for hours, (player, choice) in enumerate(zip(("Ann", "Bob"), choices, strict=True), 2):
            desk.vote(player, 1, choice, at=NOON + timedelta(hours=hours), id=player)
        desk.advance(at=NOON + timedelta(days=10), id="on")

    one, other = (
        of_rulebook(
            tmp_path / f"{choices[0]}.db",
            "nomopoly-iii",
            {"players": {"Ann": {}, "Bob": {}}},
            lambda desk, choices=choices: play(desk, choices),  # type: ignore[misc]
        )
        for choices in (("yes", "no"), ("no", "yes"))
    )
    assert differing(one, other) == []
