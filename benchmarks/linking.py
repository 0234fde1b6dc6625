"""The time to link, compile, check and enact many tiny rules: `python benchmarks/linking.py`.

Each line has twice as many rules as the one before. A ratio of 2 means that the time is linear in
the number of rules. `--rules` sets the first number of rules.
"""

import argparse
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.events.rules import Rule
from nomoledger.language.program import Program
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
#: The code of rule number N of each kind.
KINDS: dict[str, Callable[[int], str]] = {
    "react to one operation": lambda n: "def after_turn(player):\n    pass\n",
    "define a value each": lambda n: f"def value_v{n}(): return {n}\n",
    "call one another": lambda n: f"def value_v{n}(): return v{n + 1}()\n",
    "define one operation": lambda n: "def define_turn(player):\n    pass\n",
    "name what no rule defines": lambda n: f"def value_v{n}(): return w{n}(1)\n",
    "declare a kind each": lambda n: "",
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=1_000)
    first = parser.parse_args().rules
    print(f"{'rules that':28} {'number':>6} {'link':>7} {'check':>7} {'enact':>7}   ratios")
    for kind in KINDS:
        before: tuple[float, ...] = ()
        for count in (first, 2 * first, 4 * first):
            times = _measure(kind, count)
            ratios = " ".join(f"{now / was:5.1f}" for was, now in zip(before, times, strict=False))
            seconds = " ".join(f"{each:6.2f}s" for each in times)
            print(f"{kind:28} {count:6} {seconds}   {ratios}", flush=True)
            before = times


def _measure(kind: str, count: int) -> tuple[float, float, float]:
    rules = tuple(_rule(kind, n) for n in range(count))
    ruleset = Ruleset(rules)
    return (
        _seconds(lambda: Program(ruleset).compile(World())),
        _seconds(lambda: faults_of(ruleset)),
        _seconds(lambda: _enact(rules)),
    )


def _seconds(act: Callable[[], Any]) -> float:
    begin = time.process_time()
    act()
    return time.process_time() - begin


def _rule(kind: str, n: int) -> Rule:
    declares = {f"kind{n}": {"name": "Text key"}} if kind.startswith("declare") else {}
    return Rule(number=f"T.{n}", title="Tiny", code=KINDS[kind](n), declares=declares)


def _enact(rules: tuple[Rule, ...]) -> None:
    """Open a game with *rules*, as the events of a rulebook do, and run its first attempt."""
    world = World()
    opened = e.GameOpened(
        period=1, received_at=NOON, recorded_at=NOON, id="open", game="g", rulebook="r", level=3
    )
    apply(world, opened)
    for rule in rules:
        enacted = e.RuleEnacted(
            period=1, received_at=NOON, recorded_at=NOON, rule=rule, source="rulebook", cause=0
        )
        apply(world, enacted)
    for _ in Engine(world).run():
        pass


if __name__ == "__main__":
    main()
