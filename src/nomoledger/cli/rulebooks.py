"""The command rules: the rules of a game, and commands on rulebooks."""

from textwrap import indent
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from nomoledger.cli import options, rule_history
from nomoledger.cli.arguments import ledger_in_environment
from nomoledger.cli.context import is_ledger, open_game_at
from nomoledger.cli.output import print_json, print_line, print_text
from nomoledger.cli.progress import progress
from nomoledger.cli.projections import (
    reader,
    reader_of,
    show_projection,
    show_projection_then,
    two_times,
)
from nomoledger.cli.proposal import CASES_SECONDS
from nomoledger.cli.rules_file import check_against_ledger

if TYPE_CHECKING:
    from nomoledger.game.simulation.repeal_testing import RepealReport
    from nomoledger.parallel import Pool
    from nomoledger.rulebook.check import Coverage
    from nomoledger.rulebook.loading import Rulebook

FAILED = 1


class _Rules(click.Group):
    """A group that runs `of` if its first word is not one of its commands.

    `rules LEDGER` therefore shows the rules of a ledger, and so does `rules` alone if the ledger is
    named by the environment.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args:
            is_implied = args[0] not in (*self.commands, "--help")
        else:
            is_implied = bool(ledger_in_environment())
        return super().parse_args(ctx, ["of", *args] if is_implied else args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        items = super().shell_complete(ctx, incomplete)
        return items or [CompletionItem(incomplete, type="file")]


@click.group(cls=_Rules, subcommand_metavar="LEDGER | COMMAND ...")
def rules() -> None:
    """Show the rules of a game and their history; check rulebooks.

    Example: nomoledger rules game.db --period 3
    """


for command in (rule_history.diff, rule_history.blame, rule_history.log_of_rules):
    rules.add_command(command)


@rules.command("of")
@two_times
@reader
def of(admin: bool, player: str | None, **view: Any) -> None:
    """Show the rules in force in a LEDGER.

    The word "of" may be left out.

    Example: nomoledger rules game.db --period 3
    """
    show_projection_then("rules", reader=reader_of(admin, player), **view)


@rules.command()
@click.argument("rulebook", metavar="NAME_OR_FILE")
@click.option(
    "--blank", is_flag=True, help="Also report code and parameters whose loss no case notices."
)
@click.option("--repeal", is_flag=True, help="Also change rules in the middle of simulated games.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --repeal: try only N changes of each sort, drawn at random.",
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="With --repeal: choose the games and the sample.",
)
@click.option(
    "--ledger", "location", metavar="LEDGER", help="Check a file against the rules of a game."
)
@click.option(
    "--cases",
    "seconds",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="With --ledger: try the cases of the game for at most SECONDS (default: 20).",
)
@options.game
@options.pool
@options.as_json
def check(
    rulebook: str,
    location: str | None,
    seconds: float | None,
    game_name: str | None,
    blank: bool,
    repeal: bool,
    sample: int | None,
    seed: int,
    workers: int | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Check a rulebook for errors, and report its coverage.

    Errors are listed with file, rule and line. Coverage is how many of the rules are executable.

    --blank removes the code of each rule and each parameter in turn, and runs the rulebook's cases
    against the rest. The exit code is 1 if there are errors, or if no case notices a loss.

    --repeal changes rules in the middle of simulated games with everything under way, and plays on
    for two periods and more: it repeals each rule and each chapter, amends each number up and down
    and each list, and renumbers each rule. The exit code is 1 if a game gets stuck: a request ends
    in an engine fault, a period does not close, a replay is not exact, or an act whose own rule
    still stands lacks something that its rule uses.

    --ledger checks a file of rules (Markdown) or changes (YAML) against the rules of a game as it
    stands: what would be new or amended, what is wrong, which functions would never act, and which
    cases of the rulebook pass now and would fail. Nothing is recorded. The exit code is 1 where
    something is wrong.

    Example: nomoledger rules check mail-opening
    """
    if location is not None:
        if blank or repeal:
            raise click.UsageError("--ledger excludes --blank and --repeal")
        seconds = CASES_SECONDS if seconds is None else seconds
        return check_against_ledger(rulebook, location, game_name, seconds, as_json)
    if game_name is not None:
        raise click.UsageError("--game names a game of a ledger: give --ledger, too")
    if seconds is not None:
        raise click.UsageError("--cases tries the cases of a game: give --ledger, too")
    from nomoledger.parallel import open_pool

    with open_pool(workers, scheduler) as pool:
        coverage = _coverage(rulebook, blank, pool)
        report = _repeals(rulebook, sample, seed, pool) if repeal and not coverage.errors else None
    stuck = [one for tally in report.tallies().values() for one in tally.stuck] if report else []
    if as_json:
        print_json(_as_json(coverage, report))
    else:
        print_line(f"{coverage.rulebook}: {coverage.rules} rules")
        for name in ("executable", "text_only", "by_ruling"):
            count = getattr(coverage, name)
            print_line(f"  {name.replace('_', ' '):11} {count} of {coverage.rules}")
        for error in coverage.errors:
            print_line(f"error: {error}")
        for loss in coverage.unnoticed:
            print_line(f"no case notices the loss of {loss}")
        if report is not None:
            _print_repeals(report)
    return FAILED if coverage.errors or (blank and coverage.unnoticed) or stuck else 0


