"""The keys of a game: who may sign its seals, and how that right passes to another key.

Whoever takes a game over makes a key and signs a request with it. The key that signed so far
signs the statement that names the new key, and the last seal with it, so that the statement vouches
for all that was sealed before. If the old key is lost, the new key signs the statement alone.
"""

from pathlib import Path

import msgspec

from nomoledger import events as e
from nomoledger.errors import RecordError, UsageError
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.signing import Signer, game_signer, is_signed
from nomoledger.state.world import World

TAG = b"nomoledger-key-passed/1"
REQUEST_TAG = b"nomoledger-key-request/1"
#: How long the file of a request may be, in bytes.
REQUEST_MAX = 10_000
_encode = msgspec.json.Encoder(order="deterministic").encode


class KeyRequest(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="nomoledger",
    tag="key-request/1",
):  # fmt: skip
    """The request of the owner of *key* to take over *game*, signed with that key."""

    game: str
    key: str
    signature: str

    def encoded(self) -> bytes:
        """Return the request as one line of JSON, always with the same bytes."""
        return _encode(self)


def request_key(game: str, signer: Signer) -> KeyRequest:
    """Return the request of *signer* to take over *game*."""
    return KeyRequest(game, signer.public, signer.sign(_request(game, signer.public)))


def read_request(file: str | Path) -> KeyRequest:
    """Return the request in *file*.

    Raises:
        RecordError: the file is not a request, or was altered.
        OSError: the file cannot be read.
    """
    with open(file, "rb") as source:
        data = source.read(REQUEST_MAX)
    try:
        request = msgspec.json.decode(data, type=KeyRequest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"{file}: not a request to take a game over: {error}") from None
    if not is_signed(_request(request.game, request.key), request.signature, request.key):
        raise RecordError(f"{file}: the signature does not fit the request: it was altered")
    return request


def _request(game: str, key: str) -> bytes:
    return REQUEST_TAG + _encode({"game": game, "key": key})


def statement(game: str, passed: e.KeyPassed) -> bytes:
    """Return what the signature of *passed*, an event of *game*, covers."""
    names = ("period", "key", "previous", "is_confirmed", "sealed", "fold", "text", "consent")
    return TAG + _encode({"game": game} | {name: getattr(passed, name) for name in names})


def is_stated(game: str, passed: e.KeyPassed) -> bool:
    """Return whether the key that must sign *passed*, an event of *game*, has signed it."""
    signer = passed.previous if passed.is_confirmed else passed.key
    return is_signed(statement(game, passed), passed.signature, signer)


class KeyChain:
    """The keys of *game*, as the events that pass them on name them.

    Attributes:
        passed: these events, in order.
    """

    def __init__(self, game: str) -> None:
        """Begin before the first event."""
        self.game = game
        self.passed: list[e.KeyPassed] = []

    def take(self, passed: e.KeyPassed, period: int, sealed: str, fold: str) -> str | None:
        """Add the next key, and return what is wrong with the event in words, or None.

        The event must be of the open *period*. *sealed* is the digest of the last seal, with the
        version of the reducer, *fold*; seals of different versions are not compared.
        """
        before = self.passed[-1].key if self.passed else passed.previous
        consent = _request(self.game, passed.key)
        for is_sound, problem in (
            (passed.period == period, f"it is of period {passed.period}, not {period}"),
            (passed.previous == before, "the key before it is another one"),
            (passed.key != passed.previous, "the key passes to itself"),
            (is_signed(consent, passed.consent, passed.key), "the new key has not consented"),
            (
                is_stated(self.game, passed),
                f"its signature does not fit the {'old' if passed.is_confirmed else 'new'} key",
            ),
            (
                passed.fold != fold or passed.sealed == sealed,
                "it does not follow the last seal before it",
            ),
        ):
            if not is_sound:
                return f"the game does not pass to the key {passed.key:.64}: {problem}"
        self.passed.append(passed)
        return None

    @property
    def current(self) -> str:
        """The key that signs now; "" if no event names it."""
        return self.passed[-1].key if self.passed else ""

    def reason_against(self, key: str, period: int) -> str | None:
        """Return why *key* may not have signed the seal of *period*; None if it may.

        The key that was in force at the close may, and any later key: its owner has the ledger, and
        vouches for what was sealed before.
        """
        keys = (
            [self.passed[0].previous, *(passed.key for passed in self.passed)]
            if (self.passed)
            else [""]
        )
        place = sum(passed.period <= period for passed in self.passed)
        if key in keys[place:] or not keys[place]:
            return None
        if key in keys:
            since = self.passed[place - 1].period
            return (
                f"the seal of period {period} is signed with the key {key}, but since period"
                f" {since} the key of the game is {keys[place]}"
            )
        return f"the seal of period {period} is signed with {key}, which is no key of the game"


def current_signer(ledger: Ledger, game: str, signer: Signer | None = None) -> Signer:
    """Return *signer*, or the signer with the own key of *game*, which must have the current key.

    Raises:
        UsageError: since the game was handed over, its key is another one.
    """
    found = signer or game_signer(ledger.secret(game))
    current = current_key(world_of(ledger, game))
    if current in ("", found.public):
        return found
    given = "the game's own" if signer is None else found.public
    raise UsageError(
        f"{game}: the game was handed over, and its key is {current}, not {given}: give the file of"
        " that key with --key; if the key is lost, see nomoledger handover take"
    )


def current_key(world: World) -> str:
    """Return the key that signs the seals of a game; "" if it was never handed over."""
    keys = world.game.get("keys", ())
    return str(keys[-1]["key"]) if keys else ""
