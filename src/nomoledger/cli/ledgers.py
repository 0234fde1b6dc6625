"""Commands on whole ledgers: init, export, verify, replay."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import journal_export as journals
from nomoledger.cli import options, proofs
from nomoledger.cli.arguments import command_line
from nomoledger.cli.context import (
    ledger_file,
    open_ledger_at,
    open_ledger_of_game,
    open_or_create_ledger_at,
)
from nomoledger.cli.dry_runs import print_dry_run, print_unwritten
from nomoledger.cli.output import print_blocks, print_json, print_line
from nomoledger.cli.parsing import parse_pair, parse_scalar, parse_time
from nomoledger.cli.progress import count_records, counting, progress
from nomoledger.cli.remedies import problems_of
from nomoledger.game.command_lines import game_if_ambiguous
from nomoledger.ledger.stores.location import safe_location

if TYPE_CHECKING:
    from datetime import datetime
    from typing import BinaryIO

    from nomoledger.game.audit.unknown_parts import UnknownPart
    from nomoledger.game.replay import LocatedDivergence, Report
    from nomoledger.ledger.chain import Head
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.ledger.verification import Verdict

FAILED = 1


@click.command()
@options.ledger
@click.option(
    "--rulebook",
    required=True,
    metavar="NAME_OR_FILE",
    help="Start from these rules: a shipped rulebook or a Markdown file.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    type=parse_pair,
    metavar="KEY=VALUE",
    help="Set a parameter of the rules to another value.",
)
@click.option(
    "--game", "game_name", metavar="NAME", help="Call the game NAME (default: as the rulebook)."
)
@click.option(
    "--dice", type=click.Choice(["seeded", "players", "entered"]), default="seeded",
    help="Roll dice from a secret seed, mix in seeds of the players, or wait for real dice to be"
    " entered (default: seeded).",
)  # fmt: skip
@click.option(
    "--at",
    type=parse_time,
    metavar="TIME",
    help="Open the game at TIME, in UTC (default: now).",
)
@options.dry_run
@options.as_json
def init(
    location: str,
    rulebook: str,
    settings: tuple[tuple[str, str], ...],
    game_name: str | None,
    dice: str,
    at: "datetime | None",
    dry_run: bool,
    as_json: bool,
) -> None:
    """Open a game under a rulebook, in a new or existing ledger.

    Example: nomoledger init game.db --rulebook mail-opening --set squares=20
    """
    from datetime import UTC, datetime

    from nomoledger.game.start import open_game
    from nomoledger.game.writer import check_not_far_ahead
    from nomoledger.rulebook.cases import texts_beside
    from nomoledger.rulebook.loading import load

    if at is not None:
        check_not_far_ahead(at, datetime.now(UTC), "the opening")
    book = load(rulebook)
    with open_or_create_ledger_at(location, dry_run=dry_run) as ledger:
        game = open_game(
            ledger,
            game_name or book.name,
            book,
            settings={key: parse_scalar(text) for key, text in settings},
            dice_from=dice,
            at=at,
            cases=texts_beside(rulebook),
        )
        head, name = ledger.head(game.name), game_if_ambiguous(ledger, game.name)
    if as_json:
        count = len(book.rules)
        print_json({"game": game.name, "rulebook": book.name, "rules": count, "head": str(head)})
        return
    opened = f"the game {game.name} is open in {safe_location(location)}"
    count = sum(not rule.common for rule in book.rules)
    print_line(f"{opened}: {count} rules of {book.name}")
    join = command_line("join", location, "NAME", name)
    print_line(f"next: {join}, or {command_line('status', location, game_name=name)}")
    if dry_run:
        print_dry_run()


def heads_as_json(heads: dict[str, "Head"]) -> dict[str, Any]:
    """Return the *heads* of games as a value for JSON."""
    return {"games": [{"game": name, "head": str(head)} for name, head in heads.items()]}


@click.command()
@options.ledger
@click.argument("file", type=options.OutputFile(allow_dash=True))
@click.option(
    "--format", type=click.Choice(journals.FORMATS), default=journals.OURS, show_default=True,
    help="Write nomoledger's own format, or the payments of one game for another program.",
)  # fmt: skip
@click.option(
    "--public",
    "is_public",
    is_flag=True,
    help="Export only what everybody may see, with the seals that prove it.",
)
@proofs.key
@options.force
@options.dry_run
@options.game
@options.as_json
def export(
    location: str,
    file: str,
    format: str,
    is_public: bool,
    key_file: str | None,
    force: bool,
    dry_run: bool,
    game_name: str | None,
    as_json: bool,
) -> None:
    """Export a ledger to FILE, or to standard output (-).

    The export holds every event, also the secret ones, as JSON lines. A FILE that exists is
    replaced only with --force, and only when the export is complete. --public exports the public
    events of one game with its seals, for anybody to verify. --format exports the payments of one
    game as a journal or a table.

    Example: nomoledger export game.db game.jsonl
    """
    from nomoledger.cli.atomic_file import atomic_file

    is_proof = is_public and format == journals.OURS
    if key_file is not None and not is_proof:
        raise click.UsageError("--key signs the seals of a public export: give --public with it")
    with (
        open_ledger_at(location, dry_run=dry_run) as ledger,
        atomic_file(file, force=force, dry_run=dry_run) as target,
    ):
        if is_proof:
            public = proofs.export_public_game(ledger, target, game_name, key_file)
            result: dict[str, Any] = {"games": [public]}
            lines = ["exported {game}: public head {head}".format(**public)]
        elif format == journals.OURS:
            heads = _export_all(ledger, target, game_name)
            result = heads_as_json(heads)
            lines = [
                f"exported {name}: {head.number + 1} events, head {head}"
                for name, head in heads.items()
            ]
        else:
            journal = journals.export_for_program(ledger, target, game_name, format, is_public)
            result = {"games": [journals.export_as_json(journal)]}
            lines = [journals.describe_export(journal, format)]
    if file == "-":
        return
    if as_json:
        print_json(result)
    else:
        print_blocks(lines)
        if dry_run:
            print_unwritten(file)


def _export_all(ledger: "Ledger", target: "BinaryIO", game_name: str | None) -> dict[str, "Head"]:
    from nomoledger.game.exchange import export_ledger

    games = ledger.games() if game_name is None else [game_name]
    with progress("exporting", 2 * count_records(ledger, games)) as advance:
        return export_ledger(counting(ledger, advance), target, games)


@click.command()
@options.ledger
@click.option("--head", metavar="N:HASH", help="Compare with a head written down earlier.")
@click.option(
    "--seal", "seals", multiple=True, metavar="FILE", type=click.Path(dir_okay=False),
    help="Compare with the published seal in FILE; may be repeated.",
)  # fmt: skip
@click.option(
    "--chain-only", is_flag=True, help="Check the hash chain only; do not fold the records."
)
@options.game
@options.as_json
def verify(
    location: str,
    head: str | None,
    seals: tuple[str, ...],
    chain_only: bool,
    game_name: str | None,
    as_json: bool,
) -> int:
    """Check that no record was altered and that all seals match.

    States, payments, dice and seals are computed anew from the records. LEDGER may be a public
    export; then its requests are also replayed under its rules. If a check fails, verify shows the
    first wrong record and exits with 1. Only --head and --seal detect that the end of a ledger was
    cut off, or that a whole ledger was rewritten.

    Example: nomoledger verify game.db --seal week-1.seal
    """
    published = proofs.read_seals(seals)
    if published and chain_only:
        raise click.UsageError("--seal needs the folded records: leave out --chain-only")
    file = ledger_file(location)
    if file is not None and file.is_file() and proofs.is_public(file):
        if head is not None or game_name is not None or chain_only:
            raise click.UsageError(f"{location} is a public export: only --seal applies to it")
        return proofs.verify_export(location, published, as_json)
    with open_ledger_at(location) as ledger:
        games = _games_to_verify(ledger, game_name, head, [seal.game for seal in published])
        results = proofs.verify_ledger(ledger, games, head, published, chain_only)
        foreign = ledger.foreign_objects()
        is_sound = all(result.verdict.ok for result in results)
        is_told = is_sound and not (chain_only or as_json)
        problems = list(_problem_lines(ledger, results)) if is_told else []
    verdicts = [result.verdict for result in results]
    ok = all(verdict.ok for verdict in verdicts) and not foreign
    if as_json:
        keys = {result.verdict.game: result.keys for result in results if result.keys}
        more = ({"foreign": foreign} if foreign else {}) | ({"keys": keys} if keys else {})
        print_json({"ok": ok, "games": verdicts} | more)
    else:
        for result in results:
            print_line(_verdict_line(result.verdict, result.seals))
            print_blocks(proofs.key_lines(result.verdict.game, result.keys))
        print_blocks(
            f"{safe_location(location)} holds {item}, which nomoledger did not put there: remove"
            " it, or copy the games to a new ledger (nomoledger copy)"
            for item in foreign
        )
        print_blocks(problems)
    return 0 if ok else FAILED


def _problem_lines(ledger: "Ledger", results: list[proofs.VerifiedGame]) -> Iterator[str]:
    """Yield what keeps the games from being played although their records are sound."""
    from nomoledger.game.read_models import LedgerView

    for result in results:
        game = result.verdict.game
        for problem in problems_of(LedgerView(ledger, game, reader="admin")):
            yield f"{game}: {problem.what}"
            yield f"  to mend it: {problem.command}"


def _verdict_line(verdict: "Verdict", seal_count: int | None) -> str:
    if verdict.ok:
        periods = f"; periods as sealed: {seal_count}" if seal_count else ""
        as_written = f"{verdict.records} records are as written, head {verdict.head}"
        return f"{verdict.game}: {as_written}{periods}"
    event = "" if verdict.number is None else f"#{verdict.number} "
    return f"{verdict.game}: {event}is wrong ({verdict.problem}): {verdict.detail}"


def _games_to_verify(
    ledger: "Ledger", game_name: str | None, head: str | None, sealed: list[str]
) -> list[str]:
    """Return the game given by name or by its seals; otherwise all games."""
    from nomoledger.ledger.as_of import only_game

    if game_name is not None:
        return [game_name]
    if sealed:
        return sealed[:1]
    games = [*ledger.games(), *ledger.unlisted()]
    return games if games and head is None else [only_game(ledger)]


@click.command()
@options.ledger
@click.option("--period", type=int, metavar="N", help="Replay period N (default: the open period).")
@click.option(
    "--follow",
    is_flag=True,
    help="Continue from what the rules gave, not from the record, to the end of the game.",
)
@click.option(
    "--from-start", is_flag=True, help="Read all events, instead of the snapshot before the period."
)
@options.game
@options.as_json
def replay(
    location: str,
    period: int | None,
    follow: bool,
    from_start: bool,
    game_name: str | None,
    as_json: bool,
) -> int:
    """Replay a period under its own rules, and compare the record.

    In a hand-kept record, each recorded fact is compared with the result of the rules. --follow
    lists what would differ in the end if play had continued from those results. The exit code is 0
    only if nothing differs, nothing is unexplained, and the record leaves nothing out.

    Example: nomoledger replay game.db --period 1
    """
    from nomoledger.game.replay import replay as replay_period

    with open_ledger_of_game(location, game_name) as (ledger, name), progress("replaying"):
        if follow:
            return _follow(ledger, name, period, as_json)
        report = replay_period(ledger, name, period, from_start=from_start)
    if as_json:
        print_json(report)
    else:
        print_blocks(report_lines(report))
    return 0 if report.is_clean else FAILED


def _follow(ledger: "Ledger", name: str, period: int | None, as_json: bool) -> int:
    """Print what would differ if play had continued from the results of the rules."""
    from nomoledger.game.rules_only_replay import replay_by_rules
    from nomoledger.language.values import format_value
    from nomoledger.ledger.as_of import world_of

    since = world_of(ledger, name).period if period is None else period
    result = replay_by_rules(ledger, name, since)
    if as_json:
        print_json(result)
        return FAILED if result.otherwise else 0
    print_line(
        f"{name}, by the rules alone from period {result.period}; facts that differ: {result.noted}"
    )
    for difference in result.otherwise:
        recorded, by_rules = format_value(difference.recorded), format_value(difference.by_rules)
        subject = f"{difference.what} of {difference.subject}"
        print_line(f"  {subject}: {recorded}, by the rules {by_rules}")
    if not result.otherwise:
        print_line("  nothing would differ")
    return FAILED if result.otherwise else 0


def report_lines(report: "Report") -> list[str]:
    """Return the report of a replay as lines, one for each finding."""
    from nomoledger.language.values import format_value

    kind = "recorded facts" if report.mode == "audit" else "consequences"
    counts = f"{report.compared} {kind} compared ({report.mode})"
    lines = [f"{report.game}, period {report.period}: {counts}"]
    for divergence in report.divergences:
        for depth, finding in [(1, divergence), *((2, later) for later in divergence.follows)]:
            subject = f"#{finding.event} {finding.what} of {finding.subject}"
            recorded, by_rules = format_value(finding.recorded), format_value(finding.by_rules)
            values = f"recorded {recorded}, by the rules {by_rules}"
            lines.append(f"{'  ' * depth}{subject}: {values} ({finding.rule}){_place(finding)}")
    for fact in report.unexplained:
        lines.append(f"  #{fact.event} {fact.kind} is unexplained: {fact.why}")
    for each in report.omitted:
        by_rules = _by_rules(each.by_rules)
        subject = f"#{each.event} {each.kind} of {each.subject}"
        lines.append(f"  {subject} is omitted: by the rules {by_rules} ({each.rule})")
    for again in report.repeated:
        says = "only says" if again.certain else "perhaps only says"
        said = f"#{again.event} {again.kind} {says} again what line {again.of} says"
        lines.append(f"  {said} [line {again.line}]")
    lines += map(_unknown, report.unknown)
    if not report.has_record:
        lines.append("  there is no record of this period: nothing could be compared")
    elif report.is_clean:
        lines.append("  nothing differs")
    return lines


def _unknown(part: "UnknownPart") -> str:
    """Return what the record does not know, since when, and how many facts are not compared."""
    since = "from the beginning of the record"
    if part.line is not None:
        since = f"since line {part.line} (period {part.period})"
    facts = f"{part.not_compared} fact{'' if part.not_compared == 1 else 's'}"
    what = ", ".join(part.what)
    known = ", ".join(map(str, part.known_again))
    if known and part.line is None:
        known = f"; set by the first landing [line {known}]"
    elif known:
        known = f"; known again [line {known}]"
    verb = "is" if len(part.what) == 1 else "are"
    return f"  {what} {verb} unknown {since}, not compared: {facts}{known}"


def _by_rules(value: Any) -> str:
    """Return what the rules give, as a fact would state it: a value, or several fields."""
    from nomoledger.language.values import format_value

    if not isinstance(value, dict):
        return format_value(value)
    return ", ".join(f"{name} {format_value(item)}" for name, item in value.items())


def _place(finding: "LocatedDivergence") -> str:
    """Return where the finding stands in the record, and whom and where it is about."""
    if finding.line is None:
        return ""
    who = "" if finding.who in (None, finding.subject) else f", {finding.who}"
    where = "" if finding.where in (None, finding.recorded) else f", square {finding.where}"
    why = "" if finding.explained_if is None else f"; explained if {finding.explained_if}"
    if finding.belongs_after is not None:
        why = f"; it agrees if it stands after line {finding.belongs_after}"
    return f" [line {finding.line}{who}{where}]{why}"