def _repeals(rulebook: str, sample: int | None, seed: int, pool: "Pool") -> "RepealReport":
    """Return what becomes of games of *rulebook* whose rules change."""
    from nomoledger.game.simulation.repeal_testing import changes_of, find_stuck

    changes = changes_of(rulebook, sample, seed)
    with progress("changing rules", len(changes)) as advance:
        return find_stuck(rulebook, changes, seed=seed, pool=pool, progress=lambda _: advance(1))


def _as_json(coverage: "Coverage", report: "RepealReport | None") -> Any:
    if report is None:
        return coverage
    import msgspec

    return msgspec.to_builtins(coverage) | {"repeal": report}


def _print_repeals(report: "RepealReport") -> None:
    for sort, tally in report.tallies().items():
        essential = f", essential: {', '.join(tally.essential)}" if tally.essential else ""
        print_line(f"  {sort} changed: {tally.playable} of {tally.tried} playable{essential}")
        for one in tally.stuck:
            print_line(f"stuck after {one.change}: {one.reason}")


def _coverage(rulebook: str, blank: bool, pool: "Pool") -> "Coverage":
    """Return the coverage of *rulebook*; an unreadable rulebook is reported as an error in it.

    Raises:
        UnknownError: there is no such rulebook.
    """
    from nomoledger.errors import RulebookError
    from nomoledger.intake.short_text import shortened
    from nomoledger.rulebook.cases import cases_beside
    from nomoledger.rulebook.check import Coverage
    from nomoledger.rulebook.check import check as check_rulebook
    from nomoledger.rulebook.loading import find_rulebook, load
    from nomoledger.rulebook.mutation_testing import names_of_mutants

    path = find_rulebook(rulebook)
    try:
        book = load(rulebook)
        cases = cases_beside(rulebook)
    except RulebookError as error:
        return Coverage(
            rulebook=path.stem,
            rules=0,
            executable=0,
            text_only=0,
            by_ruling=0,
            errors=[shortened(str(error))],
            unnoticed=[],
        )
    with progress("checking", len(names_of_mutants(book)) if blank else 0) as advance:
        return check_rulebook(book, cases, blank=blank, pool=pool, progress=lambda _: advance(1))


@rules.command()
@click.argument("rulebook", metavar="NAME_OR_FILE_OR_LEDGER")
@options.as_json
def vocabulary(rulebook: str, as_json: bool) -> None:
    """List all names that a case can use.

    The list has actions with their parameters, attributes, kinds, commodities, accounts, questions
    and draws. Of a ledger, it has the names of the rules in force.

    Example: nomoledger rules vocabulary mail-opening
    """
    from nomoledger.rulebook.loading import load
    from nomoledger.rulebook.vocabulary import vocabulary as vocabulary_of

    names = vocabulary_of(_rules_in_force(rulebook) if is_ledger(rulebook) else load(rulebook))
    if as_json:
        print_json(names)
    else:
        print_text(names.as_text())


