"""What is published depends on public events only: pairs of ledgers that differ in sealed ones."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from nomoledger.cli import program

from .pairs import PUBLIC, SEALED, PairedGame, Public, Sealed, differing, published

NUMBERS = st.integers(0, 11)
PUBLIC_MOVES = st.lists(
    st.builds(Public, st.sampled_from(PUBLIC), NUMBERS, NUMBERS), min_size=2, max_size=9
)
SEALED_MOVES = st.lists(
    st.builds(Sealed, st.integers(-1, 8), st.integers(0, 20), st.sampled_from(SEALED), NUMBERS),
    max_size=8,
)
#: A game in which much happens, and sealed requests of every kind for it.
GAME = [
    Public(kind, one, other)
    for kind, one, other in (
        ("go", 0, 0), ("choose", 1, 0), ("answer", 1, 0), ("propose", 0, 0), ("dispute", 0, 0),
        ("what_if", 0, 0), ("close", 0, 0), ("dispute", 1, 1), ("go", 2, 1), ("ruling", 0, 0),
        ("judge", 0, 0), ("argue", 0, 0), ("uphold", 0, 3), ("go", 1, 1), ("rule", 5, 0),
    )
]  # fmt: skip
SECRETS = [
    Sealed(place, 3 + place, kind, place)
    for place, kind in enumerate((*SEALED, *SEALED), -1)
    if place < len(GAME)
]


def published_of(public: list[Public], sealed: list[Sealed]) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        game = PairedGame(Path(folder) / "pair.db")
        with game.ledger:
            game.play(public, sealed)
            return published(game, Path(folder))


@pytest.mark.slow
@examples(2, 300)
@given(PUBLIC_MOVES, SEALED_MOVES, SEALED_MOVES)
def test_what_is_published_depends_on_public_events_only(
    public: list[Public], one: list[Sealed], other: list[Sealed]
) -> None:
    assert differing(published_of(public, one), published_of(public, other)) == []


@pytest.mark.slow
def test_secrets_of_every_kind_leave_no_trace() -> None:
    none, many = published_of(GAME, []), published_of(GAME, SECRETS)
    assert none["said"] == len(none["said"]) * [""]
    assert differing(none, many) == []


@pytest.mark.parametrize("kind", ["dispute", "ruling"])
def test_a_timer_that_a_secret_request_fires_comes_when_it_would_come_without(kind: str) -> None:
    """A dispute does not wait for it, and an urgent ruling is carried out before it."""
    game = [Public("go", 0, 0), Public("go", 1, 0), Public("advance", 0, 0), Public("go", 2, 0)]
    game = [*game, Public("advance", 0, 0), Public(kind, 0, 0)]
    after_the_timer = [Sealed(3, 8, "bid", 1), Sealed(4, 8, "bid", 2), Sealed(2, 8, "bid", 3)]
    assert differing(published_of(game, []), published_of(game, after_the_timer)) == []


@pytest.mark.slow
def test_public_commands_print_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = []
    for name, sealed in (("none", []), ("many", SECRETS)):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        game = PairedGame(Path("pair.db"))
        with game.ledger:
            game.play(GAME, sealed)
        commands = (
            "log", "log --json", "history", "history --json", "rulings",
            "players", "players --json",
            "dispute list", "dispute show 1", "project --public", "publish site",
            "export public.jsonl --public", "verify public.jsonl",
        )  # fmt: skip
        said = {}
        for command in commands:
            verb, *words = command.split()
            words = [verb, words[0], *words[1:]] if verb == "dispute" else [verb, *words]
            if verb != "verify":
                words.insert(2 if verb == "dispute" else 1, "pair.db")
            done = CliRunner().invoke(program, words)
            assert done.exit_code == 0, done.output
            said[command] = done.output
        printed.append(said)
    assert differing(*printed) == []
