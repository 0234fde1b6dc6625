"""The schema version of a store, and which versions this program can use."""

from typing import NamedTuple

from nomoledger.errors import StoreError


class Upgrade(NamedTuple):
    """The schema versions before and after an upgrade; equal if there was nothing to do."""

    before: int
    after: int


def check_version(location: str, found: int, known: int) -> None:
    """Refuse the version *found* in a store unless it is the *known* one.

    Raises:
        StoreError: the tables are newer, or need an upgrade.
    """
    check_not_newer(location, found, known)
    if found < known:
        raise StoreError(
            f"{location} was written by an older nomoledger (schema {found}, this one needs"
            f" {known}): run nomoledger upgrade on it"
        )


def check_not_newer(location: str, found: int, known: int) -> None:
    """Refuse tables that a newer version of this program wrote.

    Raises:
        StoreError: the tables are newer.
    """
    if found > known:
        raise StoreError(
            f"{location} was written by a newer nomoledger (schema {found}, this one knows"
            f" {known}): upgrade nomoledger"
        )
