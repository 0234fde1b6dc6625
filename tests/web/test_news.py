"""Whoever follows a game hears at once what another program records, and goes on after losses."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
from postgres_server import PostgresServer

import nomoledger
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.news import mark_of
from nomoledger.web import watcher
from nomoledger.web.watcher import Watcher
from web.opened_game import BEGIN

Follow = Callable[[Watcher, AsyncIterator[int]], Awaitable[None]]


@pytest.fixture
def game(postgres_url: str) -> Iterator[Game]:
    """A game in a database, as another program has it open."""
    with nomoledger.open(postgres_url, create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=BEGIN)
        game.join("Ann", {"email": "ann@example.org"}, at=BEGIN)
        yield game


def run(location: str, follow: Follow) -> None:
    """Run *follow* with a watcher of the ledger at *location*, and the heads of its game."""

    async def main() -> None:
        with Ledger.open(location) as ledger:

            def head(game: str) -> int:
                return ledger.head(game).number

            watching = Watcher(head, head, ledger.news)
            try:
                heads = watching.heads("mail", is_public=False)
                await asyncio.wait_for(follow(watching, heads), 30)
            finally:
                watching.close()

    asyncio.run(main())


async def wait_until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def join(game: Game, name: str) -> int:
    game.join(name, {"email": f"{name}@example.org"}, at=BEGIN)
    return game.world.head


def test_what_another_program_appends_is_heard_at_once(
    game: Game, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who only looks would take an hour.
    monkeypatch.setattr(watcher, "POLL_SECONDS", 3600)
    monkeypatch.setattr(watcher, "LOOK_SECONDS", 3600)

    async def follow(watching: Watcher, heads: AsyncIterator[int]) -> None:
        assert await anext(heads) == game.world.head
        await wait_until(lambda: watching._listener.hears)
        for name in ("Bob", "Cem"):
            number = await asyncio.to_thread(join, game, name)
            recorded = time.monotonic()
            assert await anext(heads) == number
            assert time.monotonic() - recorded < 0.5

    run(postgres_url, follow)


@pytest.mark.slow
def test_a_listener_that_is_cut_off_goes_on_and_misses_nothing(
    game: Game, postgres_url: str, postgres_server: PostgresServer
) -> None:
    async def follow(watching: Watcher, heads: AsyncIterator[int]) -> None:
        await anext(heads)
        await wait_until(lambda: watching._listener.hears)
        await asyncio.to_thread(postgres_server.drop_connections)
        number = await asyncio.to_thread(join, game, "Bob")
        assert await anext(heads) == number
        await wait_until(lambda: watching._listener.hears)
        number = await asyncio.to_thread(join, game, "Cem")
        recorded = time.monotonic()
        assert await anext(heads) == number
        assert time.monotonic() - recorded < 0.5

    run(postgres_url, follow)


def test_games_that_cannot_be_heard_are_looked_at(game: Game, postgres_url: str) -> None:
    async def follow(watching: Watcher, heads: AsyncIterator[int]) -> None:
        watching._listener._news = lambda: None
        await anext(heads)
        number = await asyncio.to_thread(join, game, "Bob")
        assert await anext(heads) == number
        assert not watching._listener.hears

    run(postgres_url, follow)


@pytest.mark.slow
def test_silence_is_noticed_though_the_connection_seems_to_be_there(
    game: Game, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nomoledger.web.listener.LOOK_SECONDS", 0.6)

    async def follow(watching: Watcher, heads: AsyncIterator[int]) -> None:
        await anext(heads)
        await wait_until(lambda: watching._listener.hears)
        # As behind a pool of connections that passes no news on.
        monkeypatch.setattr("nomoledger.ledger.stores.postgres_news.NOTIFY", "SELECT {}")
        await wait_until(lambda: not watching._listener.hears)

    run(postgres_url, follow)


def test_an_append_announces_its_game_after_it_is_recorded(game: Game, postgres_url: str) -> None:
    with Ledger.open(postgres_url) as ledger:
        news = ledger.news()
        assert news is not None
        number = join(game, "Bob")
        assert mark_of("mail") in news.wait(5)
        assert ledger.head("mail").number == number
        news.close()


def test_a_file_tells_no_news(ledger_file: str) -> None:
    with Ledger.open(ledger_file) as ledger:
        assert ledger.news() is None


def test_many_who_follow_a_game_are_told_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watcher, "POLL_SECONDS", 0.05)
    last, heard = [1], list[float]()
    watching = Watcher(lambda _: last[0], lambda _: last[0])

    async def follow() -> None:
        async for head in watching.heads("mail", is_public=True):
            if head == 2:
                heard.append(time.monotonic())
                return

    async def main() -> None:
        followers = [asyncio.create_task(follow()) for _ in range(60)]
        await asyncio.sleep(0.5)
        last[0] = 2
        await asyncio.wait_for(asyncio.gather(*followers), 30)

    asyncio.run(main())
    assert len(heard) == 60
    assert max(heard) - min(heard) > 0.1
