"""E-mail addresses in the public stream: a made-up address stands in the place of each.

An address that somebody gives in a request, such as `email=ann@example.org` of a join, is for the
admin only. In public it becomes `address-1@withheld.invalid`, the same one wherever it occurs. So
the rules do with it in public what they did with the address itself: they find two that are alike,
and refuse an empty one.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.events.codec import decode_json, encode_json
from nomoledger.events.texts import texts_in

_LOCAL = r"[^\s\"@\\,;:<>()\[\]]{1,64}"
_DOMAIN = r"@(?:[\w-]{1,63}\.){1,10}[^\W\d_]{2,63}"
_ADDRESS = re.compile(_LOCAL + _DOMAIN)
#: What may begin an address is looked for only where an end of one is: most events have none.
_BEGINNING, _END = re.compile(f"{_LOCAL}$"), re.compile(_DOMAIN)
_LOCAL_MAX = 64
_STAND_IN = "address-{}@withheld.invalid"
_STAND_IN_WHOLE = re.compile(r"address-[0-9]+@withheld\.invalid")
#: Requests in whose arguments somebody gives an address.
_GIVING = (e.JoinRequested, e.SubmissionReceived, e.StateGiven)
#: Rules are public as they are written.
_RULES = (e.GameOpened, e.CasesCopied, e.RuleEnacted, e.RuleAmended)


class Addresses:
    """The addresses that were given so far, and the ones that stand in their place."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        """Begin with the addresses *given*, in the order in which they were learned."""
        self._stand_ins: dict[str, str] = {}
        for text in given:
            self._add(text)

    @property
    def given(self) -> tuple[str, ...]:
        """The addresses that were given so far, in the order in which they were learned."""
        return tuple(self._stand_ins)

    def learn(self, body: e.Event) -> None:
        """Learn the addresses that the public event *body* gives."""
        if not isinstance(body, _GIVING):
            return
        for text in map(str.casefold, texts_in(msgspec.to_builtins(body))):
            is_new = text not in self._stand_ins and not is_stand_in(text)
            if is_new and _ADDRESS.fullmatch(text):
                self._add(text)

    def _add(self, text: str) -> None:
        self._stand_ins[text] = _STAND_IN.format(len(self._stand_ins) + 1)

    def withheld(self, body: e.Event) -> e.Event:
        """Return *body* with a stand-in for every address that was given so far."""
        if not self._stand_ins or isinstance(body, _RULES):
            return body
        written = encode_json(body, in_order=True).decode()
        changed = self.without(written)
        return body if changed == written else decode_json(changed.encode())

    def without(self, text: str) -> str:
        """Return *text* with stand-ins for the addresses that were given so far."""
        return "".join(self._pieces(text)) if self._stand_ins else text

    def _pieces(self, text: str) -> Iterator[str]:
        """Yield *text* in pieces, the addresses replaced."""
        done = 0
        for end in _END.finditer(text):
            start = max(done, end.start() - _LOCAL_MAX)
            beginning = _BEGINNING.search(text[start : end.start()])
            if beginning is not None:
                address = beginning[0] + end[0]
                yield text[done : start + beginning.start()]
                yield self._stand_ins.get(address.casefold(), address)
                done = end.end()
        yield text[done:]


def is_address(value: Any) -> bool:
    """Return whether *value* is an e-mail address, as somebody gives it."""
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def is_stand_in(value: Any) -> bool:
    """Return whether *value* stands in the place of an address."""
    return isinstance(value, str) and _STAND_IN_WHOLE.fullmatch(value) is not None


def without_addresses(entries: Iterable[e.Entry]) -> Iterator[e.Entry]:
    """Yield the public *entries*, of a game of any level, with stand-ins for addresses."""
    addresses = Addresses()
    for entry in entries:
        addresses.learn(entry.body)
        yield e.Entry(entry.game, entry.number, addresses.withheld(entry.body))
