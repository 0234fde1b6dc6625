"""Programs at the server of the game of Ann and Bob."""

from collections.abc import Callable

import pytest

from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost
from web.api.programs import Program, token_of

Start = Callable[..., Program]


@pytest.fixture
def start(host: GameHost) -> Start:
    """Returns a program of somebody, with some scopes or all; without a token for ""."""
    app = make_app(host)

    def program(reader: str, *scopes: str) -> Program:
        return Program(app, "mail", token_of(host, "mail", reader, *scopes) if reader else "")

    return program
