"""Commands about whole ledgers: init, import, export, verify, replay."""

import os
from typing import TYPE_CHECKING

import click

from nomoledger.cli import journal_export as journals
from nomoledger.cli import options
from nomoledger.cli import proofs as proof
from nomoledger.cli.arguments import command_line, game_to_say
from nomoledger.cli.context import new_ledger_at, open_ledger_at, place_of
from nomoledger.cli.output import json, line
from nomoledger.cli.progress import counting, progress, records_in, size_of, watched
from nomoledger.ledger.stores.location import redacted

if TYPE_CHECKING:
    from datetime import datetime
    from typing import BinaryIO

    from nomoledger.game.replay import Report
    from nomoledger.ledger.chain import Head
    from nomoledger.ledger.ledger import Ledger

FAILED = 1


@click.command()
@options.ledger
@click.option(
    "--rulebook", required=True, metavar="NAME_OR_FILE", help="The rules the game starts from."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    type=options.pair,
    metavar="KEY=VALUE",
    help="Another value for a parameter of the rules.",
)
@click.option("--game", metavar="NAME", help="What to call the game (default: as the rulebook).")
@click.option(
    "--dice", type=click.Choice(["seeded", "entered"]), default="seeded",
    help="Roll from a secret seed, or enter real dice (default: seeded).",
)  # fmt: skip
@click.option("--at", type=options.time, metavar="TIME", help="When the game begins (UTC).")
@options.as_json
def init(
    ledger: str,
    rulebook: str,
    settings: tuple[tuple[str, str], ...],
    game: str | None,
    dice: str,
    at: "datetime | None",
    as_json: bool,
) -> None:
    """Open a game under a rulebook; the ledger is made where absent.

    Example: nomoledger init game.db --rulebook mail-opening --set squares=20
    """
    from nomoledger.game.start import open_game
    from nomoledger.rulebook.loading import load

    rules = load(rulebook)
    with new_ledger_at(ledger) as opened:
        desk = open_game(
            opened,
            game or rules.name,
            rules,
            settings={key: options.scalar(text) for key, text in settings},
            dice_from=dice,
            at=at,
        )
        head, which = opened.head(desk.name), game_to_say(opened, desk.name)
    if as_json:
        count = len(rules.rules)
        json({"game": desk.name, "rulebook": rules.name, "rules": count, "head": str(head)})
        return
    where = f"the game {desk.name} is open in {redacted(ledger)}"
    line(f"{where}: {len(rules.rules)} rules of {rules.name}")
    join = command_line("join", ledger, "NAME", which)
    line(f"next: {join}, or {command_line('status', ledger, game=which)}")


@click.command("import")
@options.ledger
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("--game", metavar="NAME", help="What to call the game of a hand-kept record.")
@options.as_json
def import_(ledger: str, file: str, game: str | None, as_json: bool) -> None:
    """Bring in FILE: an export, or a record kept by hand.

    All of it is brought in, or nothing.

    Example: nomoledger import game.db season.jsonl
    """
    from nomoledger.game.records import is_record

    by_hand = is_record(file)
    if game is not None and not by_hand:
        with open(file, "rb"):
            raise click.UsageError("an export names its own games: --game is for hand-kept records")
    heads = _import_record(ledger, file, game) if by_hand else _import_export(ledger, file)
    if as_json:
        json({"games": [{"game": name, "head": str(head)} for name, head in heads.items()]})
        return
    for name, head in heads.items():
        line(f"imported {name}: {head.number + 1} events, head {head}")


def _import_record(ledger: str, file: str, game: str | None) -> dict[str, "Head"]:
    from nomoledger.game.records import import_record

    with new_ledger_at(ledger) as opened, progress("working out the record"):
        desk = import_record(opened, file, game)
        return {desk.name: opened.head(desk.name)}


def _import_export(ledger: str, file: str) -> dict[str, "Head"]:
    from nomoledger.game.exchange import import_ledger

    with (
        progress("importing", size_of(file)) as advance,
        watched(file, advance) as source,
        new_ledger_at(ledger) as opened,
    ):
        return import_ledger(opened, source)


