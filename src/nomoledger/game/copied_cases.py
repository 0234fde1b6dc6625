"""The cases of the rulebook that a new game keeps a copy of, tried under other rules."""

from collections.abc import Callable
from typing import Any

from nomoledger import events as e
from nomoledger.ledger.event_history import History
from nomoledger.rulebook.case_comparison import CaseComparison, compare_cases
from nomoledger.rulebook.change_check import ChangeCheck


def try_copied_cases(
    history: History, checked: ChangeCheck, *, seconds: float, done: Callable[[int], Any]
) -> CaseComparison | None:
    """Try the cases of the game of *history* under the rules that *checked* would make.

    They are tried for at most *seconds*; *done* is called after each. None if the game has no
    copied cases, such as an imported game.

    Raises:
        RulebookError: the cases cannot be read.
    """
    texts = _copied_cases(history)
    if not texts:
        return None
    name = str(history.world().game["rulebook"])
    before, after = checked.before, checked.after
    return compare_cases(texts, name, before, after, checked.numbers, seconds=seconds, done=done)


def _copied_cases(history: History) -> dict[str, bytes]:
    """Return the cases that were copied when the game opened, compressed, by file."""
    for entry in history.ledger.read(history.game, after=0):
        if isinstance(entry.body, e.CasesCopied):
            return entry.body.texts
        if not isinstance(entry.body, e.RuleEnacted):
            break
    return {}
