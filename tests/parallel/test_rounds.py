"""A thread that looks again and again goes on after errors, and does not fill the log."""

import logging
import threading

import pytest

from nomoledger.errors import StoreError
from nomoledger.parallel.rounds import Rounds


def test_an_outage_is_logged_once_and_rounds_go_on(caplog: pytest.LogCaptureFixture) -> None:
    away, done = StoreError("the database is away"), threading.Event()
    ends: list[Exception | None] = [away, away, None, away, ValueError("a bug"), None]

    def look() -> None:
        error = ends.pop(0) if ends else None
        if not ends:
            done.set()
        if error is not None:
            raise error

    rounds = Rounds("test", look, 0.001, "nothing can be seen")
    with caplog.at_level(logging.WARNING):
        rounds.start()
        assert done.wait(30)
        rounds.stop()
    told = [record.getMessage() for record in caplog.records]
    line = "nothing can be seen: the database is away"
    assert told == [line, line, "nothing can be seen"]
