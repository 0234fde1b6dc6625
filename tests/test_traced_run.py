"""A traced run of many requests knows the names of all things, and reads each thing once."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.game.explanation.rendering import TrailTeller
from nomoledger.game.explanation.traced_run import TracedRun, changed_things
from nomoledger.game.start import open_game
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import parse
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMMON: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON}
PLAYERS = 40
CLUB = """### I.1 Club
Words.
```yaml
declares:
  player: {name: Text key, nick: Text}
```
```python
def define_join(name: Text):
    create("player", {"name": name, "nick": name})

def action_call(player: Player, nick: Text):
    set(player, "nick", nick)

def action_go(player: Player):
    destroy(player)
```
"""


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "game.db", create=True) as ledger:
        game = open_game(ledger, "g", parse(CLUB, "club.md"), at=NOON)
        for number in range(PLAYERS):
            game.join(f"P{number}", at=NOON)
        game.submit("P1", "call", {"nick": "Ann"}, at=NOON)
        game.submit("P2", "go", {}, at=NOON)
        yield ledger


def test_names_are_kept_by_what_changed_and_not_all_again_for_each_input(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    keep = TrailTeller.keep

    def counted(names: TrailTeller, entity: str) -> None:
        kept.append(entity)
        keep(names, entity)

    monkeypatch.setattr(TrailTeller, "keep", counted)
    entries = History(ledger, "g").entries()
    bodies = [entry.body for entry in entries]
    run = TracedRun(World(), entries, ledger.secret("g"), entries)
    for place, body in enumerate(bodies):
        if isinstance(body, e.Input):
            for _ in run.take(bodies, place):
                pass
    gone = next(body.entity for body in bodies if isinstance(body, e.EntityDestroyed))
    thing = run.names.thing(gone)
    assert thing is not None
    assert thing.attributes["name"] == "P2"
    called = run.names.thing(run.engine.world.find("player", "P1"))
    assert called is not None
    assert called.attributes["nick"] == "Ann"
    assert len(kept) < 5 * PLAYERS


def test_a_repeal_may_change_anything() -> None:
    assert changed_things([e.RuleRepealed(number="1", source="", **COMMON)]) is None
    moved = e.Moved(piece="p", mode="step", left=None, to="s", passed=(), **COMMON)
    assert changed_things([moved]) == {"p"}
