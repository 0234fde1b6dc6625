"""A game under a few rules written in the test itself, run in memory."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import SeededOracle
from nomoledger.events.levels import NEWEST
from nomoledger.events.rules import Change, Rule
from nomoledger.language.program import link
from nomoledger.rulebook.loading import parse
from nomoledger.state.reducer import apply
from nomoledger.state.world import Attempt, World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = b"s" * 32
BASE = """
def on_enact():
    for name in ["Ann", "Bob"]:
        create("player", {"name": name}, name)
        mint(name, 100)
def action_go(player: Player): go_on(player)
def define_go_on(player): pass
"""
DATA = """
declares: {player: {name: Text key, mark: Text, score: Number}}
commodities: {"$": {places: 0}, paint: {places: 2}}
"""


def book(rules: dict[str, str], data: dict[str, str] | None = None) -> tuple[Rule, ...]:
    """Return rule 0, with two players who can `go`, and *rules* by number with their *data*."""
    parts = []
    for number, code in {"0": BASE, **rules}.items():
        about = {"0": DATA, **(data or {})}.get(number, "")
        parts.append(f"### {number} Rule\n```yaml\n{about}\n```\n```python\n{code.strip()}\n```\n")
    return parse("\n".join(parts), "inline.md").rules


class Play:
    """A game under *rules* (code by number), in which Ann can `go`."""

    def __init__(
        self, rules: dict[str, str], data: dict[str, str] | None = None, level: int = NEWEST
    ) -> None:
        self.world = World()
        self.at = NOON
        self.count = 0
        self.engine = Engine(self.world, SeededOracle(SECRET), SECRET)
        opened = e.GameOpened(
            id="opening", game="g", rulebook="inline", level=level, **self._common()
        )
        common = self._common() | {"source": "rulebook", "cause": 0, "rules": ("engine",)}
        enacted = [e.RuleEnacted(rule=rule, **common) for rule in book(rules, data)]
        for event in (opened, *enacted):
            apply(self.world, event)
        self.last = [event for batch in self.engine.run() for event in batch]

    def _common(self) -> dict[str, Any]:
        return {"period": self.world.period, "received_at": self.at, "recorded_at": self.at}

    def take(self, kind: type[e.Input], /, **fields: Any) -> list[e.Event]:
        """Submit an input and return the events that follow."""
        self.count += 1
        event = kind(id=f"i{self.count}", **(self._common() | fields))
        self.last = [consequence for batch in self.engine.process(event) for consequence in batch]
        return self.last

    def go(self, **arguments: Any) -> "Play":
        """Submit `go` for Ann."""
        self.take(e.SubmissionReceived, by="Ann", action="go", arguments=arguments)
        return self

    def rule(self, *changes: Change) -> "Play":
        """Change the rules by a ruling of the admin."""
        number = int(self.world.game.get("rulings", 0)) + 1
        self.take(e.RulingMade, number=number, kind="correct", text="", changes=changes)
        return self

    def decide(self, value: Any) -> "Play":
        """Answer the question that the game waits for."""
        question = self.world.waiting
        assert question is not None
        if question.asks == "choice":
            self.take(e.ChoiceAnswered, question=question.question, value=value, by="admin")
        else:
            number = int(self.world.game.get("rulings", 0)) + 1
            fields = {"number": number, "kind": "answer", "text": "", "value": value}
            self.take(e.RulingMade, question=question.question, **fields)
        return self

    def wait(self, **time: int) -> "Play":
        """Advance the clock."""
        self.at += timedelta(**time)
        self.take(e.ClockAdvanced)
        return self

    def close(self) -> "Play":
        """Close the period."""
        self.take(e.CloseAsked)
        return self

    # --- the state

    def get(self, attribute: str, entity: str = "Ann") -> Any:
        """Return an attribute."""
        return self.world.get(entity, attribute)

    def money(self, account: str = "Ann", commodity: str = "$") -> int:
        """Return the balance of an account, in smallest units."""
        return self.world.balance(account, commodity)

    @property
    def refused(self) -> str:
        """Why the last request was refused, as `rule: text`; empty if it was not."""
        refusals = [event for event in self.last if isinstance(event, e.AttemptRefused)]
        return "; ".join(
            f"{reason.rule}: {reason.text}" for event in refusals for reason in event.reasons
        )

    @property
    def asked(self) -> e.QuestionRaised:
        """The question that the game waits for."""
        question = self.world.waiting
        assert question is not None, self.refused
        return question

    def value(self, operation: str, *arguments: Any) -> Any:
        """Return the value *operation* as the rules in force define it."""
        program = link(self.world.ruleset)
        program.host.begin(self.world, Attempt(id="query", operation=operation))
        return program.call(operation, *arguments)


def kinds(events: Iterable[e.Event]) -> list[str]:
    """Return the types of *events*, without the input and the end of the attempt."""
    ends = (e.Input, e.AttemptDone)
    return [type(event).__name__ for event in events if not isinstance(event, ends)]
