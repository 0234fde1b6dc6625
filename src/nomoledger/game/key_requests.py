"""Requests by which a game is handed over: its seals are signed with another key from then on."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.repeated_requests import idempotent
from nomoledger.game.writer import GameWriter, Outcome

if TYPE_CHECKING:
    from nomoledger.proof.key_chain import KeyRequest
    from nomoledger.proof.signing import Signer


class KeyRequests(GameWriter):
    """The requests by which the key of a game passes to another admin."""

    @idempotent
    def hand_over(
        self,
        request: "KeyRequest",
        key_file: str | None = None,
        text: str = "",
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Hand the game over to the key that made *request*; the current key is in *key_file*.

        Whatever is due is carried out first. The signature covers the last seal, too, and *text*, a
        last statement in words. If *key_file* is None, the game's own key signs.

        Raises:
            UsageError: the request is of another game, or the file has another key.
            OSError: the file cannot be read.
        """
        from nomoledger.proof.key_chain import current_signer
        from nomoledger.proof.signing import read_signer

        if request.game != self.name:
            raise UsageError(f"the request is to take {request.game} over, not {self.name}")
        given = None if key_file is None else read_signer(key_file)
        signer = current_signer(self.ledger, self.name, given)
        return self._pass_key(request, signer.public, signer, text, at, id)

    @idempotent
    def take_over(
        self,
        key_file: str,
        text: str = "",
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Take the game over with the new key in *key_file* alone: the old key is lost.

        The record says that the old key has not confirmed this, and so does every check.

        Raises:
            UsageError: the key is that of the game already.
            OSError: the file cannot be read.
        """
        from nomoledger.proof.key_chain import current_key, request_key
        from nomoledger.proof.signing import read_signer

        self.catch_up()
        signer = read_signer(key_file)
        request = request_key(self.name, signer)
        return self._pass_key(request, current_key(self.world), signer, text, at, id)

    def _pass_key(
        self,
        request: "KeyRequest",
        previous: str,
        signer: "Signer",
        text: str,
        at: datetime | None,
        id: str | None,
    ) -> Outcome:
        from nomoledger.proof.key_chain import statement
        from nomoledger.proof.sealer import FOLD

        if request.key == previous:
            raise UsageError(f"{self.name}: {request.key} is the key of the game already")
        # What is due comes before, in the public stream, too, where it may wait for a request.
        at = self.receive(e.ClockAdvanced, at=at).events[0].received_at
        fields: dict[str, Any] = {"key": request.key, "previous": previous, "text": text}
        fields |= {"is_confirmed": signer.public == previous, "consent": request.signature}
        fields |= {"sealed": self._last_seal(), "fold": FOLD, "signature": ""}
        unsigned = self._input(e.KeyPassed, at, "unsigned", fields)
        assert isinstance(unsigned, e.KeyPassed)
        fields |= {"text": unsigned.text, "signature": signer.sign(statement(self.name, unsigned))}
        return self.receive(e.KeyPassed, at=at, id=id, **fields)

    def _input(
        self, kind: type[e.Input], at: datetime | None, id: str, fields: dict[str, Any]
    ) -> e.Input:
        event = super()._input(kind, at, id, fields)
        if isinstance(event, e.KeyPassed) and event.signature:
            from nomoledger.proof.key_chain import is_stated

            if not is_stated(self.name, event):
                raise UsageError(
                    f"{self.name}: the period was closed meanwhile: nothing was handed over; do it"
                    " again"
                )
        return event

    def _last_seal(self) -> str:
        """Return the digest of the last seal, or `NO_SEAL`.

        Raises:
            UsageError: something that waits for an answer would follow the statement in public.
        """
        from nomoledger.proof.seal import NO_SEAL
        from nomoledger.proof.seal_observer import SealObserver, kept_seals

        observer = SealObserver(self.ledger, self.name)
        observer.keep_up()
        if not observer.is_caught_up:
            raise UsageError(
                f"{self.name}: something sealed is under way: answer what is open (nomoledger"
                " status), then hand the game over"
            )
        seals = kept_seals(self.ledger, self.name)
        return seals[-1].digest if seals else NO_SEAL
