"""The version of a store's tables: which ones this program can use, and what to do about others."""

from typing import NamedTuple

from nomoledger.errors import StoreError


class Upgrade(NamedTuple):
    """The versions of the tables before and after an upgrade; the same where nothing was done."""

    before: int
    after: int


def check_version(location: str, found: int, known: int) -> None:
    """Refuse tables of another version than the one that is *known*.

    Raises:
        StoreError: they are newer, or are still to be upgraded.
    """
    check_not_newer(location, found, known)
    if found < known:
        raise StoreError(
            f"{location} was written by an older nomoledger (schema {found}, this one needs"
            f" {known}): run nomoledger upgrade on it"
        )


def check_not_newer(location: str, found: int, known: int) -> None:
    """Refuse tables that only a newer version of this program understands.

    Raises:
        StoreError: they are newer.
    """
    if found > known:
        raise StoreError(
            f"{location} was written by a newer nomoledger (schema {found}, this one knows"
            f" {known}): upgrade nomoledger"
        )
