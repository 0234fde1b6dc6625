"""Mutation testing finds what running every case under whole programs finds."""

import msgspec
import pytest

from nomoledger.parallel.serial_pool import SerialPool
from nomoledger.rulebook.cases import Case, cases_beside
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.loading import Rulebook, load, parse
from nomoledger.rulebook.mutants import mutants
from nomoledger.rulebook.mutation_testing import MutationTest, find_unnoticed
from nomoledger.rulebook.reach import failure_of, run_and_record

GUARDED = """
### I.1 Paying

Words.

```yaml
parameters: {price: 3, never: 5}
declares: {player: {name: Text key}}
commodities: {"$": {}}
```

```python
def action_buy(player: Player):
    fee(player)

def define_fee(player):
    mint(player, price)

def value_unused():
    return never
```

### I.2 Not yet

Words.

```python
def forbid_buy(player):
    return "not yet"
```
"""
REFUSED = """
case: nobody buys yet
rulebook: guarded
given: {players: [Ann]}
steps: [{do: buy, by: Ann, refused: I.2}]
---
case: nothing happens
rulebook: guarded
given: {players: [Ann]}
"""


def fails_somewhere(rulebook: Rulebook, cases: list[Case]) -> bool:
    return any(failure_of(case, rulebook) is not None for case in cases)


def mail_opening() -> tuple[Rulebook, list[Case]]:
    return load("mail-opening"), cases_beside("mail-opening")[::20]


def guarded() -> tuple[Rulebook, list[Case]]:
    return parse(GUARDED, "guarded.md"), parse_cases({"guarded.yaml": REFUSED})


EXAMPLES = [
    pytest.param(mail_opening(), id="mail-opening", marks=pytest.mark.slow),
    pytest.param(guarded(), id="guarded"),
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_order_of_the_cases_changes_no_result(example: tuple[Rulebook, list[Case]]) -> None:
    rulebook, cases = example
    reaches = run_and_record(cases, rulebook)
    assert [reach.failure for reach in reaches] == [None] * len(cases)
    missed = [
        mutant.what
        for mutant in mutants(rulebook)
        if not fails_somewhere(msgspec.structs.replace(rulebook, rules=mutant.rules), cases)
    ]
    whole = [what for what in missed if not any(what.startswith(f"{rule}.") for rule in missed)]
    assert whole
    assert find_unnoticed(rulebook, cases, reaches, SerialPool()) == whole


@pytest.mark.parametrize("example", EXAMPLES)
def test_a_partial_program_fails_where_the_whole_one_does(
    example: tuple[Rulebook, list[Case]],
) -> None:
    rulebook, cases = example
    test = MutationTest(rulebook, cases, run_and_record(cases, rulebook))
    for mutant in test.mutants[::3]:
        altered = msgspec.structs.replace(rulebook, rules=mutant.rules)
        for case, reach in test.cases:
            assert test.fails(case, altered, reach) == fails_somewhere(altered, [case]), mutant.what


def test_an_operation_that_only_the_mutant_reaches_is_compiled_after_all() -> None:
    rulebook, cases = guarded()
    test = MutationTest(rulebook, cases, run_and_record(cases, rulebook))
    (case, reach), _ = test.cases
    (mutant,) = (mutant for mutant in test.mutants if mutant.what == "I.2")
    altered = msgspec.structs.replace(rulebook, rules=mutant.rules)
    assert "fee" not in reach.operations
    assert test.fails(case, altered, reach)


def test_cases_that_reach_the_altered_code_come_first() -> None:
    rulebook, cases = guarded()
    test = MutationTest(rulebook, cases[::-1], run_and_record(cases[::-1], rulebook))
    (mutant,) = (mutant for mutant in test.mutants if mutant.what == "I.2")
    assert test.in_likely_order(mutant)[0][0].name == "nobody buys yet"


def test_a_run_records_the_operations_and_rules_that_it_reaches() -> None:
    rulebook, cases = mail_opening()
    for case, reach in zip(cases, run_and_record(cases, rulebook), strict=True):
        if any(step.do == "join" for step in case.body.steps):
            assert "join" in reach.operations
            assert any(operation == "join" for operation, _ in reach.places)
    assert any(reach.operations for reach in run_and_record(cases, rulebook))