@click.command()
@options.ledger
@click.argument("file", type=click.Path(allow_dash=True))
@click.option(
    "--format", type=click.Choice(journals.FORMATS), default=journals.OURS, show_default=True,
    help="Our own, which import reads; or what was paid in one game, for other programs.",
)  # fmt: skip
@click.option(
    "--public", "is_public", is_flag=True, help="Only what everybody may see, to be checked."
)
@proof.key
@options.game
@options.as_json
def export(
    ledger: str,
    file: str,
    format: str,
    is_public: bool,
    key_file: str | None,
    game: str | None,
    as_json: bool,
) -> None:
    """Write the ledger as JSON lines into FILE, or - (standard output).

    It holds everything, also what is secret in the game, and takes its place only when whole. With
    --public it holds what everybody may see of one game, and the seals, for anybody to verify. For
    bookkeeping and analysis, --format gives the payments of one game as a journal or a table.

    Example: nomoledger export game.db game.jsonl
    """
    from nomoledger.cli.atomic_file import atomic_file

    place = place_of(ledger)
    if place is not None and os.path.exists(file) and os.path.samefile(file, place):
        raise click.UsageError(f"{file} is the ledger itself: give another file")
    is_proof = is_public and format == journals.OURS
    if key_file is not None and not is_proof:
        raise click.UsageError("--key signs the seals of a public export: give --public with it")
    with open_ledger_at(ledger) as opened, atomic_file(file) as target:
        if is_proof:
            found_public = proof.exported(opened, target, game, key_file)
            games = [found_public]
            said = ["exported {game}: public head {head}".format(**found_public)]
        elif format == journals.OURS:
            heads = _export_all(opened, target, game)
            games = [{"game": name, "head": str(head)} for name, head in heads.items()]
            said = [
                f"exported {name}: {head.number + 1} events, head {head}"
                for name, head in heads.items()
            ]
        else:
            found = journals.exported(opened, target, game, format, is_public)
            games, said = [journals.shown(found)], [journals.told(found, format)]
    if file == "-":
        return
    if as_json:
        json({"games": games})
        return
    for each in said:
        line(each)


def _export_all(ledger: "Ledger", target: "BinaryIO", game: str | None) -> dict[str, "Head"]:
    from nomoledger.game.exchange import export_ledger

    games = ledger.games() if game is None else [game]
    with progress("exporting", 2 * records_in(ledger, games)) as advance:
        return export_ledger(counting(ledger, advance), target, games)


@click.command()
@options.ledger
@click.option("--head", metavar="N:HASH", help="A head written down earlier, to hold against it.")
@click.option(
    "--seal", "seals", multiple=True, metavar="FILE", type=click.Path(dir_okay=False),
    help="A seal published earlier, to hold against it.",
)  # fmt: skip
@click.option("--chain-only", is_flag=True, help="The records alone, not what they come to.")
@options.game
@options.as_json
def verify(
    ledger: str,
    head: str | None,
    seals: tuple[str, ...],
    chain_only: bool,
    game: str | None,
    as_json: bool,
) -> int:
    """Check that no record is altered, and that all is as sealed.

    States, dice and seals are worked out anew from the records. LEDGER may be a public export. Exit
    code 1 and the first wrong record where one is. Only with --head or --seal can a cut-off end be
    told, or a ledger that was written anew.

    Example: nomoledger verify game.db --seal week-1.seal
    """
    published = proof.published(seals)
    if published and chain_only:
        raise click.UsageError("--seal needs what the records come to: leave out --chain-only")
    place = place_of(ledger)
    if place is not None and place.is_file() and proof.is_public(place):
        if head is not None or game is not None or chain_only:
            raise click.UsageError(f"{ledger} is a public export: it is checked by --seal alone")
        return proof.verify_export(ledger, published, as_json)
    with open_ledger_at(ledger) as opened:
        games = _to_verify(opened, game, head, [each.game for each in published])
        found = proof.verify_ledger(opened, games, head, published, chain_only)
    verdicts = [verdict for verdict, _ in found]
    ok = all(each.ok for each in verdicts)
    if as_json:
        json({"ok": ok, "games": verdicts})
    for verdict, sealed in () if as_json else found:
        if verdict.ok:
            periods = f"; periods as sealed: {sealed}" if sealed else ""
            as_written = f"{verdict.records} records are as written, head {verdict.head}"
            line(f"{verdict.game}: {as_written}{periods}")
        else:
            where = "" if verdict.number is None else f"#{verdict.number} "
            what = f"{where}is wrong ({verdict.problem})"
            line(f"{verdict.game}: {what}: {verdict.detail}")
    return 0 if ok else FAILED


