"""Records golden ledgers with the installed nomoledger: `python tests/golden/record.py DIR`.

A golden ledger is a game as one version of nomoledger recorded it, kept for good: the database
itself (SQLite, and PostgreSQL as a dump), and what that version printed when it verified, exported
and replayed the game. `test_golden.py` asks the same of every later version. The ledgers of a
frozen level are never changed or removed. Those of the newest level are recorded again where the
level changes, until it is frozen.

The games are played through the command line alone, so this script runs with any version.
"""

import hashlib
import json
import lzma
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

sys.path.append(str(Path(__file__).parents[1]))
from postgres_server import PostgresServer

HERE = Path(__file__).parent
PROGRAM = Path(sys.executable).with_name("nomoledger")
YES = "--yes"  # Where time jumps, versions since 0.7.0 ask.
SETTLED = ["--settle", "money", "--questions", "skip", YES]
PLOTS = str(HERE / "plots.md")
REPLAYS = HERE.parents[1] / "replays"
DAY = "2026-03-{:02}T{}"

#: Plays one game into the ledger of that name.
Play = Callable[[str], None]


def run(*words: str, allowed: tuple[int, ...] = (0, 1)) -> str:
    """What `nomoledger` prints for *words*; a refusal is fine, misuse ends the recording."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def season(rulebook: str, periods: int = 3, players: int = 3) -> Play:
    """A short season of *rulebook*, played by bots."""

    def play(ledger: str) -> None:
        words = f"--players {players} --periods {periods} --requests 4 --seed 7 --json"
        run("simulate", ledger, "--rulebook", rulebook, *words.split())

    return play


def record(name: str) -> Play:
    """A hand-kept record, imported as it is."""
    return lambda ledger: _import(ledger, name)


def _import(ledger: str, name: str) -> None:
    run("import", ledger, str(REPLAYS / f"{name}.jsonl"))


def disputed(ledger: str) -> None:
    """The hand-kept season, with a dispute that is ratified and one that is put right."""
    _import(ledger, "weekly-vote-season")
    claim = "The Founder", "Fifteen and five is 20"
    run("dispute", "open", ledger, *claim, "--event", "496", YES)
    run("dispute", "argue", ledger, "1", "Draven", "Nobody said so at the time", YES)
    put_right = ["--replace", "496=square:20", "--settle", "money", YES]
    run("dispute", "close", ledger, "1", "Fifteen and five is 20", *put_right)
    run("dispute", "open", ledger, "Jamie", "It should have been 1", "--event", "116", YES)
    run("dispute", "close", ledger, "2", "It stands", "--ratify", "116", YES)
    run("finality", ledger, "--after", "14", YES)
    run("close", ledger, YES)


def plots(ledger: str) -> None:
    """Secrets, timers, orders, a conflict of two rules, and late rulings."""
    at = iter(range(1, 1000))

    def ask(*words: str, allowed: tuple[int, ...] = (0, 1)) -> str:
        minutes = next(at)
        time = DAY.format(1 + minutes // 24, f"{minutes % 24:02}:00:00")
        return run(words[0], ledger, *words[1:], "--at", time, YES, allowed=allowed)

    run("init", ledger, "--rulebook", PLOTS, "--at", DAY.format(1, "00:00:00"))
    for player in ("Ann", "Bob", "Cid"):
        ask("join", player)
    ask("submit", "Ann", "go")
    ask("submit", "Bob", "plot", "plan=a trap on 4")
    ask("order", "Cid", "--when", "money(Ann) > 100", "--do", "go")
    ask("submit", "Ann", "go")
    ask("submit", "Bob", "measure")
    ask("ruling", "The later rule prevails", "--value", "6", "--cite", "6")
    ask("submit", "Bob", "measure")
    ask("close")
    ask("propose", "Bob", "Double income", "--amend", "1.income=2")
    ask("vote", "Ann", "1", "yes")
    ask("judge", "1", "accepted")
    ask("submit", "Ann", "plot", "plan=poison")
    ask("submit", "Cid", "wonder")
    ask("answer", "left")
    ask("submit", "Ann", "take_sides")
    ask("ruling", "Right it is, and so it stays", "--value", "9")
    ask("submit", "Ann", "confess")
    ask("submit", "Ann", "overspend")
    ask("close")
    paid = _first(ledger, "submission-received/1", period=1)
    ask("ruling", "Ann never went", "--reject", str(paid), *SETTLED)
    ask("ruling", "Bob gets 5", "--changes", str(HERE / "bob-gets-5.yaml"))
    ask("submit", "Bob", "go")
    ask("close")


def mended(ledger: str) -> None:
    """Seeds of players in the dice, a check that fails and is suspended, voids, and a repeal."""
    at = iter(range(1, 1000))

    def ask(*words: str, allowed: tuple[int, ...] = (0, 1)) -> str:
        minutes = next(at)
        time = DAY.format(1 + minutes // 24, f"{minutes % 24:02}:00:00")
        return run(*words, "--at", time, YES, allowed=allowed)

    opening = "--rulebook", PLOTS, "--dice", "players", "--at", DAY.format(1, "00:00:00")
    run("init", ledger, *opening)
    for player in ("Ann", "Bob", "Cid"):
        ask("join", ledger, player)
    for player in ("Ann", "Bob"):
        seed = f"a seed of {player} for the third period"
        commitment = hashlib.sha256(seed.encode()).hexdigest()
        ask("dice", "commit", ledger, player, commitment)
    ask("submit", ledger, "Ann", "go")
    ask("order", ledger, "Cid", "--when", "money(Ann) > 9999", "--do", "go", "--id", "premove")
    ask("void", ledger, "order", "premove", "It can never be carried out")
    ask("close", ledger)
    ask("dice", "reveal", ledger, "Ann", "a seed of Ann for the third period")
    ask("propose", ledger, "Bob", "A check", "--changes", str(HERE / "failing-check.yaml"))
    ask("judge", ledger, "1", "accepted")
    ask("submit", ledger, "Bob", "go")
    ask("ruling", ledger, "It never worked", "--repeal", "X.1")
    ask("close", ledger)
    ask("submit", ledger, "Ann", "go")
    ask("submit", ledger, "Cid", "go")
    ask("propose", ledger, "Cid", "Nothing at all", "--words-only")
    ask("void", ledger, "proposal", "2", "It says nothing")
    ask("close", ledger)


def gaps(ledger: str) -> None:
    """A hand-kept record in which things are unknown for a while, and a landing is wrong."""
    run("import", ledger, str(HERE / "gaps.jsonl"))


def undone(ledger: str) -> None:
    """A verdict that is taken back twice, with entered dice, and players with addresses."""
    opening = "--rulebook", "mail-opening", "--dice", "entered", "--at", DAY.format(1, "00:00:00")
    run("init", ledger, *opening)
    at = ["--at", DAY.format(2, "12:00:00"), YES]
    for player in ("Ann", "Bob"):
        run("join", ledger, player, f"email={player.lower()}@example.org", *at)
    run("propose", ledger, "Ann", "Nothing", *at)
    run("judge", ledger, "1", "accepted", *at)
    for _ in range(2):
        run("judge", ledger, "1", "rejected", *at)
        run("undo", ledger, *at)
    run("roll", ledger, "3", "4", *at)
    run("close", ledger, "--at", DAY.format(8, "12:00:00"), YES)


def moved(ledger: str) -> None:
    """A short season that is moved to another place and back, and then audited there."""
    season("mail-opening", periods=2)(ledger)
    with tempfile.TemporaryDirectory() as folder:
        run("league", "move", ledger, f"{folder}/elsewhere.db")
        run("league", "move", f"{folder}/elsewhere.db", ledger)
    run("league", "audit", ledger, "--workers", "1")


def served(ledger: str) -> None:
    """A period that an admin and two players play through the served site."""
    run("init", ledger, "--rulebook", "mail-opening", "--dice", "entered")
    words = [str(PROGRAM), "serve", ledger, "--port", "0", "--no-clock"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            link = next(line for line in server.stdout if "/enter/" in line).split()[-1]
            _play_in_browsers(link)
        finally:
            server.terminate()


def _play_in_browsers(link: str) -> None:
    """Let the admin, who signs in with *link*, and Ann and Bob send forms of the served site."""
    base = link.partition("/enter/")[0]
    admin = build_opener(HTTPCookieProcessor())
    place = _send(admin, link).geturl().removesuffix("/admin")
    readers = {"admin": admin}
    for name in ("Ann", "Bob"):
        mail = f"{name.lower()}@example.org"
        _send(admin, f"{place}/admin/join", id=f"join-{name}", name=name, email=mail)
        page = _send(admin, f"{place}/admin/people", player=name, email=mail).read().decode()
        readers[name] = build_opener(HTTPCookieProcessor())
        _send(readers[name], f"{base}/enter/{page.partition('/enter/')[2].partition('<')[0]}")

    def sends(reader: str, to: str, id: str, **fields: str | list[str]) -> None:
        _send(readers[reader], f"{place}/{to}", id=id, **fields)

    changes = '- {amend: "V.1", parameters: {dollars_per_number: 20}}'
    sends("Ann", "proposals/draft", "dearer", do="send", text="Dearer squares", changes=changes)
    sends("Bob", "proposals/1/comment", "comment", text="Dear <b>me</b>")
    sends("admin", "admin/judge", "verdict", proposal="1", verdict="accepted")
    sends("admin", "admin/dice", "dice", value=["3", "4"])
    buying = {"when": "money(Bob) > 9999", "action": "buy", "with-square": "8"}
    sends("Bob", "orders/act", "premove", **buying)
    sends("admin", "play/submit?as=Ann", "buys", **{"action": "buy", "with-square": "8"})
    sends("Bob", "disputes/open", "claim", period="1", text="Ann was away")
    sends("Ann", "disputes/argue", "argument", dispute="1", text="The admin asked for me")
    sends("admin", "admin/ruling", "ruling", text="The admin may", closes="1", cites="V.1")
    sends("admin", "admin/close", "close")


def _send(reader: OpenerDirector, address: str, /, **fields: str | list[str]) -> Any:
    """Send a form with *fields* to *address*, and return the answer."""
    return reader.open(address, urlencode(fields, doseq=True).encode())


def _first(ledger: str, tag: str, period: int) -> int:
    """The number of the first event of that *tag* in *period*."""
    for line in run("export", ledger, "-").splitlines():
        found = json.loads(line)
        body = found.get("body", {})
        if body.get("event") == tag and body.get("period") == period:
            number: int = found["number"]
            return number
    raise SystemExit(f"no {tag} in period {period}")


GAMES: dict[str, Play] = {
    "mail": season("mail", players=4),
    "mail-opening": season("mail-opening"),
    "nomopoly-iii": season("nomopoly-iii"),
    "origon": season("origon"),
    "weekly-vote": season("weekly-vote", players=4),
    "weekly-vote-season": record("weekly-vote-season"),
    "origon-week1": record("origon-week1"),
    "disputed": disputed,
    "plots": plots,
    "mended": mended,
    "gaps": gaps,
    "undone": undone,
    "moved": moved,
    "served": served,
}


def questions(ledger: str, run: Callable[..., str] = run) -> Iterator[tuple[str, str]]:
    """Yield each question that a golden ledger is asked, and the output of the command."""
    verdict = json.loads(run("verify", ledger, "--json"))
    yield "verify", json.dumps(verdict, sort_keys=True)
    yield "export", run("export", ledger, "-")
    yield "export --public", run("export", ledger, "-", "--public")
    bodies = [json.loads(line).get("body") for line in run("export", ledger, "-").splitlines()]
    first, *_, last = [body["period"] for body in bodies if body]
    for period in range(first, last + 1):
        yield f"replay {period}", run("replay", ledger, "--period", str(period), "--json")
        state = run("state", ledger, "--period", str(period), "--json", "--admin")
        yield f"state {period}", state


def answers(ledger: str, run: Callable[..., str] = run) -> dict[str, Any]:
    """Return the output of every command by question; long outputs as their SHA-256."""
    return {
        question: json.loads(output)
        if question.startswith(("replay", "verify"))
        else hashlib.sha256(output.encode()).hexdigest()
        for question, output in questions(ledger, run)
    }


def main(folder: Path) -> None:
    """Record all games into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    work = folder / "work"
    work.mkdir()
    server = PostgresServer()
    try:
        for name, play in GAMES.items():
            file = work / f"{name}.db"
            play(str(file))
            _keep(folder / f"{name}.sqlite", _sqlite(file), answers(str(file)))
            url = server.new_database()
            play(url)
            _keep(
                folder / f"{name}.postgres", server.dump(url, "nomoledger").encode(), answers(url)
            )
    finally:
        server.remove()
        shutil.rmtree(work)


def _keep(path: Path, content: bytes, said: dict[str, Any]) -> None:
    path.with_name(f"{path.name}.xz").write_bytes(lzma.compress(content, preset=9))
    said = {"recorded by": f"nomoledger {version('nomoledger')}", **said}
    path.with_name(f"{path.name}.json").write_text(json.dumps(said, indent=1) + "\n", "utf-8")
    print(path.name, path.with_name(f"{path.name}.xz").stat().st_size)


def _sqlite(file: Path) -> bytes:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
    return file.read_bytes()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
