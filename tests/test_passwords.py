"""Passwords appear in no message, whatever characters they hold and wherever they stand."""

import re
import traceback
from collections.abc import Callable
from contextlib import closing
from functools import partial

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from tiers import examples

from nomoledger.cli import program
from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.game.game_ledger import open_ledger
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.location import is_readable, path_of, safe_location, safe_message
from nomoledger.ledger.stores.postgres import PostgresStore
from nomoledger.ledger.stores.postgres_link import address_of
from nomoledger.views.sql.databases import open_views

#: The middle of every password here; nothing may show it.
MARK = "geheim"
#: The places of a password in what a user may give as a location.
PLACES: tuple[str, ...] = (
    "postgresql://ann:{}@127.0.0.1:1/games",
    "postgres://ann:{}@127.0.0.1:1/games?sslmode=disable",
    "postgresql://ann:{}@127.0.0.1:1",
    "postgresql://127.0.0.1:1/games?user=ann&password={}",
    "postgresql://127.0.0.1:1/games?password={}&user=ann",
    "postgresql://127.0.0.1:1/games?pass%77ord={}",
    "postgresql://127.0.0.1:1/games?sslpassword={}&sslmode=disable",
    "postgresql://?password={}",
    "postgresql://ann:{}@[::1]:1,127.0.0.1:1/games",
    "POSTGRESQL://ann:{}@127.0.0.1/games",
    "mysql://ann:{}@127.0.0.1/games",
    "postgresql:ann:{}@127.0.0.1/games",
    "ann:{}@127.0.0.1/games",
    "host=127.0.0.1 port=1 user=ann password={}",
    "host=127.0.0.1 password='{}' user=ann",
    "sqlite://ann:{}@games.db",
)
RISKY = st.sampled_from(list("#?/ %@:&=+'\"\\;,()[]{}<>\t\n*$|~^`!.-0159azäß\u202e\U0001f511"))
RISKY_PARTS = st.one_of(RISKY, st.sampled_from(["%40", "%zz", "://", "?user=a", "&host=b", "5/"]))
PASSWORDS = st.builds(
    lambda before, after: f"{''.join(before)}{MARK}{''.join(after)}",
    st.lists(RISKY_PARTS, max_size=4),
    st.lists(RISKY_PARTS, max_size=4),
)


def said(act: Callable[[], object]) -> str:
    """Return the traceback of the error of *act*, without the lines of source in it."""
    with pytest.raises((NomoledgerError, OSError)) as error:
        act()
    parts: traceback.TracebackException | None
    parts = traceback.TracebackException.from_exception(error.value)
    texts: list[str] = []
    while parts is not None:
        texts += parts.format_exception_only()
        parts = parts.__cause__ or (None if parts.__suppress_context__ else parts.__context__)
    return "".join(texts)


@examples(80, 3000)
@given(st.sampled_from(PLACES), PASSWORDS)
@example(PLACES[0], "5/geheim")
@example(PLACES[0], "5/geheim?password=x")
@example(PLACES[0], "x@geheim")
@example(PLACES[3], "a&host=geheim")
@example(PLACES[7], "a@geheim")
def test_no_location_shows_its_password(place: str, password: str) -> None:
    location = place.format(password)
    safe = safe_location(location)
    assert MARK not in safe
    assert safe_location(safe) == safe
    assert is_readable(location) or "***" in safe
    for message in (f"cannot open {location}: try again", f"no {location!r} ({location})"):
        assert MARK not in safe_message(message, [location])
    if not is_readable(location):
        refuse = address_of if location.startswith("postgres") and "//" in location else path_of
        with pytest.raises(UsageError) as error:
            refuse(location)
        assert MARK not in str(error.value)


@examples(80, 3000)
@given(st.sampled_from(PLACES[:9]), st.text(st.characters(codec="utf-8"), max_size=8))
def test_no_message_shows_a_password_even_if_nobody_knows_where_it_ends(
    place: str, end: str
) -> None:
    for password in (f"{MARK}{end}", f"5{end}{MARK}", f"{MARK} {MARK}"):
        assert MARK not in safe_message(f"no {place.format(password)}: try again")


def test_what_is_no_secret_stays_readable() -> None:
    for location in (
        "games.db",
        "sqlite:////tmp/games.db",
        "notes@home/games.db",
        "postgresql://db/games",
        "postgresql://ann@db.example.org:5433,other/games?sslmode=require&connect_timeout=9",
        "postgresql:///games?host=/run/postgresql",
    ):
        assert safe_location(location) == location
        message = f"no game 'g' in {location}: list the games"
        assert safe_message(message, [location]) == message
    url = "postgresql://ann:p%40s%2Fs@db/games"
    assert address_of(url)["password"] == "p@s/s"
    assert safe_location(url) == "postgresql://ann:***@db/games"
    assert address_of("postgresql://ann:p#?s@db/games")["password"] == "p#?s"


PASSWORDS_OF_COMMANDS = ("ge#geheim", "ge?geheim", "5/geheim", "p geheim", "%geheim", "@geheim")


@pytest.mark.parametrize("place", PLACES)
def test_no_command_shows_a_password(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", f"{MARK}-of-the-environment")
    for password in PASSWORDS_OF_COMMANDS:
        location = place.format(password)
        for words in (
            ["status", location],
            ["status", "missing.db", location],
            ["copy", "missing.db", location],
            ["project", "missing.db", f"--into={location}"],
            ["publish", location, location],
            ["join", location, "Ann", "--at", location],
        ):
            done = CliRunner().invoke(program, words)
            assert done.exit_code == 2, done.output
            assert MARK not in done.output, (words, done.output)
            assert done.output.count("\n") == 1
        shown = CliRunner().invoke(program, ["status", "x"], env={"NOMOLEDGER_LEDGER": location})
        assert MARK not in shown.output, shown.output


@pytest.mark.parametrize("place", PLACES)
def test_no_error_of_the_library_shows_a_password(place: str) -> None:
    for password in PASSWORDS_OF_COMMANDS:
        location = place.format(password)
        assert MARK not in said(partial(open_ledger, location))
        assert MARK not in said(partial(open_ledger, location, create=True))
        assert MARK not in said(partial(open_views, location, True))


@pytest.mark.parametrize(
    "location",
    [
        "postgresql://ann:geheim@127.0.0.1:1/games",
        "postgresql://127.0.0.1:1/games?user=ann&password=geheim",
        "postgresql://ann:ge@heim@127.0.0.1:1/games",
        "postgresql://ann:geheim@127.0.0.1:port/games",
        "postgresql://ann:geheim%zz@127.0.0.1/games",
        "postgres://ann:geheim@127.0.0.1:1/games?frobnicate=1",
        "mysql://ann:geheim@127.0.0.1/games",
    ],
)
def test_a_password_is_never_shown(location: str) -> None:
    with pytest.raises(NomoledgerError) as refusal:
        Ledger.open(location)
    told = "".join(traceback.format_exception(refusal.value, chain=True))
    assert "***" in str(refusal.value)
    for line in told.splitlines():
        assert "geheim" not in line or line.strip().startswith(("location", "Ledger.open")), line
        assert "heim@" not in line, line


def test_a_location_shows_no_password(postgres_url: str) -> None:
    url = re.sub("postgres@", "postgres:geheim@", postgres_url)
    with closing(PostgresStore(url, create=True)) as store:
        assert "postgres:***@" in store.location
