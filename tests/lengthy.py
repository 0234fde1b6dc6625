"""The tests that take long: a list of them, which the default run leaves out and CI runs.

`python -m pytest -n auto -m "not slow and not browser" --note-lengthy` runs them all, and writes
the list anew. Times are measured on two cores, with nothing else running.
"""

from collections import defaultdict
from pathlib import Path

import pytest

#: The names of the tests, one a line.
LIST = Path(__file__).with_name("lengthy_tests.txt")
#: How long a test takes at least, in seconds, with what is prepared for it.
SECONDS = 0.25


def listed() -> frozenset[str]:
    """Return the names of the tests that take long."""
    return frozenset(LIST.read_text(encoding="utf-8").splitlines())


class Stopwatch:
    """Measures the tests of a run, and writes the list at its end."""

    def __init__(self) -> None:
        """Start with no measurement."""
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the time of a test, or of what prepares it."""
        if "browser" not in report.keywords and "slow" not in report.keywords:
            self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the list; workers of a parallel run measure nothing themselves."""
        if hasattr(session.config, "workerinput"):
            return
        names = sorted(name for name, taken in self._seconds.items() if taken >= SECONDS)
        LIST.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
