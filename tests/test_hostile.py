"""Hostile rules: each is proposed, accepted and triggered in a running game, and does no harm.

The cases stand in `tests/hostile/*.yaml`. `refused`, `fault`, `suspended` and `asks` say what must
come of the code (a pattern); `fine` that it may run, since it can do nothing. A fault may end the
request, or drop the step that met it, which is then refused, or suspended if it is a check.
Whatever comes: the ledger holds whole attempts only and verifies, a ruling gets rid of the rule,
and play goes on.
"""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tiers import sample

from nomoledger import events as e
from nomoledger.errors import RuleFault, UsageError
from nomoledger.events.display import CODE_FAILED
from nomoledger.events.rules import Enact, Repeal, Rule
from nomoledger.game.game import Game
from nomoledger.game.replay import replay
from nomoledger.game.start import open_game
from nomoledger.game.writer import Outcome
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.exact_yaml import load_yaml
from nomoledger.rulebook.loading import load
from nomoledger.sandbox import fork_server
from nomoledger.sandbox.fork_server import ForkServer
from nomoledger.sandbox.limits import Limits

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LIMITS = Limits(memory_bytes=256 << 20, cpu_seconds=0.6, wall_seconds=8.0)
SECONDS_MAX = 8.0
#: How much longer a request may take for each step that fails in all its sandboxes and is dropped.
SECONDS_DROPPED = 4.0
#: What ends a transaction.
ENDS = (e.AttemptDone, e.AttemptRefused, e.QuestionRaised, e.PeriodClosed)


class Hostile(msgspec.Struct, forbid_unknown_fields=True):
    """A rule's code and data, what is done after it is adopted, and what must come of it."""

    code: str
    number: str = "H.1"
    parameters: dict[str, Any] = {}
    declares: dict[str, dict[str, str]] = {}
    line: int = 1
    then: list[str] = []
    refused: str | None = None
    fault: str | None = None
    suspended: str | None = None
    asks: str | None = None
    fine: bool = False

    @property
    def rule(self) -> Rule:
        return Rule(
            number=self.number,
            title="Hostile",
            prose="It means no good.",
            code=self.code,
            parameters=self.parameters,
            declares=self.declares,
            line=self.line,
        )


def hostile() -> dict[str, Hostile]:
    found: dict[str, Hostile] = {}
    for file in sorted((Path(__file__).parent / "hostile").glob("*.yaml")):
        for name, given in load_yaml(file.read_text(encoding="utf-8")).items():
            assert name not in found, f"{name} is there twice"
            found[name] = msgspec.convert(given, Hostile)
    return found | generated()


def generated() -> dict[str, Hostile]:
    """Code that is too long to be written down."""
    nested = "".join("    " * i + f"if {i}:\n" for i in range(1, 90)) + "    " * 90 + "pass\n"
    defs = "".join("    " * i + f"def f{i}():\n" for i in range(90)) + "    " * 90 + "pass\n"
    bodies = {
        "parentheses within parentheses": "(" * 5_000 + "1" + ")" * 5_000,
        "lists within lists": "[" * 150 + "1" + "]" * 150,
        "not upon not": "not " * 9_000 + "1",
        "minus upon minus": "-" * 19_000 + "1",
        "a sum of ten thousand": "1" + " + 1" * 9_000,
        "calls of calls": "str" + "(str" * 5_000 + ")" * 5_000,
        "a comparison without end": "1" + " if 1 else 1" * 3_000,
        "a number of many digits": "1" * 30_000,
        "code as long as a book": "'" + "x" * 50_000 + "'",
        "dots upon dots": "player" + ".a" * 15_000,
    }
    found = {
        name: Hostile(f"def after_turn(player):\n    return {body}\n", refused=".")
        for name, body in bodies.items()
    }
    found["lists within lists"] = Hostile(found["lists within lists"].code, fine=True)
    found["conditions within conditions"] = Hostile(f"def after_turn(p):\n{nested}", fine=True)
    found["functions within functions"] = Hostile(defs, fine=True)
    return found


