"""The engine's proof: the hardest mechanics of five rule sets, each as a case."""

from pathlib import Path

import pytest
from tiers import sample

from nomoledger.rulebook.cases import Case, load_cases, run_case

FOLDER = Path(__file__).parent / "cases" / "proof"
CASES = [case for file in sorted(FOLDER.glob("*.yaml")) for case in load_cases(file)]


@pytest.mark.parametrize("case", sample(CASES, 5), ids=lambda case: case.name)
def test_a_case_of_the_proof_rulebook_passes(case: Case) -> None:
    assert run_case(case).difference is None