def _to_verify(
    ledger: "Ledger", game: str | None, head: str | None, sealed: list[str]
) -> list[str]:
    """The games to verify: the one that is named, or sealed, or else all."""
    from nomoledger.ledger.as_of import only_game

    if game is not None:
        return [game]
    if sealed:
        return sealed[:1]
    games = [*ledger.games(), *ledger.unlisted()]
    return games if games and head is None else [only_game(ledger)]


@click.command()
@options.ledger
@click.option("--period", type=int, metavar="N", help="The period (default: the one open).")
@click.option("--follow", is_flag=True, help="Go on from what the rules gave, to the end.")
@options.game
@options.as_json
def replay(ledger: str, period: int | None, follow: bool, game: str | None, as_json: bool) -> int:
    """Run a period again under its own rules: does the record differ?

    A period of a hand-kept record is audited: each recorded fact is held against the rules. With
    --follow play goes on from what the rules gave instead of the record, to the end of the game,
    and what would stand otherwise is listed. Exit code 1 where something differs.

    Example: nomoledger replay game.db --period 1
    """
    from nomoledger.game.replay import replay as run
    from nomoledger.ledger.as_of import only_game

    with open_ledger_at(ledger) as opened, progress("replaying"):
        if follow:
            return _follow(opened, game or only_game(opened), period, as_json)
        report = run(opened, game or only_game(opened), period)
    if as_json:
        json(report)
    else:
        for each in told(report):
            line(each)
    return FAILED if report.divergences else 0


def _follow(ledger: "Ledger", game: str, period: int | None, as_json: bool) -> int:
    """Tell what would stand otherwise, had play gone on from what the rules gave."""
    from nomoledger.game.rules_only_replay import replay_by_rules
    from nomoledger.language.values import format_value
    from nomoledger.ledger.as_of import world_of

    found = replay_by_rules(
        ledger, game, world_of(ledger, game).period if period is None else period
    )
    if as_json:
        json(found)
        return FAILED if found.otherwise else 0
    line(f"{game}, by the rules alone from period {found.period}; facts that differ: {found.noted}")
    for each in found.otherwise:
        both = f"{format_value(each.recorded)}, by the rules {format_value(each.by_rules)}"
        line(f"  {each.what} of {each.subject}: {both}")
    if not found.otherwise:
        line("  everything would stand as it does")
    return FAILED if found.otherwise else 0


def told(report: "Report") -> list[str]:
    """A replay's report in words, a line a finding."""
    from nomoledger.language.values import format_value

    kind = "recorded facts" if report.mode == "audit" else "consequences"
    counted = f"{report.compared} {kind} compared ({report.mode})"
    lines = [f"{report.game}, period {report.period}: {counted}"]
    for found in report.divergences:
        for depth, each in [(1, found), *((2, later) for later in found.follows)]:
            where = f"#{each.event} {each.what} of {each.subject}"
            both = f"recorded {format_value(each.recorded)}, by the rules {format_value(each.by_rules)}"
            lines.append(f"{'  ' * depth}{where}: {both} ({each.rule})")
    for fact in report.unexplained:
        lines.append(f"  #{fact.event} {fact.kind} is unexplained: {fact.why}")
    if not report.divergences:
        lines.append("  nothing differs")
    return lines
