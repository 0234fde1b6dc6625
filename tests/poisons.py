"""Poisons: what is known to have stopped a game, and random rules that may; written into ledgers.

Each is written as an older version may have recorded it, past the checks of today's requests.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nomoledger import events as e
from nomoledger.errors import NomoledgerError
from nomoledger.events.rules import Amend, Change, Enact, Rule
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger

#: Makes an input, given the game and the fields that all inputs have.
Make = Callable[[Game, dict[str, Any]], e.Input]
LOOP = "    for i in range(1000000000):\n        x = i + i\n"


def poison(file: Path, *makers: Make) -> None:
    """Record the inputs of *makers* in the game in *file*, with what follows, as far as it goes."""
    with Ledger.open(file) as ledger:
        game = Game(ledger)
        for number, make in enumerate(makers):
            event = make(game, _fields(game, f"poison-{number}"))
            before = game.world.head
            with suppress(NomoledgerError, RuntimeError):
                for batch in game.engine.process(event):
                    game._commit.append(batch)
            if game.world.head == before:
                game._commit.append([event])


def enact_unchecked(file: Path, *rules: Rule) -> None:
    """Record that *rules* are in force, by a ruling, though they cannot be linked."""
    with Ledger.open(file) as ledger:
        game = Game(ledger)
        fields = _fields(game, "older")
        changes = tuple(map(Enact, rules))
        ruling = e.RulingMade(
            number=1, kind="correct", text="Older.", urgent=True, changes=changes, **fields
        )
        del fields["id"]
        fields["cause"] = game.world.head + 1
        enacted = [
            e.RuleEnacted(rule=rule, source="ruling 1", rules=("ruling:1",), **fields)
            for rule in rules
        ]
        done = e.AttemptDone(attempt="older", rules=("engine",), **fields)
        game._commit.append([ruling, *enacted, done])


def _fields(game: Game, id: str) -> dict[str, Any]:
    at = datetime.fromtimestamp(game.world.game["now"], UTC)
    return {"id": id, "period": game.world.period, "received_at": at, "recorded_at": at}


def rule(code: str, number: str = "X.1", **data: Any) -> Rule:
    return Rule(number=number, title="Poison", prose="It harms.", code=code, **data)


def ruled(*changes: Change) -> Make:
    return lambda game, fields: e.RulingMade(
        number=game.world.game.get("rulings", 0) + 1,
        kind="correct",
        text="In force.",
        urgent=True,
        changes=changes,
        **fields,
    )


def coded(code: str, **data: Any) -> tuple[Make, ...]:
    return (ruled(Enact(rule(code, **data))),)


def proposed(*changes: Change) -> Make:
    return lambda game, fields: e.ProposalMade(
        by="Ann", number=1, text="Poison.", changes=changes, **fields
    )


def judged(game: Game, fields: dict[str, Any]) -> e.Input:
    return e.ProposalJudged(proposal=1, verdict="accepted", **fields)


def disputed(game: Game, fields: dict[str, Any]) -> e.Input:
    return e.DisputeOpened(number=1, by="Ann", disputed=1, text="Wrong.", **fields)


def argued(game: Game, fields: dict[str, Any]) -> e.Input:
    evidence: dict[str, Any] = {}
    for _ in range(600):
        evidence = {"a": evidence}
    return e.DisputeArgued(dispute=1, by="Ann", text="So.", evidence=evidence, **fields)


def ordered(when: str) -> Make:
    acts = (e.Act("name_square", {"square": 2, "name": "x"}),)
    return lambda game, fields: e.OrderGiven(
        by="Bob", when=when, acts=acts, audience=("Bob",), **fields
    )


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


_SPINS = f"def define_spin():\n{LOOP}"
_REFUSES = "def define_no():\n    pass\ndef forbid_no():\n    return 'no'\n"
#: The inputs of each poison.
POISONS: dict[str, tuple[Make, ...]] = {
    "a key that is not text": (
        proposed(Amend("VIII.3", parameters={"days_open": {1: 2}})),
        judged,
    ),
    "a list nested deep": (proposed(Enact(rule("", parameters={"x": _nested(969)}))),),
    "evidence nested deep": (disputed, argued),
    "an order that cannot be computed": (ordered("period() == 1 and -ended() == 1"),),
    "an order that cannot be computed later": (ordered("period() == 2 and -ended() == 1"),),
    "an order whose value never ends": (
        *coded(f"def value_spun(square):\n{LOOP}    return 1\n"),
        ordered("spun(2) == 1"),
    ),
    "a text-only rule that declares none": coded(
        "", declares={"none": {"x": "Number"}, "true": {}, "false": {}}
    ),
    "a check that never ends": coded(f"def check_it():\n{LOOP}"),
    "a check that fails": coded("def check_it():\n    fail('no')\n"),
    "a check that refuses everything": coded(f"def check_it():\n    no()\n{_REFUSES}"),
    "a check that always changes something": coded("def check_it():\n    award('Ann', 1)\n"),
    "a check that calls itself": coded("def check_it():\n    a()\ndef define_a():\n    a()\n"),
    "a hook before joining that never ends": coded(f"def before_join(name):\n{LOOP}"),
    "a hook after joining that never ends": coded(f"def after_join(name):\n{LOOP}"),
    "what follows from joining never ends": coded(
        f"def after_join(name):\n    schedule('spin')\n{_SPINS}"
    ),
    "what follows from a close never ends": coded(
        f"def after_close_period():\n    schedule('spin')\n{_SPINS}"
    ),
    "a close that never ends": coded(f"def before_close_period():\n{LOOP}"),
    "a rule that forbids to close": coded("def forbid_close_period():\n    return 'never'\n"),
    "a timer that never ends": coded(
        f"def after_join(name):\n    schedule('spin', due = now())\n{_SPINS}"
    ),
    "a timer that fails": coded(
        "def after_join(name):\n    schedule('spin', due = now())\n"
        "def define_spin():\n    fail('no')\n"
    ),
    "a definition that eats memory": coded(
        "def after_join(name):\n    schedule('spin')\n"
        "def define_spin():\n    x = 'x'\n    for i in range(60):\n        x = x + x\n"
    ),
    "a rule that does not want to go": coded(
        "def on_repeal():\n    fail('never')\ndef forbid_close_period():\n    return 'never'\n"
    ),
    "a rule that takes for ever to go": coded(
        f"def on_repeal():\n{LOOP}def forbid_close_period():\n    return 'never'\n"
    ),
    "a value that never ends": coded(f"def value_market_value(square):\n{LOOP}    return 1\n"),
}
#: Rules that cannot be linked.
UNLINKED: dict[str, tuple[Rule, ...]] = {
    "code that cannot be read": (rule("def before_join(:\n"),),
    "two rules with code that cannot be read": (rule("def (:\n"), rule("def (\n", number="X.2")),
    "a definition of a verb": (rule("def define_pay(a):\n    pass\n"),),
    "a definition of a word of the language": (rule("def define_enact(a):\n    pass\n"),),
}

_HOOKS = ("before", "after", "forbid", "check", "instead", "define", "adjust", "on")
_OPERATIONS = (
    *("join", "turn", "move", "land", "pay", "propose", "judge", "close_period", "market_value"),
    *("deal", "buy", "it", "enact", "repeal"),
)
_BODIES = (
    LOOP,
    "    fail('no')\n",
    "    return 'no'\n",
    "    award('Ann', 1)\n",
    "    schedule('it')\n",
    "    schedule('it', due = now())\n",
    "    return 1 // 0\n",
    "    for i in range(99999):\n        it()\n",
    "    x = [1]\n    for i in range(30):\n        x = x + x\n",
    "    ask('Ann', 'Really?', ['yes', 'no'])\n",
    "    close_period()\n",
    "    set('Ann', 'square', None)\n",
)


def random_rules(seed: int) -> Iterator[Rule]:
    """Yield rules made of random fragments, each with one to three hooks."""
    chance = random.Random(seed)
    for number in range(1, chance.randint(2, 4)):
        hooks = {
            f"{chance.choice(_HOOKS)}_{chance.choice(_OPERATIONS)}": chance.choice(_BODIES)
            for _ in range(chance.randint(1, 3))
        }
        hooks["define_it"] = chance.choice(_BODIES)
        code = "".join(f"def {name}():\n{body}" for name, body in hooks.items())
        yield rule(code, number=f"R.{number}")
