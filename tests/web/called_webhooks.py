"""A served game of which webhooks are told, by a clock that a test sets."""

import json
import time
from collections.abc import Callable
from typing import Any

from watch import Watch
from webhook_receiver import Receiver, sender_to

import nomoledger
from nomoledger.game.desk.player_requests import submit_values
from nomoledger.game.desk.public_head import ReaderHead, reader_head
from nomoledger.game.game import Game
from nomoledger.people.outbox import Outbox
from nomoledger.people.postman import Postman
from nomoledger.people.sign_in import Session
from nomoledger.people.webhook_round import KIND, WebhookRound
from nomoledger.people.webhooks import Webhook, Webhooks
from nomoledger.rulebook.changes import parse_changes
from nomoledger.views.past.index import KINDS
from nomoledger.web.game_host import GameHost
from web.opened_game import BEGIN
from web.test_sealed_pages import WHISPERS


def open_whispering_game(place: str) -> None:
    """Make a ledger at *place* with the game `mail`, in which Ann and Bob can whisper."""
    with nomoledger.open(place, create=True) as ledger:
        game = ledger.create_game("mail", "mail-opening", at=BEGIN)
        for name in ("Ann", "Bob"):
            game.join(name, {"email": f"{name.lower()}@example.org"}, at=BEGIN)
        game.rule("whispers", changes=parse_changes(WHISPERS, "whispers"), at=BEGIN)


class CalledWebhooks:
    """The webhooks of the games of *host*, which call *receiver*."""

    def __init__(self, host: GameHost, receiver: Receiver, watch: Watch | None = None) -> None:
        self.host, self.receiver, self.watch = host, receiver, watch or Watch(int(time.time()))
        self.webhooks = Webhooks(host._database, self.watch)
        self.outbox = Outbox(host._database, self.watch)
        sender = sender_to(receiver.file)
        self.round = WebhookRound(host, self.webhooks, self.outbox, sender, self.watch)
        self.postman = Postman(self.outbox, KIND, self.round.deliver, self.watch)
        self._count = 0

    def add(self, reader: str, *kinds: str) -> Webhook:
        """Add a webhook of *reader* for *kinds* of events, all by default."""
        self._count += 1
        last = self.host.read("mail", reader_head, reader, kind=ReaderHead).number
        key = f"{time.time_ns()}-{self._count}"
        address = f"{self.receiver.address}&of={reader}"
        return self.webhooks.add("mail", reader, key, address, kinds or tuple(KINDS), last)[0]

    def now(self, webhook: Webhook) -> Webhook:
        """Return *webhook* as it is now."""
        found = self.webhooks.find(webhook.id)
        assert found is not None
        return found

    def later(self, seconds: float = 0) -> list[dict[str, Any]]:
        """Look and call until nothing is left, after *seconds*; return what receivers got."""
        self.watch.now += seconds
        self.round.look()
        while self.postman.go_round():
            self.round.look()
        return self.received()

    def received(self) -> list[dict[str, Any]]:
        """Return the bodies of the calls since the last time, each with its id."""
        calls = self.receiver.taken()
        return [{"id": headers["webhook-id"], **json.loads(body)} for _, headers, body in calls]

    def ask(self, reader: str, request: Callable[..., Any], *words: object) -> None:
        """Make a request of *reader*."""
        self._count += 1
        session, id = Session("0" * 64, "mail", reader), f"{time.time_ns()}-{self._count}"
        self.host.request(session, "asks", request, *words, id=id)

    def propose(self) -> None:
        """Let Ann propose something."""
        self.ask("Ann", Game.propose, "Ann", "Something")

    def whisper(self, text: str) -> None:
        """Let Bob whisper *text*."""
        self.ask("Bob", submit_values, "Bob", "whisper", {"text": text})


def numbers(bodies: list[dict[str, Any]]) -> list[int]:
    """Return the numbers of all events in *bodies*."""
    return [event["number"] for body in bodies for event in body["data"]["events"]]
