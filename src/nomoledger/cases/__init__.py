"""Cases: executable examples of a rulebook that a player can read and write."""

from nomoledger.cases.format import Case, cases_beside, load_cases
from nomoledger.cases.run import Result, run_case

__all__ = ["Case", "Result", "cases_beside", "load_cases", "run_case"]
