"""The command rules: the rules of a game, and what can be asked of a rulebook."""

from textwrap import indent
from typing import Any

import click
from click.shell_completion import CompletionItem

from nomoledger.cli import options
from nomoledger.cli import rule_history as ruleset
from nomoledger.cli.arguments import chosen
from nomoledger.cli.output import json, line, say
from nomoledger.cli.projections import reader, show_projection_then, two_times, who

FAILED = 1


class _Rules(click.Group):
    """A group that takes a first word which is none of its commands for a ledger.

    Where the ledger is known without being written, no word at all will do.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names_none = args[0] not in (*self.commands, "--help") if args else bool(chosen())
        if names_none:
            args = ["of", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(ctx, incomplete)
        return found or [CompletionItem(incomplete, type="file")]


@click.group(cls=_Rules, subcommand_metavar="LEDGER | COMMAND ...")
def rules() -> None:
    """Show the rules in force, and how they changed; check a rulebook.

    Example: nomoledger rules game.db --period 3
    """


for command in (ruleset.diff, ruleset.blame, ruleset.log_of_rules):
    rules.add_command(command)


@rules.command("of")
@two_times
@reader
def of(admin: bool, player: str | None, **asked: Any) -> None:
    """Show the rules in force in a LEDGER.

    The word "of" may be left out.

    Example: nomoledger rules game.db --period 3
    """
    show_projection_then("rules", reader=who(admin, player), **asked)


@rules.command()
@click.argument("rulebook", metavar="NAME_OR_FILE")
@click.option("--blank", is_flag=True, help="Also report what could be lost and no case notice.")
@options.as_json
def check(rulebook: str, blank: bool, as_json: bool) -> int:
    """Check a rulebook and its coverage.

    Errors are given by file, rule and line; then how much of the rules is executable.

    With --blank each rule's code is blanked in turn, and each parameter, to see whether a case
    beside the rulebook notices. Exit code 1 where there are errors or something goes unnoticed.

    Example: nomoledger rules check mail-opening
    """
    from nomoledger.cli.verifying import coverage_of

    found = coverage_of(rulebook, blank)
    if as_json:
        json(found)
    else:
        line(f"{found.rulebook}: {found.rules} rules")
        for title in ("executable", "text_only", "by_ruling"):
            line(f"  {title.replace('_', ' '):11} {getattr(found, title)} of {found.rules}")
        for error in found.errors:
            line(f"error: {error}")
        for each in found.unnoticed:
            line(f"no case notices the loss of {each}")
    return FAILED if found.errors or (blank and found.unnoticed) else 0


@rules.command()
@click.argument("rulebook", metavar="NAME_OR_FILE")
@options.as_json
def vocabulary(rulebook: str, as_json: bool) -> None:
    """List all that a case can name.

    Actions with their parameters, attributes, kinds, commodities, accounts, questions, draws.

    Example: nomoledger rules vocabulary mail-opening
    """
    from nomoledger.rulebook.loading import load
    from nomoledger.rulebook.vocabulary import vocabulary as vocabulary_of

    found = vocabulary_of(load(rulebook))
    if as_json:
        json(found)
    else:
        say(found.as_text())


@rules.command("show")
@click.argument("rulebook", metavar="NAME_OR_FILE")
@click.argument("number", required=False)
@options.as_json
def show_rules(rulebook: str, number: str | None, as_json: bool) -> None:
    """Show the rules of a rulebook.

    With NUMBER, that one alone and its code.

    Example: nomoledger rules show mail-opening VIII.3
    """
    from nomoledger.errors import UnknownError
    from nomoledger.rulebook.loading import load

    book = load(rulebook)
    found = [rule for rule in book.rules if number in (None, rule.number)]
    if not found:
        raise UnknownError(f"{book.name} has no rule {number!r}")
    if as_json:
        json({"rulebook": book.name, "rules": found})
        return
    for rule in found:
        say(f"### {rule.number} {rule.title}\n\n{rule.prose}\n")
        if number is not None and rule.code:
            say(indent(rule.code, "    "))


@rules.command("list")
@options.as_json
def list_shipped(as_json: bool) -> None:
    """List the rulebooks there are.

    Example: nomoledger rules list
    """
    from nomoledger.rulebook.loading import shipped

    if as_json:
        json({"rulebooks": shipped()})
    else:
        say("\n".join(shipped()))
