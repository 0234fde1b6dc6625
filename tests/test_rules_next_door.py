"""Rules of the real season without their neighbours: a sample of `season_rules_campaign.py`."""

import shutil
from pathlib import Path

import pytest
from season_rules_campaign import SEASON, trouble_after, write_facts
from tiers import sample_rows

from nomoledger.events.rules import Change, Renumber, Repeal
from nomoledger.game.recorded_games import files
from nomoledger.game.records import import_record
from nomoledger.ledger.ledger import Ledger


@pytest.fixture(scope="module")
def season(season_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the season after eight weeks, and with facts to play again."""
    folder = tmp_path_factory.mktemp("season")
    with Ledger.open(shutil.copy(season_file, folder / "season.db")) as ledger:
        import_record(ledger, files(SEASON)[1])
    write_facts(folder / "first.jsonl", until=12)
    write_facts(folder / "all.jsonl")
    return folder


#: Changes that led to trouble once, and one of a rule of week 6, with the facts that are played.
CHANGES = [
    ("first.jsonl", Repeal("V.4")),
    ("all.jsonl", Repeal("V.5")),
    ("all.jsonl", Repeal("XX.1")),
    ("all.jsonl", Renumber("XXIII.4", "Z.1")),
]


@pytest.mark.parametrize(("facts", "change"), sample_rows(CHANGES, 1))
def test_the_game_goes_on_without_a_rule(
    season: Path, tmp_path: Path, facts: str, change: Change
) -> None:
    assert trouble_after(season / "season.db", season / facts, tmp_path, change) == []
