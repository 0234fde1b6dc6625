"""nomoledger: record, replay, audit and explain a game whose rules change while it is played.

What is listed here is the library's public face; it is loaded when it is first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nomoledger.chain import Head
    from nomoledger.desk import Desk, Outcome, as_of, open_game, world_of
    from nomoledger.errors import NomoledgerError
    from nomoledger.exchange import export_ledger, import_ledger
    from nomoledger.ledger import Ledger
    from nomoledger.replay import Report
    from nomoledger.replay import replay as replay_period
    from nomoledger.rules.rulebook import Rulebook
    from nomoledger.rules.rulebook import load as load_rulebook
    from nomoledger.verify import Verdict
    from nomoledger.words import tell
    from nomoledger.world import World

__all__ = [
    "Desk",
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
    "load_rulebook",
    "open_game",
    "replay_period",
    "tell",
    "world_of",
]

_HOMES = {
    "Desk": "desk",
    "Head": "chain",
    "Ledger": "ledger",
    "NomoledgerError": "errors",
    "Outcome": "desk",
    "Report": "replay",
    "Rulebook": "rules.rulebook",
    "Verdict": "verify",
    "World": "world",
    "as_of": "desk",
    "export_ledger": "exchange",
    "import_ledger": "exchange",
    "load_rulebook": "rules.rulebook:load",
    "open_game": "desk",
    "replay_period": "replay:replay",
    "tell": "words",
    "world_of": "desk",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, called = _HOMES[name].partition(":")
    found = getattr(import_module(f"{__name__}.{module}"), called or name)
    globals()[name] = found
    return found
