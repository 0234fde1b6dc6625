"""Campaign: the rules of the real season, each repealed, renumbered or emptied after week 8.

python tests/campaigns/season_rules_campaign.py
python tests/campaigns/season_rules_campaign.py --only VI.1 XVIII.5

Every rule in force is repealed. The rules that came or changed in weeks 6 to 8 are also renumbered,
and amended to empty code. After each change, the facts of weeks 6 to 8 are played again as week 9,
the week is closed, and `status`, `standings` and `replay` are run. Trouble is whatever fails there,
unless it fails without the change, too. The exit code is 1 if there is any.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from click.testing import CliRunner

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.errors import NomoledgerError
from nomoledger.events.display import CODE_FAILED
from nomoledger.events.rules import Amend, Change, Renumber, Repeal, Rule
from nomoledger.game.game import Game
from nomoledger.game.recorded_games import files
from nomoledger.game.records import import_record, read_record
from nomoledger.ledger.as_of import as_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import open_pool

SEASON = "weekly-vote-season"
#: The first week whose rules are also renumbered and emptied, the last week, and the week played.
SINCE, LAST, AGAIN = 6, 8, 9
#: What a report says of a fact, or a refusal of an attempt, on which the code of a rule fails.
_FAILED = ("a rule fails on it", CODE_FAILED)
_SHOWN = ("status", "standings --all", "rules", f"replay --period {AGAIN}")


def write_facts(file: Path, until: int | None = None) -> None:
    """Write the facts of the weeks since `SINCE` to *file*, as a record of the week `AGAIN`.

    If *until* is given, write the first *until* facts only.
    """
    _, second = files(SEASON)
    facts = [line.fields | {"week": AGAIN} for line in read_record(second)[1]]
    kept = [json.dumps(fact) for fact in facts if "kind" in fact]
    lines = ['{"open": true}', *kept[:until]]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def changes_of(location: Path) -> dict[str, Change]:
    """Return the changes to try in the season at *location*, by name."""
    with Ledger.open(location) as ledger:
        rules = [rule for rule in Game(ledger, SEASON).world.rules if not rule.common]
        before = {rule.number: rule for rule in as_of(ledger, SEASON, SINCE - 1).rules}
    late = [rule for rule in rules if _is_changed(rule, before.get(rule.number))]
    return {
        **{f"{rule.number} repealed": Repeal(rule.number) for rule in rules},
        **{f"{rule.number} renumbered": Renumber(rule.number, f"Z.{rule.number}") for rule in late},
        **{f"{rule.number} emptied": Amend(number=rule.number, code="") for rule in late},
    }


def _is_changed(rule: Rule, before: Rule | None) -> bool:
    return before is None or rule.version != before.version


def trouble_after(season: Path, facts: Path, folder: Path, *changes: Change) -> list[str]:
    """Make *changes* in a copy of *season*, play *facts*, close the week; return what fails.

    The copy is kept in *folder*.
    """
    location = folder / "season.db"
    shutil.copy(season, location)
    found: list[str] = []
    with Ledger.open(location) as ledger:
        first = Game(ledger, SEASON).world.head + 1
        steps: list[tuple[str, Callable[[], object]]] = [
            ("the change", lambda: Game(ledger, SEASON).rule("It is tried.", changes=changes)),
            ("the facts", lambda: import_record(ledger, facts)),
            ("the close", lambda: _close(Game(ledger, SEASON))),
        ]
        for name, step in steps:
            try:
                step()
            except NomoledgerError as error:
                found.append(f"{name}: {error}")
            except Exception as error:  # what a campaign looks for
                found.append(f"{name}: unexpected: {error!r}")
        found += _failures(ledger, first)
    return [*found, *_commands_that_fail(location)]


def _close(game: Game) -> None:
    game.close()
    if game.world.period == AGAIN:
        raise AssertionError(f"week {AGAIN} does not close: {game.world.waiting}")


def _failures(ledger: Ledger, first: int) -> Iterator[str]:
    """Yield what failed in the events since the number *first*."""
    for entry in ledger.read(SEASON):
        body = entry.body
        if entry.number < first:
            continue
        if isinstance(body, e.FactUnexplained) and _FAILED[0] in body.why:
            yield body.why
        elif isinstance(body, e.AttemptRefused):
            texts = (reason.text for reason in body.reasons)
            yield from (f"{body.operation}: {text}" for text in texts if _FAILED[1] in text)
        elif isinstance(body, e.StepFailed):
            yield f"a step failed: {body.step}"


def _commands_that_fail(location: Path) -> Iterator[str]:
    for words in _SHOWN:
        command, *rest = words.split()
        result = CliRunner().invoke(program, [command, str(location), *rest])
        if result.exit_code > 1 or (result.exception and result.exit_code not in (0, 1)):
            yield f"{words}: exit code {result.exit_code}: {result.stderr.strip()}"
        elif result.exception and not isinstance(result.exception, SystemExit):
            yield f"{words}: {result.exception!r}"


class _Trials:
    """Tries changes in copies of one season; called with each change."""

    def __init__(self, season: Path, facts: Path) -> None:
        self.season = season
        self.facts = facts

    def __call__(self, change: Change) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            return trouble_after(self.season, self.facts, Path(folder), change)


def main() -> None:
    """Run the campaign that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="RULE", help="change only these rules")
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        season, facts = Path(folder) / "season.db", Path(folder) / "week-9.jsonl"
        with Ledger.open(season, create=True) as ledger:
            for file in files(SEASON):
                import_record(ledger, file)
        write_facts(facts)
        (Path(folder) / "control").mkdir()
        control = set(trouble_after(season, facts, Path(folder) / "control"))
        changes = changes_of(season)
        if options.only:
            changes = {k: v for k, v in changes.items() if k.split()[0] in options.only}
        names, bad = list(changes), 0
        with open_pool() as pool:
            for place, found in pool.map(_Trials, (season, facts), changes.values()):
                name = names[place]
                new = [text for text in dict.fromkeys(found) if text not in control]
                bad += bool(new)
                for text in new:
                    print(f"{name}: {text}", flush=True)
    print(f"{len(changes)} changes in {time.monotonic() - begin:.0f} s: {bad} lead to trouble")
    if control:
        print(f"without any change: {'; '.join(sorted(control))}")
    sys.exit(int(bad > 0))


if __name__ == "__main__":
    main()