# --- a game under way ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def under_way(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of a game in which Ann and Bob play, and Ann may buy a square."""
    file = tmp_path_factory.mktemp("hostile") / "game.db"
    with Ledger.open(file, create=True) as ledger:
        desk = open_game(ledger, "game", load("mail-opening"), at=NOON, secret=b"s" * 32)
        desk.join("Ann", {"email": "ann@example.org"}, at=NOON)
        desk.join("Bob", {"email": "bob@example.org"}, at=NOON)
        desk.propose("Bob", "Nothing yet.", (), at=NOON)
    return file


@pytest.fixture
def desk(
    under_way: Path, tmp_path: Path, strict_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Game]:
    monkeypatch.setattr(fork_server, "current", lambda: strict_server)
    file = shutil.copy(under_way, tmp_path / "game.db")
    with Ledger.open(file) as ledger:
        yield Game(ledger, limits=LIMITS, clock=lambda: NOON)


def buy(desk: Game) -> Outcome:
    offer = desk.world.attributes[desk.world.kinds["offer"][0]]
    square = desk.world.label(offer["square"])
    return desk.submit(offer["player"], "buy", {"square": square})


COMMANDS: dict[str, Callable[[Game], Outcome]] = {
    "close": lambda desk: desk.close(),
    "join": lambda desk: desk.join("Cid", {"email": "cid@example.org"}),
    "buy": buy,
    "eight days": lambda desk: desk.advance(at=NOON + timedelta(days=8)),
    "propose": lambda desk: desk.propose("Ann", "More.", ()),
}


class Witness:
    """Gives commands to a desk, and keeps what came of them."""

    def __init__(self, desk: Game) -> None:
        self.desk = desk
        self.refused: list[str] = []
        self.dropped: set[str] = set()
        self.faults: list[str] = []
        self.suspended: list[str] = []
        self.asked: list[str] = []

    def see(self, command: Callable[[Game], Outcome]) -> None:
        desk, begin = self.desk, time.monotonic()
        head = desk.ledger.head(desk.name).number
        try:
            command(desk)
        except RuleFault as fault:
            self.faults.append(str(fault))
        seconds = time.monotonic() - begin
        dropped = self.note([entry.body for entry in desk.ledger.read(desk.name, after=head)])
        assert seconds < SECONDS_MAX + SECONDS_DROPPED * dropped
        self.check_ledger()

    def note(self, bodies: list[e.Event]) -> int:
        """Note what came of it in *bodies*; return how many steps were dropped."""
        for place, body in enumerate(bodies):
            if isinstance(body, e.StepFailed):
                self.note_dropped(body, bodies[place + 1 :])
            elif isinstance(body, e.CheckSuspended):
                assert body.check.startswith("H.1@")
                self.suspended.append(body.why)
            elif isinstance(body, e.QuestionRaised):
                self.asked.append(body.text)
            elif isinstance(body, e.AttemptRefused):
                for reason in body.reasons:
                    self.note_refusal(reason)
        return sum(isinstance(body, e.StepFailed) for body in bodies)

    def note_dropped(self, step: e.StepFailed, after: list[e.Event]) -> None:
        """Note *step* as a fault (or as suspended, if it is a check), and check it is dropped."""
        if step.kind == "check":
            assert any(isinstance(x, e.CheckSuspended) and x.check == step.step for x in after)
            return
        refusal = next(body for body in after if isinstance(body, e.AttemptRefused))
        assert refusal.attempt == step.step
        assert [reason.text for reason in refusal.reasons] == [step.why]
        self.faults.append(f"rule {step.rule}: {step.why}")
        self.dropped.add(step.why)

    def note_refusal(self, reason: e.Reason) -> None:
        rule, text = reason.rule.partition("@")[0], reason.text
        if text.startswith(CODE_FAILED):
            self.faults.append(f"rule {rule}: {text.removeprefix(CODE_FAILED + ': ')}")
        elif text not in self.dropped:
            self.refused.append(text)

    def check_ledger(self) -> None:
        """Whole attempts only, and the desk knows all of them."""
        desk, world = self.desk, world_of(self.desk.ledger, self.desk.name)
        verdict = desk.ledger.verify(desk.name)
        assert verdict.ok, verdict.detail
        assert world.digest() == desk.world.digest()
        assert sum(table.get("$", 0) for table in world.balances.values()) == 0
        last = list(desk.ledger.read(desk.name))[-1].body
        # Time that passes ends its transaction itself, if nothing is due (any more).
        passed = isinstance(last, e.ClockAdvanced) and not desk.is_pending()
        assert isinstance(last, ENDS) or passed, last

    def came_of_it(self) -> dict[str, list[str]]:
        return {
            "refused": self.refused,
            "fault": self.faults,
            "suspended": self.suspended,
            "asks": self.asked,
        }


