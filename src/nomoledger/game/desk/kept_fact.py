"""What the rules keep of a thing, as a fact for people: in words, and times as times."""

from typing import Any

import msgspec

from nomoledger.prose.names import Names
from nomoledger.prose.time_format import format_minute


class KeptFact(msgspec.Struct, frozen=True):
    """The value of an attribute in words: its *text*; *at* in seconds since 1970 if it is a time.

    The text of a time has the minute and the zone.
    """

    text: str
    at: int | None = None


def kept_fact(names: Names, kind: str, attribute: str, value: Any) -> KeptFact:
    """Return the *value* of an *attribute* of a thing of *kind* as a fact."""
    if names.is_time(names.world.declared(kind).get(attribute, ""), value):
        return KeptFact(format_minute(value), value)
    return KeptFact(names.cell_of(kind, attribute, value))
