"""The site of a game is shown while it is brought up to date."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nomoledger.web.pace import PATIENT, Pace
from nomoledger.web.served_sites import ServedSites


class Press:
    """Publishes the number of the last event, as soon as it may."""

    def __init__(self, place: Path, pace: Pace) -> None:
        self.head = 1
        self.published = 0
        self.may_print = threading.Event()
        self.may_print.set()
        self.sites = ServedSites(str(place), lambda game: self.head, self._publish, pace)

    def _publish(self, game: str, folder: str) -> int:
        head = self.head
        self.may_print.wait(10)
        (Path(folder) / "head").write_text(str(head))
        self.published += 1
        return 1

    def shown(self) -> str:
        """Return what a page shows."""
        return (self.sites.folder("game") / "head").read_text()


@pytest.fixture
def press(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Press]:
    made = Press(tmp_path, getattr(request, "param", PATIENT))
    yield made
    made.may_print.set()
    made.sites.close()


def test_a_patient_server_shows_the_site_as_it_is(press: Press) -> None:
    assert press.shown() == "1"
    press.head = 2
    assert press.shown() == "2"
    assert press.shown() == "2"
    assert press.published == 2


@pytest.mark.parametrize("press", [Pace(0.0, 0.0, 0.0)], indirect=True)
def test_a_quick_server_shows_the_site_as_it_was_until_the_new_one_is_there(press: Press) -> None:
    assert press.shown() == "1"
    press.head = 2
    press.may_print.clear()
    assert press.shown() == "1"
    press.may_print.set()
    while press.published < 2:
        threading.Event().wait(0.01)
    assert press.shown() == "2"


@pytest.mark.parametrize("press", [Pace(10.0, 0.0, 1e9)], indirect=True)
def test_a_site_that_was_just_published_rests(press: Press) -> None:
    assert press.shown() == "1"
    press.head = 2
    assert press.shown() == "1"
    assert press.published == 1
