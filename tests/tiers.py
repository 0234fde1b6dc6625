"""The tiers of the tests: the default run tries a sample of the parameters that `slow` tries."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings


def sample(values: Iterable[Any], size: int) -> list[Any]:
    """Return *values* as parameters, of which all but *size* are marked slow.

    The parameters without the marker are spread evenly; the first is one of them.
    """
    return sample_rows(((value,) for value in values), size)


def sample_rows(rows: Iterable[Iterable[Any]], size: int) -> list[Any]:
    """Return *rows* of several parameters each, of which all but *size* are marked slow."""
    parameters = list(rows)
    step = max(1, len(parameters) // size)
    fast = range(0, step * size, step)
    return [
        pytest.param(*row, marks=() if number in fast else pytest.mark.slow)
        for number, row in enumerate(parameters)
    ]


#: Games take long to play, and tests clean up after each example what they share.
CHECKS_LEFT_OUT = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.function_scoped_fixture,
)


class Run:
    """What is known of this run of pytest.

    Attributes:
        is_slow: whether the run includes the tests marked slow.
        divisor: a slow run tries one of so many of the many examples.
    """

    is_slow = False
    divisor = 1


def examples(few: int, many: int, **options: Any) -> settings:
    """Return settings of Hypothesis for *few* examples by default, and *many* in a slow run."""
    return settings(
        max_examples=max(few, many // Run.divisor) if Run.is_slow else few,
        deadline=None,
        suppress_health_check=CHECKS_LEFT_OUT,
        **options,
    )
