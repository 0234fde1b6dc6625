"""A file of rules tried on a game as it stands, before a record or a ruling brings it in."""

from pathlib import Path

from nomoledger.errors import RulebookError, RuleFault, UsageError
from nomoledger.events.rules import Change
from nomoledger.intake.short_text import shortened
from nomoledger.intake.unreadable import why_unreadable
from nomoledger.ledger.event_history import History
from nomoledger.rulebook.changes import parse_changes
from nomoledger.rulebook.loading import Rulebook, load
from nomoledger.rulebook.rules_file_check import RulesFileCheck, check_rules_file
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox

#: How the names of files end that list changes. All others hold rules.
_LISTS_CHANGES = (".yaml", ".yml")


def check_file(history: History, file: str, limits: Limits | None) -> RulesFileCheck:
    """Try *file* on the game of *history*. See `GameReadings.check_rules_file`."""
    name = Path(file).name
    try:
        book, changes = _read(file)
        return call_in_sandbox(
            check_rules_file,
            history.world(),
            name,
            book,
            changes,
            "proposal",
            kind=RulesFileCheck,
            limits=limits,
        )
    except (RulebookError, RuleFault) as error:
        text = shortened(str(error))
        return RulesFileCheck(file=name, errors=(text if name in text else f"{name}: {text}",))


def _read(file: str) -> tuple[Rulebook | None, tuple[Change, ...]]:
    """Return the rules in *file*, or the changes that it lists."""
    if not file.endswith(_LISTS_CHANGES):
        return load(file), ()
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {why_unreadable(error)}") from None
    return None, parse_changes(text, Path(file).name, with_code=False)
