"""The database of people: who reads waits for nobody who writes, and an outage ends by itself."""

import threading
from pathlib import Path

import pytest

from nomoledger.people.database import SqlitePeople, open_people
from nomoledger.people.sign_in import SignIn
from nomoledger.people.visit import Visit

#: For how long a reader may take on a busy machine, in seconds.
PATIENCE = 8.0


@pytest.mark.parametrize("is_same", [True, False], ids=["same server", "another program"])
def test_a_reader_is_served_while_somebody_else_writes(tmp_path: Path, is_same: bool) -> None:
    database = SqlitePeople(tmp_path / "people")
    writing = database if is_same else SqlitePeople(tmp_path / "people")
    people = SignIn(database)
    token = people.enter(people.invite("mail", "Ann"), Visit(), lambda _: None)
    found = []

    def read() -> None:
        found.append(people.session(token))

    reader = threading.Thread(target=read, daemon=True)
    with writing.transaction() as connection:
        connection.execute("DELETE FROM sessions")
        reader.start()
        reader.join(PATIENCE)
        assert not reader.is_alive()
        assert found[0] is not None
        assert found[0].reader == "Ann"
    assert people.session(token) is None


def test_nothing_is_written_by_who_only_reads(tmp_path: Path) -> None:
    database = open_people(str(tmp_path / "some.db"))
    with pytest.raises(Exception, match="readonly"), database.reading() as connection:
        connection.execute("DELETE FROM sessions")
