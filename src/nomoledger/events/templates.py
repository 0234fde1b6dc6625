"""Templates: texts of rules with names in braces, such as `{player} may buy {square}`.

A name in braces stands for a value. `{opened + days_open days}` adds a number of days, from a
parameter of the rule or another attribute, to a time. Nothing else can be computed.
"""

import re
from typing import NamedTuple

from nomoledger.events.durations import SECONDS

_BRACES = re.compile(r"\{([^{}]*)\}")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_FIELD = re.compile(rf"({_NAME})(?: \+ ({_NAME})(?: ({'|'.join(SECONDS)}))?)?")


class Field(NamedTuple):
    """What stands between two braces: a *name*, and what is *added* to it, in which *unit*."""

    name: str
    added: str | None = None
    unit: str | None = None


def fields(template: str) -> list[Field]:
    """Return what stands between braces in *template*.

    >>> fields("{player} may buy until {opened + days_open days}")[1]
    Field(name='opened', added='days_open', unit='days')

    Raises:
        ValueError: *template* is not well formed. The message says why.
    """
    if any(brace in _BRACES.sub("", template) for brace in "{}"):
        raise ValueError(f"a brace without its counterpart in {template!r}")
    return [_field(text) for text in _BRACES.findall(template)]


def parts(template: str) -> list[str | Field]:
    """Return *template* as texts and fields in turn, beginning with a text.

    >>> parts("{player} speeds")
    ['', Field(name='player', added=None, unit=None), ' speeds']
    """
    pieces = _BRACES.split(template)
    return [_field(piece) if place % 2 else piece for place, piece in enumerate(pieces)]


def _field(text: str) -> Field:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{{{text}}} is neither a name nor a sum such as {{opened + days_open days}}"
        )
    return Field(match[1], match[2], match[3])
