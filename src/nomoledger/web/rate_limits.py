"""How often somebody may do something, and how many streams somebody may keep open.

What is counted is named by a key: a session, a token or an address. Servers of one ledger in
PostgreSQL share the counts of what may change something. All else each process counts for itself.
"""

import ipaddress
import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from nomoledger.people.shared_counts import SharedCounts

#: How many keys are remembered. What was forgotten may begin anew.
KEYS_MAX = 50_000


class Rate(msgspec.Struct, frozen=True):
    """So many times at once; then one more whenever *seconds* / *times* have passed."""

    times: int
    seconds: float


#: What is counted apart. Trials and drafts cost seconds of computing, requests milliseconds.
#: Readings are counted for programs only.
RATES = {
    "sign-in": Rate(20, 60),
    "request": Rate(60, 60),
    "trial": Rate(30, 60),
    "reading": Rate(300, 60),
}
#: What servers count together, if their database can.
SHARED = ("sign-in", "request", "trial")
#: How many event streams one session, and one address, may keep open.
SESSION_STREAMS, ADDRESS_STREAMS = 12, 300


class Limiter:
    """Lets every key do something as often as *rate* allows. Several threads may use it.

    Each key has one number: when its allowance is whole again (the generic cell rate algorithm of
    ITU-T I.371).
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        """Count by *clock*, which returns seconds."""
        self._rate = rate
        self._clock = clock
        self._whole: OrderedDict[str, float] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> int:
        """Count one use by *key*, and return 0; if it is one too many, after how many seconds.

        What is refused does not count.
        """
        step = self._rate.seconds / self._rate.times
        with self._lock:
            now = self._clock()
            whole = max(self._whole.get(key, now), now)
            wait = whole + step - now - self._rate.seconds
            if wait > 1e-6:
                return math.ceil(wait)
            self._whole[key] = whole + step
            self._whole.move_to_end(key)
            self._forget(now)
            return 0

    def _forget(self, now: float) -> None:
        """Forget the keys whose allowance is whole, oldest first; the oldest if there are many."""
        while self._whole:
            oldest = next(iter(self._whole))
            if self._whole[oldest] > now and len(self._whole) <= KEYS_MAX:
                return
            del self._whole[oldest]


class OpenStreams:
    """Counts what is open, by key. Several threads may use it."""

    def __init__(self) -> None:
        """Begin with nothing open."""
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def one_more(self, most: dict[str, int]) -> Iterator[bool]:
        """Yield whether each key of *most* may have one more open; count it during the block."""
        with self._lock:
            fits = all(self._open[key] < count for key, count in most.items())
            self._open.update(most.keys() if fits else ())
        try:
            yield fits
        finally:
            with self._lock:
                self._open.subtract(most.keys() if fits else ())
                self._open += Counter()  # It drops the keys with nothing open.

    def count(self, key: str) -> int:
        """Return how many *key* has open."""
        return self._open[key]


class RateLimits:
    """The limits of one server process, and of all that count together.

    Attributes:
        streams: the event streams that are open.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, rates: Mapping[str, Rate] = RATES,
        shared: SharedCounts | None = None,
    ) -> None:  # fmt: skip
        """Count by *clock*, which returns seconds, what *rates* names; some of it also in *shared*.

        What is too much for this process alone never reaches the database.
        """
        self._rates = rates
        self._shared = shared
        self._limiters = {kind: Limiter(rate, clock) for kind, rate in rates.items()}
        self.streams = OpenStreams()

    def take(self, kind: str, key: str) -> int:
        """Count a use of *kind*, one of the rates, by *key*; see `Limiter.take`.

        Call it in a thread: it may wait for the database.
        """
        wait = self._limiters[kind].take(key)
        if wait or self._shared is None or kind not in SHARED:
            return wait
        rate = self._rates[kind]
        return self._shared.take(f"{kind} {key}", rate.times, rate.seconds)


def network_key(address: str) -> str:
    """Return what stands for *address* in counts: an IPv4 address, or a network /64 of IPv6.

    Whoever has an IPv6 address usually has all addresses of its /64 (RFC 6177).
    """
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:100]
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped is not None:
            return str(known.ipv4_mapped)
        return str(ipaddress.ip_network((known, 64), strict=False))
    return str(known)
