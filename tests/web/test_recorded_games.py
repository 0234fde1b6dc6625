"""The past and the copies of games that earlier versions recorded, some of them with secrets."""

import lzma
from pathlib import Path

import pytest

from nomoledger.game.desk.copied_game import acts_in_copy, ask_in_copy, copy_game, copy_state
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.views.past.index import past_index
from nomoledger.views.past.scene import scene_at
from nomoledger.views.past.trail import event_trail

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.slow
@pytest.mark.parametrize("level", ["level-0", "level-2", "level-3"])
@pytest.mark.parametrize("name", ["plots", "nomopoly-iii", "mail-opening"])
def test_a_recorded_game_has_a_past_for_each_reader_and_can_be_copied(
    level: str, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "golden.db"
    file.write_bytes(lzma.decompress((GOLDEN / level / f"{name}.sqlite.xz").read_bytes()))
    with Ledger.open(file) as ledger:
        game = Game(ledger)
        player = str(game.world.label(game.world.kinds["player"][0]))
        counts = []
        for reader in (None, player, "admin"):
            index = past_index(game, reader)
            assert [event.number for event in index.events] == list(range(len(index.events)))
            assert scene_at(game, reader, index.shown[-1]).players
            for number in index.shown[-3:]:
                event_trail(game, reader, number)
            counts.append(len(index.events))
        assert counts == sorted(counts)
        for upto in (None, counts[0] // 2):
            copy = tmp_path / f"copy-{upto}.db"
            last = copy_game(game, str(copy), upto, b"s" * 32).number
            with Ledger.open(copy) as other:
                copied = Game(other)
                assert copy_state(copied, last).players
                acts_in_copy(copied, player)
                if copied.world.waiting is None and upto is None:
                    assert ask_in_copy(copied, "close", id="close").events