def _rules_in_force(location: str) -> "Rulebook":
    """Return the rules in force in the only game of the ledger at *location*."""
    from nomoledger.rulebook.loading import Rulebook

    with open_game_at(location, None) as game:
        return Rulebook(game.name, game.world.rules, game=game.world.ruleset)


@rules.command("show")
@click.argument("where", metavar="LEDGER|RULEBOOK")
@click.argument("number", required=False)
@options.game
@options.period
@options.as_json
@reader
def show_rules(
    where: str,
    number: str | None,
    game_name: str | None,
    period: int | None,
    as_json: bool,
    admin: bool,
    player: str | None,
) -> None:
    """Show a rule of a game, or the rules of a rulebook.

    Of rule NUMBER in a LEDGER, show text, code, history (who changed the rule, by which proposal)
    and the rulings under the rule. Of a RULEBOOK (a name or a file), show all rules, or rule NUMBER
    with its code.

    Example: nomoledger rules show game.db VIII.3
    """
    location = _ledger_of(where)
    if location is None:
        _show_rulebook(where, number, as_json)
        return
    number = where if location != where else number
    if number is None:
        raise click.UsageError("say which rule: give its number; for all rules, see rules LEDGER")
    show_projection(
        "rule",
        location=location,
        game_name=game_name,
        period=period,
        as_json=as_json,
        reader=reader_of(admin, player),
        number=number,
    )


def _ledger_of(where: str) -> str | None:
    """Return the ledger that *where* names, or the one of the environment; None for a rulebook."""
    from nomoledger.cli.context import ledger_file
    from nomoledger.rulebook.loading import shipped

    file = ledger_file(where)
    if file is None:
        return where
    if file.is_file():
        with file.open("rb") as content:
            return where if content.read(16).startswith(b"SQLite format 3") else None
    variable = ledger_in_environment()
    return variable if variable and where not in shipped() else None


def _show_rulebook(rulebook: str, number: str | None, as_json: bool) -> None:
    """Show the rules of a rulebook, or only rule *number* with its code."""
    from nomoledger.errors import UnknownError
    from nomoledger.rulebook.loading import load

    book = load(rulebook)
    shown = [rule for rule in book.rules if number in (None, rule.number)]
    if not shown:
        raise UnknownError(f"{book.name} has no rule {number!r}")
    if as_json:
        print_json({"rulebook": book.name, "rules": shown})
        return
    for rule in shown:
        uses = f"\nUses: {', '.join(rule.uses)}.\n" if rule.uses else ""
        print_text(f"### {rule.number} {rule.title}\n\n{rule.prose}\n{uses}")
        if number is not None and rule.code:
            print_text(indent(rule.code, "    "))


@rules.command("mechanics")
@click.argument("name", required=False)
@options.as_json
def show_mechanics(name: str | None, as_json: bool) -> None:
    """List the mechanics that rules can use, or show one with its code.

    A mechanic is a ready-made module of rule code, such as squares in a row. A rule names the
    mechanics that it uses in its data: `uses: [row-1]`.

    Example: nomoledger rules mechanics row-1
    """
    from nomoledger.errors import UnknownError
    from nomoledger.rulebook.loading import mechanics

    shown = [mechanic for mechanic in mechanics() if name in (None, mechanic.number)]
    if not shown:
        raise UnknownError(f"there is no mechanic {name!r}; see: nomoledger rules mechanics")
    if as_json:
        print_json({"mechanics": shown})
        return
    for mechanic in shown:
        if name is None:
            print_line(f"{mechanic.number:12} {mechanic.title}")
        else:
            print_text(f"### {mechanic.number} {mechanic.title}\n\n{mechanic.prose}\n")
            print_text(indent(mechanic.code, "    "))


@rules.command("list")
@options.as_json
def list_shipped(as_json: bool) -> None:
    """List the rulebooks that come with nomoledger.

    Example: nomoledger rules list
    """
    from nomoledger.rulebook.loading import shipped

    if as_json:
        print_json({"rulebooks": shipped()})
    else:
        print_text("\n".join(shipped()))
