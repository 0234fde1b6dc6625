"""The commands explain and why-not."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_at
from nomoledger.cli.output import json, line, table

if TYPE_CHECKING:
    from nomoledger.game.explanation.account_statement import AccountStatement, StatementRow
    from nomoledger.game.explanation.causes import ExplainedValue, Explanation
    from nomoledger.game.explanation.recorded_past import RecordedPast
    from nomoledger.game.read_models import Table

#: More accounts than these on the other side of a posting are counted, not named.
OTHERS_MAX = 3


@click.command()
@options.ledger
@click.argument("subject")
@click.argument("what", required=False)
@options.game
@options.period
@click.option("--event", type=int, metavar="N", help="The posting to tell of (the last one).")
@click.option("--all", "whole", is_flag=True, help="Every posting of an account singly.")
@options.as_json
def explain(
    ledger: str,
    subject: str,
    what: str | None,
    game: str | None,
    period: int | None,
    event: int | None,
    whole: bool,
    as_json: bool,
) -> None:
    """Say why something is so, back to the die, submission or ruling.

    SUBJECT is an event (#17), or a player, a square ("square 9"), an account or a rule; WHAT is
    one of its attributes, a value that the rules define, money, or a commodity. What is held of a
    commodity is told as a statement that adds up, and its last posting in depth.

    Example: nomoledger explain game.db Ann money
    """
    from nomoledger.game.explanation.recorded_past import RecordedPast
    from nomoledger.ledger.as_of import only_game

    if (event is not None or whole) and what is None:
        raise click.UsageError("--event and --all go with an account: say whose, and what of it")
    with open_ledger_at(ledger) as opened:
        past = RecordedPast(opened, game or only_game(opened), period)
        found, lines = _answered(past, subject, what, event, whole)
        if as_json:
            json(found)
            return
        for each in lines:
            if isinstance(each, str):
                line(each)
            else:
                table(each)


def _answered(
    past: "RecordedPast", subject: str, what: str | None, event: int | None, whole: bool
) -> tuple[object, Iterator["str | Table"]]:
    """What is asked for, as it is and in lines."""
    from nomoledger.game.explanation.account_statement import commodity_of, explain_account
    from nomoledger.game.explanation.causes import explain_event, explain_value
    from nomoledger.game.explanation.rule_values import explain_computed, is_computed

    if what is None:
        told = explain_event(past, _event(subject))
        return told, _told(told)
    is_rule = past.world.rule(subject) is not None
    commodity = None if is_rule else commodity_of(past, past.find(subject), what)
    if commodity is not None:
        account = explain_account(past, subject, commodity, event=event, whole=whole)
        return account, _account_told(account)
    if event is not None or whole:
        raise click.UsageError(f"--event and --all go with an account, and {what!r} is none")
    if not is_rule and is_computed(past, what):
        computed = explain_computed(past, subject, what)
        return computed, iter(computed.trail)
    value = explain_value(past, subject, what)
    return value, _value_told(value)


def _account_told(account: "AccountStatement") -> Iterator["str | Table"]:
    from nomoledger.game.read_models import Table

    yield f"{account.subject}: {account.balance} {account.commodity}"
    if account.why is None:
        yield "nothing ever came or went"
        return
    columns = ("period", "event", "amount", "balance", "what", "rules", "because of")
    yield Table(columns, tuple(map(_cells, account.rows)))
    if any(row.event is None for row in account.rows):
        yield "each of the postings in sum: --all, or --period N"
    yield ""
    yield from _told(account.why)


def _cells(row: "StatementRow") -> tuple[str, ...]:
    figures = (f"+{row.amount}" if row.amount > 0 else str(row.amount), str(row.balance))
    if row.event is None:
        return (str(row.period), "", *figures, f"{row.count} postings", "", "")
    others = ", ".join(row.others) if len(row.others) <= OTHERS_MAX else f"{len(row.others)} others"
    sides = f"{'from' if row.amount > 0 else 'to'} {others}" if others else ""
    what = f"{sides}: {row.why}" if sides and row.why else sides or row.why
    because = "" if row.because is None else f"#{row.because} {row.because_told}"
    return str(row.period), f"#{row.event}", *figures, what, ", ".join(row.rules), because


def _value_told(value: "ExplainedValue") -> Iterator[str]:
    shown = "nothing" if value.value is None else value.value
    yield f"{value.what} of {value.subject}: {shown}"
    yield from _told(value.why)


def _told(found: "Explanation") -> Iterator[str]:
    yield f"#{found.event} {found.told}{_by(found.rules)}"
    for cause in found.causes:
        yield f"  because of #{cause.event}: {cause.told}{_by(cause.rules)}"
    for each in found.trail:
        yield f"    {each}"


@click.command("why-not")
@options.ledger
@click.argument("operation")
@click.argument("about")
@options.game
@click.option("--period", type=int, metavar="N", help="In which period (the one that is open).")
@options.as_json
def why_not(
    ledger: str, operation: str, about: str, game: str | None, period: int | None, as_json: bool
) -> None:
    """Say why something of the rules did not happen.

    OPERATION is what the rules call it, ABOUT the player or square that it is about.

    Example: nomoledger why-not game.db open_option 16 --period 2
    """
    from nomoledger.game.explanation.why_not import why_not as answered
    from nomoledger.ledger.as_of import as_of, only_game

    with open_ledger_at(ledger) as opened:
        game = game or only_game(opened)
        if period is None:
            period = as_of(opened, game, None).period
        found = answered(opened, game, operation, about, period)
    if as_json:
        json(found)
        return
    for each in found.lines:
        line(each)


def _event(text: str) -> int:
    if not text.removeprefix("#").isdecimal():
        raise click.UsageError(f"{text!r} is no event: write #17, or a subject and what of it")
    return int(text.removeprefix("#"))


def _by(rules: tuple[str, ...]) -> str:
    return f"  [{', '.join(rules)}]" if rules else ""
