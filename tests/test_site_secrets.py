"""What is secret leaves no trace on the published site."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from test_site import NOON, contents

from nomoledger import events as e
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import parse
from nomoledger.views.site import publish
from nomoledger.views.site.public_view import public_entries

PROOF = Path(__file__).parent / "rulebooks" / "proof.md"


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "fresh.db", create=True) as ledger:
        yield ledger


def proof(location: Path, plants: bool) -> dict[str, str]:
    """Return the site of a game in which Ann plants something in secret, or does not."""
    with Ledger.open(location / "proof.db", create=True) as ledger:
        rules = parse(PROOF.read_text("utf-8"), "proof.md")
        game = open_game(ledger, "proof", rules, at=NOON, secret=b"s" * 32)
        for name in ("Ann", "Bob"):
            game.join(name, {"team": ""}, at=NOON, id=name)
        if plants:
            game.submit("Ann", "plant", {"square": 33}, at=NOON + timedelta(seconds=7), id="hush")
        later = NOON + timedelta(minutes=1)
        game.submit("Bob", "gift", {"other": "Ann", "amount": 7}, at=later, id="gift")
        game.close(at=later, id="close")
        publish(ledger, "proof", location / "site")
        hidden = [each.number for each in ledger.read("proof") if each.body.audience is not None]
    assert bool(hidden) == plants
    return contents(location / "site")


@pytest.mark.slow
def test_a_secret_changes_nothing_on_the_site(tmp_path: Path) -> None:
    """The site, including its numbers, equals that of a game without the secret."""
    sites = []
    for plants in (False, True):
        (tmp_path / str(plants)).mkdir()
        sites.append(proof(tmp_path / str(plants), plants))
    assert sites[0] == sites[1]


def test_an_answer_to_a_secret_question_is_secret(fresh: Ledger) -> None:
    when: dict[str, Any] = {"period": 1, "received_at": NOON, "recorded_at": NOON}
    asked = e.QuestionRaised(
        question="x|1", asks="choice", to="Ann", text="where?", audience=("Ann",), **when
    )
    answer = e.ChoiceAnswered(id="a", question="x|1", value="there", by="Ann", **when)
    clock = e.ClockAdvanced(id="c", **when)
    fresh.add_game("g")
    fresh.append("g", [asked, answer, clock], expected=-1)
    assert [(each.number, more) for each, more in public_entries(fresh, "g")] == [(0, False)]
