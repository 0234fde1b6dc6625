"""nomoledger: the ledger of a game whose rules change while it is played.

    from nomoledger import Ledger, load_rulebook, open_game, replay_period

The names below are all a program needs; each is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nomoledger.errors import NomoledgerError
    from nomoledger.game.exchange import export_ledger, import_ledger
    from nomoledger.game.game import Game
    from nomoledger.game.game import Game as Desk
    from nomoledger.game.records import import_record
    from nomoledger.game.replay import Divergence, Report
    from nomoledger.game.replay import replay as replay_period
    from nomoledger.game.start import open_game
    from nomoledger.ledger.as_of import as_of, world_of
    from nomoledger.ledger.ledger import Head, Ledger, Verdict
    from nomoledger.rulebook.cases import load_cases, run_case
    from nomoledger.rulebook.changes import read_changes
    from nomoledger.rulebook.loading import Rulebook
    from nomoledger.rulebook.loading import load as load_rulebook
    from nomoledger.state.world import World

_HOMES = {
    "Desk": "game.game:Game",
    "Game": "game.game",
    "Divergence": "game.replay",
    "Head": "ledger.ledger",
    "Ledger": "ledger.ledger",
    "NomoledgerError": "errors",
    "Outcome": "game.writer",
    "Report": "game.replay",
    "Rulebook": "rulebook.loading",
    "Verdict": "ledger.ledger",
    "World": "state.world",
    "as_of": "ledger.as_of",
    "export_ledger": "game.exchange",
    "import_ledger": "game.exchange",
    "import_record": "game.records",
    "load_cases": "rulebook.cases",
    "load_rulebook": "rulebook.loading:load",
    "open_game": "game.start",
    "read_changes": "rulebook.changes",
    "replay_period": "game.replay:replay",
    "run_case": "rulebook.cases",
    "world_of": "ledger.as_of",
}

__all__ = [
    "Desk",
    "Divergence",
    "Game",
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
