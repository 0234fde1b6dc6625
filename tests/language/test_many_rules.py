"""Many rules: they are linked in linear time, and faults in them are found where they stand."""

import pytest

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.language.codegen import write_program
from nomoledger.language.joined_sources import SOURCES_MAX, JoinedSources
from nomoledger.language.linker import analyze_rules
from nomoledger.language.program import Program
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World


def ruleset(*codes: str) -> Ruleset:
    rules = (
        Rule(number=f"T.{i}", title="Tiny", code=code, line=10) for i, code in enumerate(codes)
    )
    return Ruleset(tuple(rules))


def test_two_thousand_definitions_of_one_operation_can_be_compiled() -> None:
    Program(ruleset(*["def define_turn(player):\n    pass\n"] * 2_000)).compile(World())


def test_a_long_chain_of_values_is_plain_from_end_to_end() -> None:
    chain = [f"def value_v{i}(): return v{i + 1}()\n" for i in range(1_500)]
    links = analyze_rules(ruleset(*chain, "def value_v1500(): return 1\n"))
    assert len(links.plain) == 1_501


def test_a_chain_with_a_value_that_is_not_plain_is_not_plain_either() -> None:
    codes = ["def value_a(): return b()\n", "def value_b(): return [n for n in [1]][0]\n"]
    assert analyze_rules(ruleset(*codes)).plain == frozenset()


def test_values_that_call_each_other_are_not_plain() -> None:
    codes = ["def value_a(): return b()\n", "def value_b(): return a()\n"]
    assert analyze_rules(ruleset(*codes)).plain == frozenset()


def test_a_long_chain_of_values_can_be_checked() -> None:
    chain = [f"def value_v{i}(): return v{i + 1}()\n" for i in range(600)]
    assert faults_of(ruleset(*chain, "def value_v600(): return 1\n")) == []


@pytest.mark.slow
def test_the_interpreter_evaluates_a_bounded_number_of_sources() -> None:
    many = Program(ruleset(*[f"def value_v{i}(): return {i}\n" for i in range(3_000)]))
    sources = JoinedSources(many.by_number).join(write_program(many.links))
    assert len(list(sources)) <= SOURCES_MAX + 10


@pytest.mark.parametrize("others", [3, 1_000])
def test_code_that_does_not_compile_is_found_in_its_rule_and_line(others: int) -> None:
    codes = [f"def value_v{i}(): return {i}\n" for i in range(others)]
    codes[others // 2] = "\ndef value_wrong():\n    x = 1 if True\n    return x\n"
    wrong = f"rule T.{others // 2}"
    with pytest.raises(RulebookError, match=wrong):
        Program(ruleset(*codes)).compile(World())
    codes[others // 2] = "\ndef value_wrong():\n    return [1, *[2]]\n"
    with pytest.raises(RulebookError, match=rf"{wrong}: rule#T.{others // 2}:12:"):
        Program(ruleset(*codes)).compile(World())
