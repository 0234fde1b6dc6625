"""nomoledger: the ledger of a game whose rules change while it is played.

    import nomoledger

    with nomoledger.open("game.db", create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening")
        game.join("Ann", {"email": "ann@example.org"})

The names below are all a program needs; each is loaded when it is first used. Where modules lie
may change: import from here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nomoledger.errors import (
        ConflictError,
        CorruptError,
        LostError,
        MisfitError,
        MovedError,
        NomoledgerError,
        RecordError,
        RulebookError,
        RuleFault,
        SandboxError,
        StoreError,
        UnconfirmedError,
        UnknownError,
        UsageError,
    )
    from nomoledger.events import Event
    from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
    from nomoledger.game.exchange import export_ledger, import_ledger
    from nomoledger.game.game import Game
    from nomoledger.game.game import Game as Desk
    from nomoledger.game.game_ledger import GameLedger
    from nomoledger.game.game_ledger import open_ledger as open
    from nomoledger.game.keepers import Keepers
    from nomoledger.game.league import League
    from nomoledger.game.proposal_check import ProposalCheck
    from nomoledger.game.proposal_view import Proposal
    from nomoledger.game.records import import_record
    from nomoledger.game.replay import Divergence, Report
    from nomoledger.game.replay import replay as replay_period
    from nomoledger.game.start import open_game
    from nomoledger.game.writer import Outcome
    from nomoledger.ledger.as_of import as_of, world_of
    from nomoledger.ledger.ledger import Head, Ledger
    from nomoledger.ledger.verification import Verdict
    from nomoledger.rulebook.cases import load_cases, run_case
    from nomoledger.rulebook.changes import read_changes
    from nomoledger.rulebook.loading import Rulebook
    from nomoledger.rulebook.loading import load as load_rulebook
    from nomoledger.state.world import World

#: The module of each public name, and the name there where it differs.
_HOMES = {
    "ConflictError": "errors",
    "CorruptError": "errors",
    "Desk": "game.game:Game",
    "Divergence": "game.replay",
    "Event": "events",
    "Game": "game.game",
    "GameLedger": "game.game_ledger",
    "Head": "ledger.ledger",
    "Keepers": "game.keepers",
    "League": "game.league",
    "Ledger": "ledger.ledger",
    "LostError": "errors",
    "MisfitError": "errors",
    "MovedError": "errors",
    "NomoledgerError": "errors",
    "Outcome": "game.writer",
    "Proposal": "game.proposal_view",
    "ProposalCheck": "game.proposal_check",
    "RecordError": "errors",
    "Report": "game.replay",
    "RuleFault": "errors",
    "Rulebook": "rulebook.loading",
    "RulebookError": "errors",
    "SandboxError": "errors",
    "StoreError": "errors",
    "UnconfirmedError": "errors",
    "UnknownError": "errors",
    "UsageError": "errors",
    "Verdict": "ledger.verification",
    "WhatIf": "game.counterfactual",
    "WhatIfChanges": "game.counterfactual",
    "World": "state.world",
    "as_of": "ledger.as_of",
    "export_ledger": "game.exchange",
    "import_ledger": "game.exchange",
    "import_record": "game.records",
    "load_cases": "rulebook.cases",
    "load_rulebook": "rulebook.loading:load",
    "open": "game.game_ledger:open_ledger",
    "open_game": "game.start",
    "read_changes": "rulebook.changes",
    "replay_period": "game.replay:replay",
    "run_case": "rulebook.cases",
    "world_of": "ledger.as_of",
}

__all__ = [
    "ConflictError",
    "CorruptError",
    "Desk",
    "Divergence",
    "Event",
    "Game",
    "GameLedger",
    "Head",
    "Keepers",
    "League",
    "Ledger",
    "LostError",
    "MisfitError",
    "MovedError",
    "NomoledgerError",
    "Outcome",
    "Proposal",
    "ProposalCheck",
    "RecordError",
    "Report",
    "RuleFault",
    "Rulebook",
    "RulebookError",
    "SandboxError",
    "StoreError",
    "UnconfirmedError",
    "UnknownError",
    "UsageError",
    "Verdict",
    "WhatIf",
    "WhatIfChanges",
    "World",
    "as_of",
    "export_ledger",
    "import_ledger",
    "import_record",
    "load_cases",
    "load_rulebook",
    "open",
    "open_game",
    "read_changes",
    "replay_period",
    "run_case",
    "world_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(f"{__name__}.{home}"), attribute or name)
