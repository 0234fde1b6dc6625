"""E-mail addresses that somebody gives are for the admin only."""

import re
from pathlib import Path

import pytest
from cli.commands import data, ok, run, wrong

from nomoledger import events as e
from nomoledger.events.levels import LEVELS
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.addresses import Addresses
from nomoledger.proof.checkpoint import checkpoint_version, resume_sealer
from nomoledger.rulebook.loading import load

from .plots import NOON

AT = ("--at", "2026-01-05T12:00:00")


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    ok("init", "g.db", "--rulebook", "mail-opening", "--set", "squares=9", *AT)
    ok("join", "g.db", "Ann", "email=ann@x.org", *AT)
    assert run("join", "g.db", "Bob", "email=ANN@x.org", *AT).exit_code == 1
    ok("join", "g.db", "Bob", "email=bob.b+1@mail.x.org", *AT)
    ok("propose", "g.db", "Ann", "Write to ann@x.org, or to office@y.org (not V.1@1)", *AT)
    ok("close", "g.db", *AT)
    return "g.db"


def addresses_in(text: str) -> list[str]:
    return [word for word in ("ann@x.org", "ANN@x.org", "bob.b+1@mail.x.org") if word in text]


def test_a_public_export_has_a_stand_in_for_each_address(game: str) -> None:
    ok("export", game, "all.jsonl", "--public")
    text = Path("all.jsonl").read_text()
    assert addresses_in(text) == []
    given = re.findall(r'"details":{"email":"([^"]*)"}', text)
    assert given == [f"address-{n}@withheld.invalid" for n in (1, 1, 2)]
    assert "another player has the address address-1@withheld.invalid" in text
    assert "Write to address-1@withheld.invalid, or to office@y.org (not V.1@1)" in text


def test_a_public_export_without_addresses_still_follows_from_the_rules(game: str) -> None:
    ok("export", game, "all.jsonl", "--public")
    assert "events follow from the rules" in ok("verify", "all.jsonl")
    ok("seal", game, "--period", "1", "-o", "one.seal")
    assert "periods as sealed: 1" in ok("verify", game, "--seal", "one.seal")
    assert "periods as sealed: 1" in ok("verify", "all.jsonl")


@pytest.mark.parametrize("reader", [(), ("--as", "Ann")])
def test_log_and_state_show_addresses_to_the_admin_only(game: str, reader: tuple[str, ...]) -> None:
    for command in ("log", "state"):
        assert addresses_in(ok_out(command, game, *reader, "--json")) == []
        assert addresses_in(ok_out(command, game, *reader)) == []
        assert addresses_in(ok_out(command, game, "--admin", "--json"))[:1] == ["ann@x.org"]
    done = run("state", game, *reader)
    assert done.stderr == "(left out: 2 addresses; --admin shows everything)\n"
    assert run("state", game, "--admin").stderr == ""


def ok_out(*words: str) -> str:
    done = run(*words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
def test_the_site_and_public_tables_show_no_address(game: str) -> None:
    ok("publish", game, "site")
    ok("project", game, "--public", "--into", "public.db")
    files = [*Path("site").rglob("*.*"), Path("public.db")]
    for file in files:
        assert addresses_in(file.read_bytes().decode("latin-1")) == [], file


def test_the_admin_plays_and_explains_with_the_real_addresses(game: str) -> None:
    assert data("state", game, "--admin")["players"]["Ann"]["email"] == "ann@x.org"
    assert "nothing differs" in ok("replay", game, "--period", "1")
    assert (
        "another player has the address Ann@X.org"
        in run("join", game, "Zoe", "email=Ann@X.org", *AT).output
    )
    assert "no such option" in wrong("log", game, "--addresses")


@pytest.mark.parametrize("level", [3, 4])
def test_games_up_to_level_3_keep_their_public_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: int
) -> None:
    assert LEVELS[level].withholds_addresses == (level >= 4)
    monkeypatch.setattr("nomoledger.game.start.NEWEST", level)
    with Ledger.open(tmp_path / "g.db", create=True) as ledger:
        game = open_game(ledger, "g", load("mail-opening"), at=NOON)
        game.join("Ann", {"email": "ann@x.org"}, at=NOON)
        assert game.world.level == level
    file = str(tmp_path / "all.jsonl")
    ok("export", str(tmp_path / "g.db"), file, "--public")
    assert ("ann@x.org" in Path(file).read_text()) == (level < 4)
    assert "ann@x.org" not in ok("log", str(tmp_path / "g.db"), "--json")


def joined(**details: str) -> e.JoinRequested:
    return e.JoinRequested(
        period=1, received_at=NOON, recorded_at=NOON, id="j", name="Zoe", details=details
    )


def test_only_addresses_that_were_given_are_withheld() -> None:
    addresses = Addresses()
    addresses.learn(joined(email="zoe@x.org", motto="write to a@b.org", rule="V.1@1", no="a@b"))
    text = "zoe@x.org Zoe@X.ORG, <zoe@x.org>; xzoe@x.org zoe@x.org.au a@b.org V.1@1 a@b @x.org"
    assert addresses.without(text) == (
        "address-1@withheld.invalid address-1@withheld.invalid, <address-1@withheld.invalid>;"
        " xzoe@x.org zoe@x.org.au a@b.org V.1@1 a@b @x.org"
    )
    assert addresses.without("@" * 10_000) == "@" * 10_000


def test_rules_are_published_as_they_are_written() -> None:
    addresses = Addresses()
    addresses.learn(joined(email="zoe@x.org"))
    enacted = e.RuleEnacted(
        period=1, received_at=NOON, recorded_at=NOON, source="rulebook",
        rule=load("mail-opening").rules[0],
    )  # fmt: skip
    assert addresses.withheld(enacted) is enacted


def test_seals_of_later_periods_know_the_addresses_given_before(game: str) -> None:
    ok("join", game, "Cleo", "email=cleo@x.org", *AT)
    ok("propose", game, "Ann", "Write to ann@x.org and to cleo@x.org", *AT)
    for _ in range(2):
        ok("close", game, *AT)
    ok("verify", game)


def test_a_resumed_sealer_has_the_level_and_the_addresses_of_the_game(game: str) -> None:
    ok("join", game, "Cleo", "email=cleo@x.org", *AT)
    ok("close", game, *AT)
    with Ledger.open(game) as ledger:
        version = checkpoint_version()
        place = ledger.store.snapshots("mail-opening", version, period=2)[-1]
        terms = resume_sealer(ledger, "mail-opening", place).stream.terms
    assert terms.level is LEVELS[4]
    assert terms.addresses.given == ("ann@x.org", "bob.b+1@mail.x.org", "cleo@x.org")
