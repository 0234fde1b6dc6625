"""The command proposal: try a proposal before it is made, and show one."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from nomoledger.cli import options
from nomoledger.cli.change_options import read_changes_file
from nomoledger.cli.context import open_game_at
from nomoledger.cli.output import print_blocks, print_json, print_line, print_text
from nomoledger.cli.progress import progress
from nomoledger.cli.projections import reader, reader_of, reading, show_projection
from nomoledger.cli.what_if import print_what_if

if TYPE_CHECKING:
    from nomoledger.errors import MisfitError
    from nomoledger.events.rules import Change
    from nomoledger.game.game import Game
    from nomoledger.game.proposal_check import ProposalCheck
    from nomoledger.game.proposal_view import Proposal
    from nomoledger.rulebook.change_diff import ChangeDiff
    from nomoledger.rulebook.rules_file_check import RulesFileCheck

REFUSED = 1
WORDS_ONLY = "nothing was recorded: mend the changes, or record the words alone with --words-only"

#: How many failing cases are printed with a proposal that is made.
CASES_SHOWN = 10
#: For how many seconds cases are tried by default.
CASES_SECONDS = 20.0


def trying(function: options.Function) -> options.Function:
    """Add the options that say how to try a proposal."""
    for option in (
        click.option(
            "--what-if",
            "with_what_if",
            is_flag=True,
            help="Also replay the last closed period with the changes.",
        ),
        click.option(
            "--cases",
            "seconds",
            type=click.FloatRange(0),
            default=CASES_SECONDS,
            metavar="SECONDS",
            help="Try the cases of the rulebook for at most SECONDS (default: 20).",
        ),
    ):
        function = option(function)
    return function


@click.group()
def proposal() -> None:
    """Try a proposal before it is made, or show one.

    Example: nomoledger proposal check game.db changes.yaml
    """


@proposal.command()
@options.ledger
@click.argument("file")
@trying
@options.game
@options.as_json
def check(
    location: str,
    game_name: str | None,
    file: str,
    with_what_if: bool,
    seconds: float,
    as_json: bool,
) -> int:
    """Try the changes in FILE (YAML); nothing is recorded.

    Prints what is wrong, what would be left without a definition, where prose and parameters would
    disagree, and which cases of the rulebook would fail that pass now. The exit code is 1 where
    something is wrong.

    Example: nomoledger proposal check game.db changes.yaml --what-if
    """
    with open_game_at(location, game_name) as game:
        changes = read_changes_file(file, with_code=False)
        checked = try_proposal(game, changes, with_what_if, seconds)
        if as_json:
            print_json(checked)
        else:
            print_check(game, checked)
    return REFUSED if checked.errors else 0


@click.command()
@reading
@reader
def proposals(admin: bool, player: str | None, **view: Any) -> None:
    """List the proposals: author, state, votes, and until when.

    Secret votes are left out, unless --admin or --as asks for them.

    Example: nomoledger proposals game.db
    """
    show_projection("proposals", reader=reader_of(admin, player), ends=True, **view)


@proposal.command()
@options.ledger
@click.argument("number", type=int)
@trying
@options.game
@options.as_json
@reader
def show(
    location: str,
    game_name: str | None,
    number: int,
    with_what_if: bool,
    seconds: float,
    as_json: bool,
    admin: bool,
    player: str | None,
) -> None:
    """Show a proposal: text, changes as a diff, verdict and votes.

    The changes of an undecided proposal are tried: what would be wrong, left without a definition,
    and which cases would fail. Nothing is recorded. Secret votes are left out, unless --admin or
    --as asks for them.

    Example: nomoledger proposal show game.db 1
    """
    with open_game_at(location, game_name) as game:
        shown = game.proposal(number, reader=reader_of(admin, player))
        changes = game.world.proposals[number].changes
        checked = None
        if changes and shown.is_open and not shown.words_only:
            checked = try_proposal(game, changes, with_what_if, seconds)
        if checked is not None and not admin:  # Notes depend on the state, which may be secret.
            checked = msgspec.structs.replace(checked, notes=())
        if as_json:
            fields = {name: getattr(shown, name) for name in shown.__struct_fields__}
            print_json(fields | {"check": checked})
            return
        for line in proposal_lines(shown):
            print_text(line)
        if checked is not None:
            print_line("if it were accepted now:")
            print_check(game, checked, CASES_SHOWN)


def try_proposal(
    game: "Game", changes: "tuple[Change, ...]", with_what_if: bool, seconds: float
) -> "ProposalCheck":
    """Return what *changes* would do in *game*, with a progress bar."""
    with progress("trying the cases") as advance:
        return game.check_proposal(
            changes, with_what_if=with_what_if, seconds=seconds, done=advance
        )


# --- printing -----------------------------------------------------------------------------------


def print_check(
    game: "Game", checked: "ProposalCheck", cases_max: int | None = None, *, is_short: bool = False
) -> None:
    """Print what a check found, with at most *cases_max* cases; if *is_short*, no good news."""
    print_blocks([*finding_lines(checked), *case_lines(checked, cases_max)])
    if not (is_short or checked.errors):
        print_line(f"the changes fit the rules; {told_cases(checked)}")
    if checked.what_if is not None:
        print_what_if(game, checked.what_if)


def finding_lines(checked: "ProposalCheck | RulesFileCheck") -> Iterator[str]:
    """Yield what is wrong with changes, and what their author should know."""
    for error in checked.errors:
        yield f"error: {error}"
    for left in checked.left_undefined:
        users = ", ".join(left.used_by)
        yield f"left without a definition: {left.name}, which {users} would still use"
    for mismatch in checked.mismatches:
        yield f"mismatch: {mismatch}"
    for note in checked.notes:
        yield f"note: {note}"


def case_lines(checked: "ProposalCheck | RulesFileCheck", cases_max: int | None) -> Iterator[str]:
    """Yield which cases would fail, at most *cases_max* of them, and how many were not tried."""
    for failure in checked.cases_failing[:cases_max]:
        yield f"case would fail: {failure}"
    if hidden := len(checked.cases_failing) - len(checked.cases_failing[:cases_max]):
        yield f"and {hidden} more cases would fail"
    if checked.cases_not_tried:
        total = checked.cases_tried + checked.cases_not_tried
        yield f"time was up: {checked.cases_not_tried} of {total} cases were not tried"


def told_cases(checked: "ProposalCheck | RulesFileCheck") -> str:
    """Return how many cases were tried, and how many would fail."""
    tried = f"{checked.cases_tried} case{'' if checked.cases_tried == 1 else 's'} tried"
    failing = len(checked.cases_failing)
    return f"{tried}, {failing} would fail" if failing else f"{tried}, none would fail"


def print_misfit(error: "MisfitError", as_json: bool, hint: str = "") -> int:
    """Print why changes do not fit the rules, and return the exit code of a refusal."""
    if as_json:
        print_json({"refused": error.errors, "events": []})
        return REFUSED
    for text in error.errors:
        print_line(f"refused: {text}")
    if hint:
        print_line(hint)
    return REFUSED


def proposal_lines(shown: "Proposal") -> Iterator[str]:
    """Yield a proposal in lines for people."""
    words = ", in words only" if shown.words_only else ""
    yield f"proposal {shown.number} by {shown.by}, period {shown.period}{words}: {_state(shown)}"
    yield shown.text
    for change in shown.changes:
        yield from diff_lines(change)
    for player, choice in shown.votes.items():
        yield f"{player} votes {choice}"


def _state(shown: "Proposal") -> str:
    known: list[Any] = [shown.state, shown.verdict, "carried out" if shown.carried_out else None]
    known.append("void" if shown.is_void else None)
    return ", ".join(dict.fromkeys(map(str, filter(None, known)))) or "undecided"


def diff_lines(change: "ChangeDiff") -> Iterator[str]:
    """Yield *change* as a diff, in lines for people."""
    yield change.what + (f" (does not fit: {change.misfit})" if change.misfit else "")
    for value in change.values:
        yield f"  {value.name}: {_shown(value.old)} → {_shown(value.new)}"
    for line in (*change.prose, *change.code):
        yield f"  {line}"


def _shown(value: Any) -> str:
    """Return *value* as people read it; tables as rulebooks write them, in YAML."""
    import yaml

    from nomoledger.prose.labels import format_cell

    if value is None:
        return "nothing"
    if isinstance(value, dict) or (isinstance(value, list) and any(map(_is_table, value))):
        text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=100_000)
        return text.strip()
    return format_cell(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)
