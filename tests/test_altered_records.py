"""Records with one line removed, doubled, moved or altered: each true change is found."""

from pathlib import Path

import pytest
from altered_records import AlteredPeriod, all_periods

#: What people are free to do: without such a line, the record tells of another game.
ACTS = ("donut", "buy", "use", "donation", "purchase", "paint", "paint-self", "service", "feed")


def check(period: AlteredPeriod, seed: int, count: int) -> None:
    for altered in period.alterations(seed, count):
        group, new = period.judge(altered)
        assert group != "possible" or altered.kind in ACTS, str(altered)
        if altered.how != "moved":
            early = [each for each in new if each.line is not None and each.line < altered.line]
            assert early == [], str(altered)


def test_a_sample_of_alterations_is_found(tmp_path: Path) -> None:
    [period] = all_periods("origon-week1", tmp_path)
    assert period.unaltered.findings == []
    check(period, seed=0, count=12)


@pytest.mark.slow
def test_alterations_of_the_season_are_found(tmp_path: Path) -> None:
    for period in all_periods("weekly-vote-season", tmp_path):
        check(period, seed=100 + period.period, count=5)


@pytest.mark.slow
def test_an_altered_die_is_explained_by_a_die(tmp_path: Path) -> None:
    period = next(all_periods("weekly-vote-season", tmp_path))
    for altered, was in period.single_facts(seed=1, count=4):
        group, new = period.judge(altered)
        if altered.kind == "roll" and group == "found":
            said = [each.explained_if for each in new]
            assert any(text is not None and "the dice were" in text for text in said), was
