"""Pages under load: `python benchmarks/serving.py [SECONDS] [STREAMS] [RATE] [RULEBOOK]`.

A season of eight players is served. So many streams of news are open, and so many requests a
second come at times that are fixed beforehand. A request counts from when it was due, whether the
requests before it were answered or not. Every few seconds, a player proposes something, so that the
game goes on. Then the same load comes to a bare page of the same framework, which has as many open
streams.
"""

import asyncio
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from nomoledger.game.simulation.season import Plan, simulate
from nomoledger.ledger.ledger import Ledger
from nomoledger.people.database import open_people
from nomoledger.people.sign_in import SignIn

GAME, PLAYERS, PERIODS = "season", 8, 12
#: The game goes on after so many seconds.
CHANGE_SECONDS = 4.0
AIM_MS = 50
#: What is asked for, and how often of a hundred.
MIX = {
    "desk": 25, "site": 20, "event": 15, "past": 10, "proposals": 10, "style": 10, "admin": 5,
    "action": 5,
}  # fmt: skip
BARE = """
import asyncio, sys, uvicorn
from litestar import Litestar, get
from litestar.response import ServerSentEvent
@get("/page", media_type="text/html; charset=utf-8")
async def page() -> str:
    return "<!DOCTYPE html><p>A bare page.</p>" * 300
@get("/news")
async def news() -> ServerSentEvent:
    async def silence():
        while True:
            yield {"data": "1", "event": "head"}
            await asyncio.sleep(15)
    return ServerSentEvent(silence())
print("ready", flush=True)
uvicorn.run(Litestar([page, news], openapi_config=None), port=int(sys.argv[1]),
            log_level="error", access_log=False)
"""


class Asked(NamedTuple):
    """A request that was answered: what kind it was, how late the answer was, and its status."""

    kind: str
    seconds: float
    status: int


