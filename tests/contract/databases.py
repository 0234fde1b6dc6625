"""The mark of tests that a store in memory cannot take part in."""

import pytest

#: The test changes or opens the tables past the store. Memory has no tables, only this process's
#: objects, so there is nothing to tamper with, to kill, to upgrade or to find on a disk.
on_databases = pytest.mark.parametrize("location", ["postgres", "sqlite"], indirect=True)