@pytest.mark.parametrize("name", sample(hostile(), 5))
def test_a_hostile_rule_does_no_harm(name: str, desk: Game) -> None:
    case, witness = hostile()[name], Witness(desk)
    witness.see(lambda desk: propose_untried(desk, name, case.rule))
    witness.see(lambda desk: desk.judge(2, "accepted", id="judged"))  # and so are the dice
    for command in case.then:
        witness.see(COMMANDS[command])
    check_outcome(case, witness.came_of_it())
    get_rid_of_it(desk, case.number)
    check_play_goes_on(desk)
    assert replay(desk.ledger, desk.name, limits=LIMITS).divergences == ()


@pytest.mark.parametrize("name", sample(hostile(), 5))
def test_trying_a_hostile_rule_does_no_harm(name: str, desk: Game) -> None:
    begin, head = time.monotonic(), desk.ledger.head(desk.name)
    desk.check_proposal((Enact(hostile()[name].rule),))
    assert time.monotonic() - begin < SECONDS_MAX
    assert desk.ledger.head(desk.name) == head
    check_play_goes_on(desk)


def propose_untried(desk: Game, text: str, rule: Rule) -> Outcome:
    """Record a proposal that nobody has tried, as a ledger of another version may hold it."""
    fields: dict[str, Any] = {"by": "Ann", "text": text, "changes": (Enact(rule),)}
    return desk.receive(e.ProposalMade, id="proposed", **fields)


def check_outcome(case: Hostile, came: dict[str, list[str]]) -> None:
    if case.fine:
        assert not any(came.values()), came
        return
    for kind, found in came.items():
        pattern = getattr(case, kind)
        if pattern is None:
            assert not found, found
        else:
            assert any(re.search(pattern, text) for text in found), came
    assert all(re.match(r"rule [A-Z]+\.\d+: ", text) for text in came["fault"]), came["fault"]


def get_rid_of_it(desk: Game, number: str) -> None:
    if desk.world.rule(number) is not None:
        urgent = desk.world.waiting is not None
        desk.rule("It meant no good.", changes=(Repeal(number),), urgent=urgent)
    assert desk.world.rule(number) is None
    question = desk.world.waiting
    if question is not None and question.asks == "conflict":
        desk.rule("Go on.", value=question.options[0])
    elif question is not None:
        desk.answer(question.options[0])


def check_play_goes_on(desk: Game) -> None:
    outcome = desk.join("Eve", {"email": "eve@example.org"})
    assert not outcome.refusals
    assert desk.player("Eve") == "Eve"
    assert not desk.world.agenda
    Witness(desk).check_ledger()


QUIET = "_h['VII.1:define_turn'] = None\ndef after_turn(player):\n    pass\n"
AT_THE_DOOR: dict[str, Hostile] = {
    "a carriage return": Hostile(f"# quiet\r{QUIET}"),
    "a form feed": Hostile(f"# quiet\f{QUIET}"),
    "a vertical tab": Hostile(f"# quiet\v{QUIET}"),
    "a line separator of Unicode": Hostile(f"# quiet\u2028{QUIET}"),
    "a next-line character": Hostile(f"# quiet\u0085{QUIET}"),
    "an invisible direction mark": Hostile("def after_turn(player):\n    pass  # \u202e\n"),
    "a parameter that is code": Hostile(
        "", parameters={"a):\n    pass\n_h['VII.1:define_turn'] = (lambda": 1}
    ),
    "a kind that is code": Hostile("", declares={"x = 1\n_h": {"name": "Text"}}),
}


@pytest.mark.parametrize("name", AT_THE_DOOR)
def test_such_a_rule_does_not_pass_the_door(name: str, desk: Game) -> None:
    head = desk.ledger.head(desk.name)
    with pytest.raises(UsageError):
        propose_untried(desk, "Let me in.", AT_THE_DOOR[name].rule)
    assert desk.ledger.head(desk.name) == head
    check_play_goes_on(desk)


def test_there_are_at_least_sixty_hostile_rules() -> None:
    assert len(hostile()) >= 60
