"""Evidence in disputes is computed by us: nothing that somebody made up is published as ours."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from proof.pairs import PairedGame, Public, Sealed
from proof.plots import NOON

from nomoledger import events as e
from nomoledger.cli import program
from nomoledger.events.levels import LEVELS
from nomoledger.game.evidence import describe_evidence
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import public_events
from nomoledger.proof.translation import Terms
from nomoledger.state.reducer import SETTLE
from nomoledger.views.site import publish

PLAYED = [Public("go", 0, 0), Public("go", 1, 0), Public("dispute", 0, 0)]
SECRETS = [Sealed(0, 3, "bid", 1), Sealed(1, 3, "bid", 2), Sealed(1, 5, "order", 0)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A game with secrets and a public dispute."""
    game = PairedGame(tmp_path / "pair.db")
    with game.ledger:
        game.play(PLAYED, SECRETS)
    return tmp_path / "pair.db"


def run(*words: object) -> Result:
    return CliRunner().invoke(program, [*map(str, words)])


def number_of(file: Path, id: str) -> int:
    with Ledger.open(file) as ledger:
        return next(
            x.number for x in ledger.read("pair")
            if isinstance(x.body, e.Input) and x.body.id == id
        )  # fmt: skip


def saved(file: Path, *options: object) -> dict[str, Any]:
    """Return what `what-if --save` writes."""
    target = file.with_name("saved.json")
    done = run("what-if", file, *options, "--save", target)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(target.read_text())
    return found


def attach(file: Path, content: Any) -> Result:
    target = file.with_name("made-up.json")
    target.write_text(json.dumps(content))
    return run("dispute", "argue", file, 1, "Bob", "See what follows.", "--what-if", target)


def published(file: Path) -> list[dict[str, Any]]:
    """Return the evidence in the public events of *file*."""
    with Ledger.open(file) as ledger:
        bodies = [entry.body for entry in public_events(ledger.read("pair"))]
    return [body.evidence for body in bodies if isinstance(body, e.DisputeArgued)]


def site(file: Path) -> str:
    with Ledger.open(file) as ledger:
        publish(ledger, "pair", file.parent / "site")
    return (file.parent / "site" / "rulings.html").read_text("utf-8")


def test_a_secret_order_does_not_show_in_the_evidence(file: Path) -> None:
    (evidence,) = published(file)
    assert evidence["exact"]
    assert "withheld" not in evidence
    assert "beyond" not in evidence


def test_made_up_results_are_not_attached(file: Path) -> None:
    left_out = number_of(file, "p4")
    made_up = saved(file, "--without", left_out)
    made_up |= {
        "first": 1_000_000,
        "difference": {"event": 7, "recorded": "a lie", "rerun": "a lie", "rules": []},
        "otherwise": [{"subject": "Ann", "what": "$", "recorded": 1, "rerun": 999_999}],
        "places": [],
        "stopped": "a lie",
        "computed": True,
    }
    done = attach(file, made_up)
    assert done.exit_code == 0, done.output
    evidence = published(file)[1]
    assert evidence["computed"]
    assert evidence["places"]
    assert "lie" not in json.dumps(evidence)
    assert "1000000" not in json.dumps(evidence)
    with Ledger.open(file) as ledger:
        entries = list(public_events(ledger.read("pair")))
    first = entries[evidence["first"]].body
    assert isinstance(first, e.SubmissionReceived)
    assert first.id == "p4"
    page = site(file)
    assert "lie" not in page
    assert "played again from" in page


@pytest.mark.parametrize("edit", ["replaced", "left-out", "taken-in"])
def test_a_made_up_event_is_refused(file: Path, edit: str) -> None:
    made_up = saved(file, "--without", number_of(file, "p4"))
    for number in (1_000_000, -1, -1_000_000):
        fields: dict[str, Any] = {"edit": edit, "event": number}
        if edit == "replaced":
            fields["value"] = [1, 1]
        elif edit == "taken-in":
            fields = {"edit": edit, "after": number, "by": "Ann", "action": "go"}
        done = attach(file, made_up | {"changes": {"edits": [fields]}})
        assert done.exit_code == 2
        assert f"there is no event #{number} that everybody" in done.output
    assert len(published(file)) == 1


