"""Every event can be told in words."""

from nomoledger.events.codec import EVENTS
from nomoledger.prose.descriptions import DESCRIBERS


def test_no_event_is_described_by_its_class_name() -> None:
    assert set(EVENTS.values()) == set(DESCRIBERS)
