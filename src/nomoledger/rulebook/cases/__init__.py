"""Cases: executable examples of a rulebook that a player can read and write."""

from nomoledger.rulebook.cases.case_run import CaseResult, CaseRunner, run_case
from nomoledger.rulebook.cases.format import Case, cases_beside, load_cases, texts_beside

__all__ = [
    "Case",
    "CaseResult",
    "CaseRunner",
    "cases_beside",
    "load_cases",
    "run_case",
    "texts_beside",
]