def test_an_edit_of_a_sealed_event_is_refused_in_a_public_dispute(file: Path) -> None:
    sealed = number_of(file, "s4")
    done = attach(file, saved(file, "--without", sealed))
    assert done.exit_code == 2
    assert f"there is no event #{sealed} that everybody who sees the dispute" in done.output
    assert len(published(file)) == 1


@pytest.mark.parametrize("content", [[], {}, {"game": "pair"}, {"game": "pair", "changes": 3}])
def test_a_file_without_changes_is_refused(file: Path, content: Any) -> None:
    done = attach(file, content)
    assert done.exit_code == 2
    assert "not a what-if" in done.output
    assert "save one with what-if --save FILE" in done.output


def test_play_that_depends_on_secrets_is_no_evidence_in_a_public_dispute(file: Path) -> None:
    """Bob's bid is revealed by a ruling on the rules, so public play follows from a secret."""
    with Ledger.open(file) as ledger:
        game = Game(ledger)
        game.propose("Ann", "Reveal.", ())
        game.rule("Reveal.", changes=_reveal_bids())
        game.submit("Ann", "show")
    made = saved(file, "--without", number_of(file, "p4"))
    done = attach(file, made)
    assert done.exit_code == 2
    assert "recorded play does not follow from the events alone" in done.output


def _reveal_bids() -> tuple[Any, ...]:
    from nomoledger.events.rules import Enact, Rule

    code = "def action_show(player: Player):\n    set(player, 'score', get('Bob', 'bid') or 0)\n"
    return (Enact(Rule(number="9", title="Show", prose="Show.", code=code)),)


def test_the_replay_says_how_much_does_not_follow_from_public_events(file: Path) -> None:
    with Ledger.open(file) as ledger:
        game = Game(ledger)
        game.rule("Reveal.", changes=_reveal_bids())
        game.submit("Ann", "show")
        game.dispute("Ann", "Why?", period=game.world.period)
    evidence = published(file)[1]
    assert not evidence["exact"]
    assert evidence["divergences"] == []
    assert evidence["beyond"]["events"] >= 1
    lines = list(describe_evidence(evidence))
    assert any("not follow from the visible events alone, from #" in line for line in lines)


def test_evidence_that_an_older_version_attached_is_marked_as_unchecked(file: Path) -> None:
    made_up = saved(file, "--without", number_of(file, "p4"))
    del made_up["changes"]
    with Ledger.open(file) as ledger:
        game = Game(ledger)
        game.receive(e.DisputeArgued, dispute=1, by="Bob", text="See.", evidence=made_up)
    page = site(file)
    assert "from an attached file, which nobody has checked:" in page
    assert "played again" not in page
    assert "by the file from #" in page


def test_a_ruling_cannot_cite_an_event_that_does_not_exist(file: Path) -> None:
    done = run("ruling", file, "So.", "--cite", "#1000000")
    assert done.exit_code == 2
    assert "there is no event #1000000 to cite" in done.output


def refusal(text: str) -> e.AttemptRefused:
    """Return the refusal of a ruling, with *text* as its reason."""
    return e.AttemptRefused(
        period=1, received_at=NOON, recorded_at=NOON, cause=3, rules=("ruling:1",),
        attempt="r", operation=SETTLE, reasons=(e.Reason("ruling:1", text),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("level", "published"), [(2, "#2 Ann: see #999998 and -1"), (3, "#2 Ann: see #1000000 and -1")]
)
def test_numbers_that_people_wrote_are_published_as_they_are(level: int, published: str) -> None:
    """A translated number would be that number less the sealed events before it."""
    terms = Terms()
    terms.level = LEVELS[level]
    for number in (0, 1):
        terms.events.seal(number)
    text = "later play does not fit: #4 Ann: see #1000000 and -1"
    told = terms.of(refusal(text))
    assert isinstance(told, e.AttemptRefused)
    assert told.reasons[0].text == f"later play does not fit: {published}"
