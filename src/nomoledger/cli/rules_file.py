"""What `rules check --ledger` prints: a file of rules, checked against the rules of a game."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nomoledger.cli.context import open_game_at
from nomoledger.cli.output import print_blocks, print_json, print_line, print_text
from nomoledger.cli.proposal import diff_lines, finding_lines

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.rulebook.rules_file_check import RulesFileCheck

WRONG = 1


def check_against_ledger(file: str, location: str, game_name: str | None, as_json: bool) -> int:
    """Check *file* against the rules of a game as it stands; return the exit code."""
    with open_game_at(location, game_name) as game:
        checked = game.check_rules_file(file)
        if as_json:
            print_json(checked)
        else:
            _print(game, checked)
    return WRONG if checked.errors else 0


def _print(game: "Game", checked: "RulesFileCheck") -> None:
    for line in _change_lines(checked):
        print_text(line)
    print_blocks(finding_lines(checked))
    if not checked.errors:
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
