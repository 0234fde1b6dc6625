"""A file of rules tried on a game as it stands, before a record or a ruling brings it in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from nomoledger.errors import RulebookError, RuleFault, UsageError
from nomoledger.events.rules import Change
from nomoledger.game.copied_cases import try_copied_cases
from nomoledger.intake.short_text import shortened
from nomoledger.intake.unreadable import why_unreadable
from nomoledger.ledger.event_history import History
from nomoledger.rulebook.changes import parse_changes
from nomoledger.rulebook.loading import Rulebook, load
from nomoledger.rulebook.rules_file_check import (
    RulesFileCheck,
    TriedRulesFile,
    check_rules_file,
)
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox

#: How the names of files end that list changes. All others hold rules.
_LISTS_CHANGES = (".yaml", ".yml")
#: Why no case is tried.
_HAS_ERRORS = "mend the errors first"
_HAS_NONE = "the ledger has none for this game, such as for every imported game"


def check_file(
    history: History,
    file: str,
    limits: Limits | None,
    *,
    seconds: float,
    done: Callable[[int], Any],
) -> RulesFileCheck:
    """Try *file* on the game of *history*. See `GameReadings.check_rules_file`."""
    name = Path(file).name
    try:
        book, changes = _read(file)
        tried = call_in_sandbox(
            check_rules_file,
            history.world(),
            name,
            book,
            changes,
            "proposal",
            kind=TriedRulesFile,
            limits=limits,
        )
    except (RulebookError, RuleFault) as error:
        text = shortened(str(error))
        errors = (text if name in text else f"{name}: {text}",)
        return RulesFileCheck(file=name, errors=errors, why_no_cases=_HAS_ERRORS)
    return _with_cases(history, tried, seconds, done)


def _with_cases(
    history: History, tried: TriedRulesFile, seconds: float, done: Callable[[int], Any]
) -> RulesFileCheck:
    """Return what *tried* says, and what came of the cases of the game."""
    told, checked = tried
    if told.errors:
        return replace(told, why_no_cases=_HAS_ERRORS)
    if checked.before == checked.after:
        return replace(told, why_no_cases="no rule would change")
    try:
        compared = try_copied_cases(history, checked, seconds=seconds, done=done)
    except RulebookError as error:
        return replace(told, why_no_cases=str(error))
    if compared is None:
        return replace(told, why_no_cases=_HAS_NONE)
    return replace(
        told,
        cases_failing=compared.failing,
        cases_tried=compared.tried,
        cases_not_tried=compared.not_tried,
    )


def _read(file: str) -> tuple[Rulebook | None, tuple[Change, ...]]:
    """Return the rules in *file*, or the changes that it lists."""
    if not file.endswith(_LISTS_CHANGES):
        return load(file), ()
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {why_unreadable(error)}") from None
    return None, parse_changes(text, Path(file).name, with_code=False)
