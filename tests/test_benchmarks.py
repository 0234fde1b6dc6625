"""Every benchmark runs, at a size that proves nothing: that the scripts keep up with the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import sample

ROOT = Path(__file__).parents[1]
LITTLE = {
    "appending": "500",
    "rollup": "600 200",
    "reading": "300",
    "standings": "300 none",
    "projections": "300 20",
    "memory": "200",
    "turn": "20",
    "submitting": "3 1",
    "starting": "2",
    "simulating": "1",
    "forecasting": "20 1",
    "largest_week": "4 1",
    "finding": "2",
    "what_if": "4 3",
    "journals": "100",
    "serving": "2 5 5",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sample(sorted(LITTLE, key="turn".__ne__), 1))
def test_a_benchmark_runs_and_prints_a_measurement(name: str) -> None:
    words = [sys.executable, f"benchmarks/{name}.py", *LITTLE[name].split()]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"\d (µs|ms|s|MB)\b", done.stdout), "it prints no measurement"


def test_every_benchmark_is_on_the_page_of_figures() -> None:
    page = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`python benchmarks/(\w+)\.py[ \w]*`:", page)) == set(LITTLE)
