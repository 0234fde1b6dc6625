"""The commands explain and why-not."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_ledger_of_game
from nomoledger.cli.output import print_blocks, print_json
from nomoledger.cli.parsing import parse_event
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.game.explanation.account_statement import AccountStatement, StatementRow
    from nomoledger.game.explanation.causes import ExplainedValue, Explanation
    from nomoledger.game.explanation.recorded_past import RecordedPast
    from nomoledger.game.read_models import Table

#: With more accounts than this on the other side of a posting, their number is shown.
OTHERS_MAX = 3
#: A run of at least so many alike lines of an explanation is folded.
ALIKE_MIN = 6


@click.command()
@options.ledger
@click.argument("subject")
@click.argument("what", required=False)
@options.game
@options.period
@click.option(
    "--event",
    type=parse_event,
    metavar="EVENT",
    help="Explain the posting of EVENT (default: the last one).",
)
@click.option("--all", "whole", is_flag=True, help="List every posting of the account singly.")
@options.as_json
def explain(
    location: str,
    subject: str,
    what: str | None,
    game_name: str | None,
    period: int | None,
    event: str | None,
    whole: bool,
    as_json: bool,
) -> None:
    """Explain a value or an event, back to its die or submission.

    SUBJECT is an event (#17, public:12), a player, a square ("square 9"), an account or a rule.
    WHAT is one of its attributes, a value that the rules define, money, or another commodity. For
    a commodity, the answer is an account statement, and its last posting is explained in detail.

    Example: nomoledger explain game.db Ann money
    """
    from nomoledger.game.explanation.recorded_past import RecordedPast

    if (event is not None or whole) and what is None:
        raise click.UsageError("--event and --all need an account: give SUBJECT and WHAT")
    with open_ledger_of_game(location, game_name) as (ledger, name):
        with progress("explaining"):
            past = RecordedPast(ledger, name, period)
            answer, blocks = _answer(past, subject, what, event, whole)
        if as_json:
            print_json(answer)
        else:
            print_blocks(blocks)


def _answer(
    past: "RecordedPast", subject: str, what: str | None, event: str | None, whole: bool
) -> tuple[object, Iterator["str | Table"]]:
    """Return the explanation, as a value and as blocks to print."""
    from nomoledger.game.explanation.account_statement import commodity_of, explain_account
    from nomoledger.game.explanation.causes import explain_event, explain_value
    from nomoledger.game.explanation.rule_values import explain_computed, is_computed

    if what is None:
        explanation = explain_event(past, _event(past, subject))
        return explanation, _explanation_lines(explanation)
    is_rule = past.world.rule(subject) is not None
    commodity = None if is_rule else commodity_of(past, past.find(subject), what)
    if commodity is not None:
        number = None if event is None else _event(past, event)
        account = explain_account(past, subject, commodity, event=number, whole=whole)
        return account, _account_blocks(account)
    if event is not None or whole:
        raise click.UsageError(f"--event and --all need an account, and {what!r} is none")
    if not is_rule and is_computed(past, what):
        computed = explain_computed(past, subject, what)
        return computed, iter(computed.trail)
    value = explain_value(past, subject, what)
    return value, _value_lines(value)


def _event(past: "RecordedPast", text: str) -> int:
    from nomoledger.game.event_numbers import find_event, is_event_reference

    if not is_event_reference(text):
        raise click.UsageError(f"{text!r} is not an event: write #17, or give SUBJECT and WHAT")
    return find_event(past.entries, text)


def _account_blocks(account: "AccountStatement") -> Iterator["str | Table"]:
    from nomoledger.game.read_models import Table

    yield f"{account.subject}: {account.balance} {account.commodity}"
    if account.why is None:
        yield "there are no postings"
        return
    columns = ("period", "event", "amount", "balance", "what", "rules", "because of")
    yield Table(columns, tuple(map(_cells, account.rows)))
    if any(row.event is None for row in account.rows):
        yield "some periods are summed: --all or --period N lists their postings"
    yield ""
    yield from _explanation_lines(account.why)


def _cells(row: "StatementRow") -> tuple[str, ...]:
    figures = (f"+{row.amount}" if row.amount > 0 else str(row.amount), str(row.balance))
    if row.event is None:
        return (str(row.period), "", *figures, f"{row.count} postings", "", "")
    others = ", ".join(row.others) if len(row.others) <= OTHERS_MAX else f"{len(row.others)} others"
    sides = f"{'from' if row.amount > 0 else 'to'} {others}" if others else ""
    what = f"{sides}: {row.why}" if sides and row.why else sides or row.why
    because = "" if row.because is None else f"#{row.because} {row.because_told}"
    return str(row.period), f"#{row.event}", *figures, what, ", ".join(row.rules), because


def _value_lines(value: "ExplainedValue") -> Iterator[str]:
    shown = "nothing" if value.value is None else value.value
    yield f"{value.what} of {value.subject}: {shown}"
    yield from _explanation_lines(value.why)


def _explanation_lines(explanation: "Explanation") -> Iterator[str]:
    yield f"#{explanation.event} {explanation.told}{_suffix(explanation.rules)}"
    for cause in explanation.causes:
        yield f"  because of #{cause.event}: {cause.told}{_suffix(cause.rules)}"
    for line in _folded(explanation.trail):
        yield f"    {line}"


def _folded(trail: Iterable[str]) -> Iterator[str]:
    """Yield the lines of *trail*; a long run of alike lines becomes the first and a count."""
    for _, group in groupby(trail, key=_asked):
        run = list(group)
        if len(run) < ALIKE_MIN:
            yield from run
        else:
            indent = run[0][: len(run[0]) - len(run[0].lstrip())]
            yield from (run[0], f"{indent}… {len(run) - 1} more like it")


def _asked(line: str) -> str:
    """Return the operation in a line of a trail, with its indentation."""
    return line.partition("(")[0] if ")  [" in line and ": " in line else line


def _suffix(rules: tuple[str, ...]) -> str:
    return f"  [{', '.join(rules)}]" if rules else ""


@click.command("why-not")
@options.ledger
@click.argument("operation")
@click.argument("about")
@options.game
@click.option(
    "--period", type=int, metavar="N", help="Look in period N (default: the open period)."
)
@options.as_json
def why_not(
    location: str,
    operation: str,
    about: str,
    game_name: str | None,
    period: int | None,
    as_json: bool,
) -> None:
    """Explain why an operation of the rules did not happen.

    OPERATION is its name in the rules, ABOUT the player or square concerned.

    Example: nomoledger why-not game.db open_option 16 --period 2
    """
    from nomoledger.game.explanation.why_not import why_not as explain_absence
    from nomoledger.ledger.as_of import as_of

    with open_ledger_of_game(location, game_name) as (ledger, name), progress("explaining"):
        if period is None:
            period = as_of(ledger, name, None).period
        answer = explain_absence(ledger, name, operation, about, period)
    if as_json:
        print_json(answer)
    else:
        print_blocks(answer.lines)
