"""Every event can be told in words."""

from nomoledger.events import Posted
from nomoledger.events.codec import EVENTS
from nomoledger.prose.descriptions import DESCRIBERS


def test_no_event_is_told_by_the_name_of_its_class() -> None:
    assert set(EVENTS.values()) - {Posted} == set(DESCRIBERS)