class Client:
    """Requests over HTTP/1.1 to a server on this machine; connections are kept, as by browsers."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self, path: str, cookie: str = "", form: dict[str, str] | None = None) -> Any:
        """Return the status, the headers and the body of the answer to a GET, or to a form."""
        while self._free:  # A server closes connections that rest: another one is used then.
            reader, writer = self._free.pop()
            if not (reader.at_eof() or writer.is_closing()):
                break
        else:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(self._request(path, cookie, form))
        head = await reader.readuntil(b"\r\n\r\n")
        size = re.search(rb"(?i)content-length: (\d+)", head)
        body = await reader.readexactly(int(size[1])) if size else b""
        self._free.append((reader, writer))
        return int(head.split()[1]), head, body

    @asynccontextmanager
    async def stream(self, path: str, cookie: str) -> AsyncIterator[None]:
        """Keep a stream of news open."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        writer.write(self._request(path, cookie, None))
        drain = asyncio.create_task(self._drain(reader))
        try:
            yield
        finally:
            drain.cancel()
            writer.close()

    @staticmethod
    async def _drain(reader: asyncio.StreamReader) -> None:
        while await reader.read(2**16):
            pass

    def _request(self, path: str, cookie: str, form: dict[str, str] | None) -> bytes:
        body = urlencode(form or {}).encode()
        lines = [f"{'GET' if form is None else 'POST'} {path} HTTP/1.1", "host: localhost"]
        lines += [f"cookie: {cookie}"] if cookie else []
        if form is not None:
            kind = "content-type: application/x-www-form-urlencoded"
            lines += [kind, f"content-length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body


class Season:
    """The served season: who is signed in, and what can be asked for."""

    def __init__(self, location: str) -> None:
        with Ledger.open(location) as ledger:
            self.head = ledger.head(GAME).number
        self._location = location
        self.cookies: dict[str, str] = {}

    async def sign_in(self, client: Client, players: list[str]) -> None:
        people = open_people(self._location)
        for reader in ("admin", *players):
            token = SignIn(people).invite(GAME, reader)
            _, head, _ = await client.ask(f"/enter/{quote(token)}", form={})
            cookie = re.search(rb"(?i)set-cookie: ([^;]+)", head)
            assert cookie is not None, head
            self.cookies[reader] = cookie[1].decode()
        people.close()

    def some(self, kind: str, chance: random.Random) -> tuple[str, str]:
        """Return an address of *kind*, and the cookie of who asks for it."""
        player = chance.choice([name for name in self.cookies if name != "admin"])
        place, number = f"/games/{GAME}", chance.randrange(self.head - 150, self.head - 20)
        path = {
            "desk": f"{place}/play",
            "site": f"{place}/site/{chance.choice(('index', 'board', 'rules', 'log'))}.html",
            "event": f"{place}/events/{number // 4}",
            "past": f"{place}/past/{number // 4}",
            "proposals": f"{place}/proposals",
            "style": "/static/site.css",
            "admin": f"{place}/admin",
            "action": f"{place}/proposals/new",
        }[kind]
        reader = {"admin": "admin", "site": "", "style": ""}.get(kind, player)
        return path, self.cookies.get(reader, "")


async def load(
    client: Client, seconds: float, rate: float, choose: Callable[[random.Random], Any],
    change: Callable[[int], Any] | None = None,
) -> list[Asked]:  # fmt: skip
    """Send *rate* requests a second for some *seconds*, each when it is due."""
    chance, found, tasks = random.Random(1), list[Asked](), list[asyncio.Task[None]]()
    begin = asyncio.get_running_loop().time() + 0.2

    async def one(due: float, kind: str, path: str, cookie: str, form: Any = None) -> None:
        status = 0
        with suppress(OSError, EOFError):
            status, _, _ = await client.ask(path, cookie, form)
        found.append(Asked(kind, asyncio.get_running_loop().time() - due, status))

    for number in range(int(seconds * rate)):
        due = begin + number / rate
        await asyncio.sleep(max(0.0, due - asyncio.get_running_loop().time()))
        what = choose(chance)
        tasks.append(asyncio.create_task(one(due, *what)))
        if change is not None and number % int(CHANGE_SECONDS * rate) == int(rate):
            tasks.append(asyncio.create_task(one(due, *change(number))))
    await asyncio.gather(*tasks)
    return found


@contextmanager
def server(words: list[str], port: int, ready: str) -> Iterator[None]:
    """Run a server on *port* until the end of the block; it begins when it prints *ready*."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        while ready not in (line := process.stdout.readline()):
            assert line, "the server ended"
        _wait_for(port)
        yield
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


def _wait_for(port: int) -> None:
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)


def shown(name: str, found: list[Asked]) -> float:
    """Print how late answers were, and return the 95th percentile, in milliseconds."""
    times = sorted(asked.seconds * 1000 for asked in found)
    failed = sum(asked.status not in (200, 303) for asked in found)
    p95 = times[len(times) * 95 // 100]
    print(
        f"  {name:10} {len(times):5} requests: half within {statistics.median(times):7.1f} ms,"
        f" 95 of 100 {p95:7.1f} ms, 99 of 100 {times[len(times) * 99 // 100]:7.1f} ms"
        + (f", {failed} FAILED" if failed else "")
    )
    return p95


@asynccontextmanager
async def streams(client: Client, count: int, path: str, cookies: list[str]) -> AsyncIterator[None]:
    """Keep *count* streams open."""
    async with asyncio.TaskGroup() as group:
        over = asyncio.Event()

        async def follow(cookie: str) -> None:
            async with client.stream(path, cookie):
                await over.wait()

        for number in range(count):
            group.create_task(follow(cookies[number % len(cookies)]))
        await asyncio.sleep(1)
        try:
            yield
        finally:
            over.set()


async def try_season(port: int, location: str, seconds: float, count: int, rate: float) -> float:
    client, season = Client(port), Season(location)
    with Ledger.open(location) as ledger:
        players = players_of(ledger)
    await season.sign_in(client, players)
    kinds, weights = list(MIX), list(MIX.values())

    def choose(chance: random.Random) -> tuple[str, str, str]:
        kind = chance.choices(kinds, weights)[0]
        return kind, *season.some(kind, chance)

    def change(number: int) -> tuple[str, str, str, dict[str, str]]:
        player = players[number % len(players)]
        form = {"id": f"load-{number}", "text": f"Proposal {number}", "changes": "", "do": "send"}
        return "change", f"/games/{GAME}/proposals/draft", season.cookies[player], form

    for kind in kinds:  # The processes of the game begin.
        await client.ask(*season.some(kind, random.Random(0)))
    async with streams(client, count, f"/games/{GAME}/news", list(season.cookies.values())):
        found = await load(client, seconds, rate, choose, change)
    by_kind = defaultdict(list)
    for asked in found:
        by_kind[asked.kind].append(asked)
    for kind in (*kinds, "change"):
        if by_kind[kind]:
            shown(kind, by_kind[kind])
    return shown("all pages", [asked for asked in found if asked.kind != "change"])


async def try_bare(port: int, seconds: float, count: int, rate: float) -> float:
    client = Client(port)
    await client.ask("/page")
    async with streams(client, count, "/news", [""]):
        found = await load(client, seconds, rate, lambda _: ("bare", "/page", ""))
    return shown("bare page", found)


def players_of(ledger: Ledger) -> list[str]:
    from nomoledger.game.game import Game

    world = Game(ledger, GAME).world
    return [str(world.label(player)) for player in world.kinds["player"]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    numbers = [float(word) for word in sys.argv[1:4]]
    seconds, count, rate = (*numbers, *(20.0, 200.0, 50.0)[len(numbers) :])
    rulebook = (sys.argv[4:] or ["mail-opening"])[0]
    with tempfile.TemporaryDirectory() as folder:
        location = str(Path(folder) / "season.db")
        with Ledger.open(location, create=True) as ledger:
            simulate(ledger, rulebook, Plan(players=PLAYERS, periods=PERIODS, seed=3), game=GAME)
            head = ledger.head(GAME).number
        print(
            f"{rulebook}: a season of {PLAYERS} players and {head} events; {count:.0f} open"
            f" streams, {rate:.0f} requests a second for {seconds:.0f} s, a change every"
            f" {CHANGE_SECONDS:.0f} s"
        )
        port = free_port()
        serve = "import sys; from nomoledger.cli import main; sys.argv[0] = 'nomoledger'; main()"
        words = [sys.executable, "-c", serve, "serve", location, "--port", str(port), "--no-clock"]
        with server(words, port, "/enter/"):
            pages = asyncio.run(try_season(port, location, seconds, int(count), rate))
    port = free_port()
    with server([sys.executable, "-c", BARE, str(port)], port, "ready"):
        bare = asyncio.run(try_bare(port, seconds, int(count), rate))
    ratio = f"{pages / bare:.1f} times a bare page"
    print(f"  95 of 100 pages within {pages:.0f} ms (aim: {AIM_MS}), {ratio}")


if __name__ == "__main__":
    main()
