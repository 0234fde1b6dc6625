"""What `rules check --ledger` prints: a file of rules, checked against the rules of a game."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nomoledger.cli.context import open_game_at
from nomoledger.cli.output import print_blocks, print_json, print_line, print_text
from nomoledger.cli.progress import progress
from nomoledger.cli.proposal import case_lines, diff_lines, finding_lines, told_cases

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.rulebook.rules_file_check import RulesFileCheck

WRONG = 1


def check_against_ledger(
    file: str, location: str, game_name: str | None, seconds: float, as_json: bool
) -> int:
    """Check *file* against the rules of a game as it stands; return the exit code.

    The cases of the game are tried for at most *seconds*.
    """
    with open_game_at(location, game_name) as game:
        with progress("trying the cases") as advance:
            checked = game.check_rules_file(file, seconds=seconds, done=advance)
        if as_json:
            print_json(checked)
        else:
            _print(game, checked)
    return WRONG if checked.errors else 0


def _print(game: "Game", checked: "RulesFileCheck") -> None:
    for line in _change_lines(checked):
        print_text(line)
    print_blocks([*finding_lines(checked), *case_lines(checked, None)])
    if not checked.errors:
        no_case = f"no case was tried: {checked.why_no_cases}"
        print_line(no_case if checked.why_no_cases else told_cases(checked))
        print_line(f"{checked.file} fits the rules of {game.name}; nothing is recorded")


def _change_lines(checked: "RulesFileCheck") -> Iterator[str]:
    """Yield the new rules by name, and what else changes as a diff."""
    for change in checked.changes:
        is_same = not (change.misfit or change.values or change.prose or change.code)
        if change.what.startswith("enact "):
            yield f"new: {change.what.removeprefix('enact ')}"
        elif change.what.startswith("amend ") and is_same:
            yield f"as in force: {change.what.removeprefix('amend ')}"
        else:
            yield from diff_lines(change)
