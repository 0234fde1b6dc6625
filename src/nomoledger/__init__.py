"""nomoledger: the ledger of a game whose rules change while it is played.

    from nomoledger import Ledger, load_rulebook, open_game, replay_period

The names below are all a program needs; each is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nomoledger.cases import load_cases, run_case
    from nomoledger.changes import read_changes
    from nomoledger.desk import Desk, Outcome
    from nomoledger.errors import NomoledgerError
    from nomoledger.exchange import export_ledger, import_ledger
    from nomoledger.ledger import Head, Ledger, Verdict
    from nomoledger.records import import_record
    from nomoledger.replay import Divergence, Report
    from nomoledger.replay import replay as replay_period
    from nomoledger.rules.rulebook import Rulebook
    from nomoledger.rules.rulebook import load as load_rulebook
    from nomoledger.start import open_game
    from nomoledger.state import as_of, world_of
    from nomoledger.world import World

_HOMES = {
    "Desk": "desk",
    "Divergence": "replay",
    "Head": "ledger",
    "Ledger": "ledger",
    "NomoledgerError": "errors",
    "Outcome": "desk",
    "Report": "replay",
    "Rulebook": "rules.rulebook",
    "Verdict": "ledger",
    "World": "world",
    "as_of": "state",
    "export_ledger": "exchange",
    "import_ledger": "exchange",
    "import_record": "records",
    "load_cases": "cases",
    "load_rulebook": "rules.rulebook:load",
    "open_game": "start",
    "read_changes": "changes",
    "replay_period": "replay:replay",
    "run_case": "cases",
    "world_of": "state",
}

__all__ = [
    "Desk",
    "Divergence",
    "Head",
    "Ledger",
    "NomoledgerError",
    "Outcome",
    "Report",
    "Rulebook",
    "Verdict",
    "World",
    "as_of",
    "export_ledger",
    "import_ledger",
    "import_record",
    "load_cases",
    "load_rulebook",
    "open_game",
    "read_changes",
    "replay_period",
    "run_case",
    "world_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, _, called = _HOMES[name].partition(":")
    return getattr(import_module(f"{__name__}.{home}"), called or name)
