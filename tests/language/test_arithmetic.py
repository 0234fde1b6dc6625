"""Numbers in rule code: whole numbers and decimals mix freely, and nothing else changes."""

import ast

import pytest
from tiers import sample

from language.generated_programs import by_fractions, by_rule_code, generate
from nomoledger.language.arithmetic import rewrite_arithmetic

#: The program of the report that found texts taken for comments.
TEXT_BEFORE = """
def f(n, m, c):
    a = "#" + str(n - m)
    b = [m, -5]
    return [a, b]
"""


@pytest.mark.parametrize("first", sample(range(0, 5_000, 50), 4))
def test_the_rewriting_changes_no_program_of_whole_numbers(first: int) -> None:
    for seed in range(first, first + 100):
        code, arguments = generate(seed, decimals=False)
        plain = by_rule_code(code, arguments, rewritten=False)
        assert by_rule_code(code, arguments) == plain, (seed, code)
        assert by_fractions(code, arguments) == plain, (seed, code)


@pytest.mark.parametrize("first", sample(range(0, 5_000, 50), 4))
def test_programs_with_decimals_give_what_exact_arithmetic_gives(first: int) -> None:
    for seed in range(first, first + 100):
        code, arguments = generate(seed, decimals=True)
        assert by_rule_code(code, arguments) == by_fractions(code, arguments), (seed, code)


def test_a_mark_of_comments_within_a_text_hides_no_minus() -> None:
    assert by_rule_code(TEXT_BEFORE, (10, 3, 0)) == ["#7", [3, -5]]


def test_a_comparison_at_the_start_of_a_subtrahend_stays_there() -> None:
    code = "def f(a, b, c): return a - (b < c and 5 or 2)\n"
    assert by_rule_code(code, (10, 1, 2)) == 5


@pytest.mark.parametrize("seed", range(50))
def test_the_rewriting_keeps_every_line_in_its_place(seed: int) -> None:
    code, _ = generate(seed, decimals=False)
    was, now = ast.parse(code), ast.parse(rewrite_arithmetic(code))
    lines = [
        [node.lineno for node in ast.walk(t) if isinstance(node, ast.stmt)] for t in (was, now)
    ]
    assert lines[0] == lines[1]


def test_games_of_old_levels_read_code_as_they_did() -> None:
    assert rewrite_arithmetic('a = "#" + str(n - m)\nb = [m, -5]', 2) == (
        'a = "#" + str(n - -(m))\nb = [m, +5]'
    )
