"""Words for people may change: replays compare what events do; stored names are for good."""

import json
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from nomoledger import events as e
from nomoledger.events import rules
from nomoledger.events.codec import EVENTS
from nomoledger.events.display import without_display_text
from nomoledger.game import engines
from nomoledger.game import replay as replaying
from nomoledger.game.replay import replay
from nomoledger.language.host import Host, Suspended
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.limits import Limits
from nomoledger.state import world

from .test_golden import as_then

HERE = Path(__file__).parent
LEDGERS = sorted(HERE.glob("level-*/*.sqlite.xz"))
#: The games that the default run replays: secrets, a conflict, an audit, a small season.
FAST = ("disputed", "mail-opening", "plots")
SCHEMA = HERE / "schema.json"
#: Structs that are stored within events or within the state, besides the events themselves.
PARTS = (
    *(e.Act, e.Answered, e.LeftOut, e.Replaced, e.TakenIn, e.Waiting),
    *(rules.Amend, rules.Capabilities, rules.Commodity, rules.Do, rules.Enact, rules.Post),
    *(rules.Renumber, rules.Repeal, rules.Rule, rules.Set, rules.FactMapping, rules.Ending),
    *(rules.Rewording, rules.PageTable, rules.PageContent),
    *(world.Attempt, world.Timer),
)


@pytest.fixture
def other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text that the engine composes reads otherwise, as in another version or language."""
    record, suspend = Host.record, Suspended.__init__
    monkeypatch.setattr(Host, "record", lambda host, made: record(host, reworded(made)))
    monkeypatch.setattr(
        Suspended, "__init__", lambda error, question: suspend(error, reworded(question))
    )
    monkeypatch.setattr(engines, "describe_event", lambda *_: "something happens")
    monkeypatch.setattr(replaying, "stream_from_sandbox", run_here)


def run_here(
    function: Callable[..., Iterator[bytes]], *arguments: Any, limits: Limits | None
) -> Iterator[bytes]:
    """Stand in for a sandbox, which would not compose other words."""
    return function(*arguments)


def reworded(event: Any) -> Any:
    blank = without_display_text(event)
    if blank == event:
        return event
    if isinstance(event, e.AttemptRefused):
        reasons = tuple(e.Reason(reason.rule, f"nay: {reason.text}") for reason in event.reasons)
        return msgspec.structs.replace(event, reasons=reasons)
    name = next(x for x in ("text", "why", "by_rules") if hasattr(event, x))
    return msgspec.structs.replace(event, **{name: "in other words"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "golden",
    [
        pytest.param(
            path,
            id=f"{path.parent.name}/{path.name.partition('.')[0]}",
            marks=()
            if path.name.startswith(FAST) and "-of-" not in str(path)
            else pytest.mark.slow,
        )
        for path in LEDGERS
    ],
)
def test_every_recorded_game_replays_exactly_in_other_words(
    golden: Path, other_words: None, tmp_path: Path
) -> None:
    file = tmp_path / "golden.db"
    file.write_bytes(lzma.decompress(golden.read_bytes()))
    expected = json.loads(golden.with_suffix(".json").read_text("utf-8"))
    with Ledger.open(file) as ledger:
        (game,) = ledger.games()
        for question, report in expected.items():
            if question.startswith("replay"):
                period = int(question.partition(" ")[2])
                found = replay(ledger, game, period, from_start=True)
                now = json.loads(msgspec.json.encode(found, enc_hook=str))
                assert as_then(now, report) == report, question


def test_the_names_of_stored_fields_are_those_of_the_schema() -> None:
    """Renaming an attribute or a class is free; a stored name is for good. Names are only added."""
    stored = {tag: struct.__struct_encode_fields__ for tag, struct in EVENTS.items()}
    stored |= {part.__name__: part.__struct_encode_fields__ for part in PARTS}
    stored["state"] = tuple(world.SCHEMA)
    recorded = json.loads(SCHEMA.read_text("utf-8"))
    assert {name: list(fields) for name, fields in stored.items()} == recorded


def test_every_stored_field_has_an_explicit_name() -> None:
    package = Path(e.__file__).parent
    sources = [package / f"{name}.py" for name in ("consequences", "edits", "event", "inputs")]
    for path in (*sources, package / "rules.py"):
        for line in path.read_text("utf-8").splitlines():
            is_field = line.startswith("    ") and line[4:5].isalpha() and ": " in line
            assert "field(" not in line or "name=" in line, line
            if is_field and " = " in line.partition(":")[2] and "def " not in line:
                assert "field(" in line, line
