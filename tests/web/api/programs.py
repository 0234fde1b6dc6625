"""Programs of people: they send a token, and keys of their own."""

from itertools import count
from typing import Any

from litestar.testing import TestClient

from nomoledger.people.api_tokens import SCOPES
from nomoledger.web.game_host import GameHost
from web.api.documented_answers import check_answer

#: All that a player's token can be allowed.
PLAYER_SCOPES = [scope for scope in SCOPES if scope != "admin"]


class Program:
    """A program with a *token*, "" for none, that calls the API of *game*."""

    def __init__(self, app: Any, game: str, token: str = "") -> None:
        self.client: TestClient[Any] = TestClient(app, base_url="http://games.test")
        self.place = f"/api/v1/games/{game}"
        self.headers = {"authorization": f"Bearer {token}"} if token else {}
        self._keys = count()

    def get(self, path: str = "", **headers: str) -> Any:
        """Return the answer to a GET of *path* in the game."""
        return self.get_at(self.place + path, **headers)

    def get_at(self, address: str, **headers: str) -> Any:
        """Return the answer to a GET of *address*."""
        return _checked(self.client.get(address, headers=self.headers | headers))

    def post(self, path: str, body: Any = None, key: str | None = None) -> Any:
        """Return the answer to a POST of *body* to *path*, under a new key unless one is given."""
        key = f"key-{next(self._keys)}" if key is None else key
        headers = self.headers | ({"idempotency-key": key} if key else {})
        if body is None:
            return _checked(self.client.post(self.place + path, headers=headers))
        if isinstance(body, bytes):
            headers |= {"content-type": "application/json"}
            return _checked(self.client.post(self.place + path, content=body, headers=headers))
        return _checked(self.client.post(self.place + path, json=body, headers=headers))


def _checked(answer: Any) -> Any:
    """Return *answer*, which is one that the OpenAPI document states."""
    check_answer(answer)
    return answer


def token_of(host: GameHost, game: str, reader: str, *scopes: str) -> str:
    """Return a new token of *reader*, with all scopes that the reader can have or some *scopes*."""
    every = list(SCOPES) if reader == "admin" else PLAYER_SCOPES
    return host.tokens.make(game, reader, "a program", scopes or every, 30)
