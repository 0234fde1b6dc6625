"""A public export is replayed: effects that the rules do not have are found from it alone."""

import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.game.export_replay import ExportReplay, replay_export
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_check import check_export
from nomoledger.proof.public_export import export_public
from proof.modified_writer import publish

EARLIER = Path(__file__).parents[1] / "golden" / "level-2" / "mail-opening.sqlite.xz"
Lie = Callable[[list[e.Event]], list[e.Event]]


def simulated(rulebook: str, folder: Path) -> list[e.Event]:
    """Two periods that bots play under *rulebook*."""
    words = ["simulate", str(folder / "g.db"), "--rulebook", rulebook]
    numbers = {"players": 3, "periods": 2, "requests": 10, "seed": 8}
    options = [word for name, n in numbers.items() for word in (f"--{name}", str(n))]
    result = CliRunner().invoke(program, [*words, *options])
    assert result.exit_code == 0, result.output
    with Ledger.open(folder / "g.db") as ledger:
        return [entry.body for entry in ledger.read(ledger.games()[0])]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> list[e.Event]:
    return simulated("origon", tmp_path_factory.mktemp("honest"))


def with_other(kind: type[e.Event], change: Callable[[e.Event], e.Event]) -> Lie:
    """Return the lie that the last event of *kind* is another one."""

    def lie(bodies: list[e.Event]) -> list[e.Event]:
        place = max(place for place, body in enumerate(bodies) if isinstance(body, kind))
        return [*bodies[:place], change(bodies[place]), *bodies[place + 1 :]]

    return lie


def twice(event: e.Event) -> e.Event:
    assert isinstance(event, e.Posted)
    postings = tuple(replace(each, amount=2 * each.amount) for each in event.postings)
    return replace(event, postings=postings)


LIES: dict[str, Lie] = {
    "a payment of twice as much": with_other(e.Posted, twice),
    "a payment by another rule": with_other(e.Posted, lambda x: replace(x, rules=("I.1@1",))),
    "a refusal for another reason": with_other(
        e.AttemptRefused, lambda x: replace(x, reasons=(e.Reason("I.1", "I say so"),))
    ),
}


def replay(bodies: list[e.Event], folder: Path) -> ExportReplay:
    replayed = replay_export(publish(bodies, folder / "public.jsonl"))
    assert replayed is not None
    return replayed


def test_an_honest_game_follows_from_its_rules(honest: list[e.Event], tmp_path: Path) -> None:
    replayed = replay(honest, tmp_path)
    assert (replayed.ok, replayed.beyond, replayed.apart) == (True, None, 0)
    given = e.Input | e.RuleEnacted | e.CasesCopied
    assert replayed.followed >= sum(not isinstance(body, given) for body in honest)


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_an_effect_that_the_rules_do_not_have_is_found(
    honest: list[e.Event], lie: Lie, tmp_path: Path
) -> None:
    file = publish(lie(honest), tmp_path / "public.jsonl")
    assert check_export(file).ok, "the chain, the seals and the dice alone do not show it"
    result = CliRunner().invoke(program, ["verify", str(file)])
    assert result.exit_code == 1
    assert "do not follow from the rules" in result.stdout
    data = json.loads(CliRunner().invoke(program, ["verify", str(file), "--json"]).stdout)
    assert data["ok"] is False
    assert data["replay"]["beyond"]["events"] > 0


def test_a_request_without_its_effects_is_found(honest: list[e.Event], tmp_path: Path) -> None:
    assert not replay([x for x in honest if not isinstance(x, e.Posted)], tmp_path).ok


@pytest.mark.slow
@pytest.mark.slow_with("nomopoly-iii")
@pytest.mark.parametrize("rulebook", ["weekly-vote", "nomopoly-iii"])
def test_what_may_follow_from_secrets_is_no_lie(rulebook: str, tmp_path: Path) -> None:
    replayed = replay(simulated(rulebook, tmp_path), tmp_path)
    assert (replayed.ok, replayed.has_secrets) == (True, True)


def test_a_game_of_an_earlier_level_is_not_replayed(tmp_path: Path) -> None:
    file = tmp_path / "g.db"
    file.write_bytes(lzma.decompress(EARLIER.read_bytes()))
    with Ledger.open(file) as ledger, open(tmp_path / "public.jsonl", "wb") as target:
        export_public(ledger, ledger.games()[0], target)
    assert replay_export(tmp_path / "public.jsonl") is None
    result = CliRunner().invoke(program, ["verify", str(tmp_path / "public.jsonl")])
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)
