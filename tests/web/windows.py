"""Real browsers: Debian's Chromium, at a server that listens, with what each page complains of."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socket import create_server
from typing import Any

import uvicorn
from playwright.sync_api import Page, sync_playwright

from nomoledger.web.app import make_app
from nomoledger.web.game_host import GameHost


@contextmanager
def listening(host: GameHost) -> Iterator[str]:
    """Serve *host* at a free port of this computer, and yield the address."""
    with create_server(("127.0.0.1", 0)) as listener:
        settings = uvicorn.Config(make_app(host), log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield Debian's Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


class Window:
    """A page of somebody's browser, and what the browser *complains* of."""

    def __init__(self, browser: Any, base: str, **options: Any) -> None:
        """Open an empty page, at a desk; *options* as those of `Browser.new_context`."""
        self.base = base
        self.page: Page = browser.new_context(base_url=base, **options).new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def sign_in(self, host: GameHost, game: str, reader: str) -> None:
        """Sign in to *game* as *reader*, with a new link."""
        self.page.goto(f"/enter/{host.sign_in.invite(game, reader)}")
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_load_state()
