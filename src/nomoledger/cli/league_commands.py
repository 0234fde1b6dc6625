"""The command league: many games at many places."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.audit import UNREADABLE
from nomoledger.cli.context import open_ledger_or_scratch, open_or_create_ledger_at
from nomoledger.cli.dry_runs import print_dry_run
from nomoledger.cli.ledgers import FAILED
from nomoledger.cli.output import print_blocks, print_failure, print_json, print_line
from nomoledger.cli.progress import count_records, counting, progress
from nomoledger.ledger.stores.location import place_of

if TYPE_CHECKING:
    from nomoledger.game.league import LeagueGame
    from nomoledger.game.league_audit import AuditedGame
    from nomoledger.game.read_models import Table
    from nomoledger.game.waiting import WaitingFact

#: How many things that wait a game shows, and how many people it names for each.
WAITS_MAX, NAMES_MAX = 2, 3
#: How often a move reads each record, at both places together.
PASSES = 3


@click.group()
def league() -> None:
    """Keep many games: list them, move them, audit them.

    A league is the games of several ledgers: files, PostgreSQL databases, or both.

    Example: nomoledger league list postgresql://db.example.org/games
    """


@league.command()
@options.ledger
@click.argument("target")
@options.game
@options.dry_run
@options.as_json
def move(location: str, target: str, game_name: str | None, dry_run: bool, as_json: bool) -> None:
    """Move a game to the ledger TARGET, where play goes on.

    TARGET is created if needed. Others may play meanwhile: each request is in TARGET, or is refused
    with one line that says where the game is. LEDGER keeps the old records and takes no new ones. A
    move that was interrupted can be repeated.

    Example: nomoledger league move game.db postgresql://db.example.org/games
    """
    from nomoledger.game.move import move_game, only_game_ever

    old, new = place_of(location), place_of(target)
    with (
        open_ledger_or_scratch(location, dry_run=dry_run) as source,
        open_or_create_ledger_at(target, dry_run=dry_run) as destination,
    ):
        name = game_name or only_game_ever(source)
        with progress("moving", PASSES * count_records(source, [name])) as advance:
            moved = move_game(
                counting(source, advance), counting(destination, advance), name, old, new
            )
    if as_json:
        print_json(moved)
        return
    has = "is" if moved.was_there else "has moved"
    count = moved.head.number + 1
    print_line(f"{name}: {has} {'in' if moved.was_there else 'to'} {new}, with {count} events")
    if not moved.was_there:
        print_line(f"{old} points to it, and takes no more requests of {name}")
    if dry_run:
        print_dry_run()


locations = click.argument("locations", metavar="LEDGER...", nargs=-1, required=True)


@league.command("list")
@locations
@click.option("--admin", is_flag=True, help="Show secret questions, timers and disputes, too.")
@options.as_json
def list_(locations: tuple[str, ...], admin: bool, as_json: bool) -> int:
    """List the games of ledgers, or of folders of ledger files.

    For each game: the period, what waits, for whom and since when, the events and their size, the
    last audit by `league audit`, and its state. "kept" games have a keeper or a clock, which only
    PostgreSQL can tell. A game or ledger that cannot be read has a line, too; the exit code is then
    1 for a game, and 2 for a ledger.

    Example: nomoledger league list postgresql://db.example.org/games
    """
    from nomoledger.game.league import League

    games = list(League(*locations).games(reader="admin" if admin else None))
    if as_json:
        print_json({"games": games})
    else:
        for ledger, group in groupby(games, lambda game: game.ledger):
            print_blocks(_blocks(ledger, [game for game in group if game.game is not None]))
        _print_unreadable(games)
    return _exit_code(games)


def _print_unreadable(games: "Sequence[LeagueGame | AuditedGame]") -> None:
    for game in games:
        if game.game is None and game.error is not None:
            print_failure(game.error)


def _exit_code(games: "Sequence[LeagueGame | AuditedGame]") -> int:
    """Return 2 if a ledger cannot be read, 1 if something is wrong with a game, 0 otherwise."""
    wrong = [game for game in games if not game.is_sound]
    return UNREADABLE if any(game.game is None for game in wrong) else FAILED if wrong else 0


def _blocks(ledger: str, games: list["LeagueGame"]) -> "Iterator[str | Table]":
    """Yield a heading, a table, and a line for each game that needs one."""
    from nomoledger.game.read_models import Table

    if not games:
        return
    yield f"{ledger}: {len(games)} {'game' if len(games) == 1 else 'games'}"
    columns = ("game", "period", "waits for", "since", "events", "size", "audited", "state")
    yield Table(columns, tuple(map(_row, games)))
    for game in games:
        if game.error is not None:
            yield f"  {game.game}: {game.error}"
        elif game.place is not None:
            way = "on its way from" if game.is_arriving else "moved to"
            yield f"  {game.game}: {way} {game.place}"
        if game.also_in:
            others = ", ".join(game.also_in[:NAMES_MAX])
            more = len(game.also_in) - NAMES_MAX
            others += f" and {more} more" if more > 0 else ""
            yield f"  {game.game}: the same game is open in {others}, too"


def _row(game: "LeagueGame") -> tuple[str, ...]:
    assert game.game is not None
    if game.error is not None or game.place is not None:
        state = "error" if game.error else "arriving" if game.is_arriving else "moved"
        return (game.game, "", "", "", "", "", "", state)
    since = next((waiting.since for waiting in game.waits if waiting.since is not None), None)
    audited = "never"
    if game.audit is not None:
        audited = f"{game.audit.at:%Y-%m-%d}{'' if game.audit.is_sound else ' findings'}"
    return (
        game.game,
        str(game.period),
        _waits(game.waits),
        "" if since is None else f"{since:%Y-%m-%d}",
        str(game.events),
        _size(game.bytes),
        audited,
        "ended" if game.ended is not None else "kept" if game.kept_by else "open",
    )


def _waits(waits: "tuple[WaitingFact, ...]") -> str:
    """Return the first things that wait, each for whom; the others are counted."""
    shown = []
    for waiting in waits[:WAITS_MAX]:
        names = ", ".join(waiting.who[:NAMES_MAX]) or "all"
        more = len(waiting.who) - NAMES_MAX
        shown.append(f"{names}{f' and {more} more' if more > 0 else ''}: {waiting.what}")
    if len(waits) > WAITS_MAX:
        shown.append(f"and {len(waits) - WAITS_MAX} more")
    return "\n".join(shown)


def _size(count: int) -> str:
    """Return a number of bytes in words.

    >>> _size(999), _size(12_345), _size(2_500_000)
    ('999 B', '12 kB', '2.5 MB')
    """
    if count < 1000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1000:.0f} kB"
    return f"{count / 1_000_000:.1f} MB"


@league.command()
@locations
@options.pool
@options.dry_run
@options.as_json
def audit(
    locations: tuple[str, ...],
    workers: int | None,
    scheduler: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Verify every game of ledgers, and replay all their periods.

    Each game gets a line. The exit code is 0 only if all games are sound, and 2 if a ledger cannot
    be read. `league list` shows when a game was last audited; with --dry-run, that is not recorded.
    `audit` shows the findings.

    Example: nomoledger league audit league/ --workers 4
    """
    from nomoledger.game.league import League
    from nomoledger.parallel import open_pool

    own = League(*locations)
    with open_pool(workers, scheduler) as pool, progress("auditing") as advance:
        games = []
        for game in own.audit(pool, dry_run=dry_run):
            games.append(game)
            advance(1)
    games.sort(key=lambda game: (own.shown.index(game.ledger), game.game or ""))
    if as_json:
        print_json({"sound": all(game.is_sound for game in games), "games": games})
    else:
        print_blocks(_audit_line(game) for game in games if game.game is not None)
        _print_unreadable(games)
        if dry_run:
            print_dry_run()
    return _exit_code(games)


def _audit_line(game: "AuditedGame") -> str:
    found = "sound"
    if game.findings:
        found = f"findings in period{'s'[: len(game.findings) > 1]} "
        found += ", ".join(map(str, game.findings))
    if game.error is not None:
        found = game.error
    noun = "period" if game.periods == 1 else "periods"
    counts = f"{game.events} events, {game.periods} {noun}, {game.compared} compared"
    unkept = f"; the result is not kept: {game.unkept}" if game.unkept else ""
    return f"{game.ledger}, {game.game}: {counts}, {found}{unkept}"
