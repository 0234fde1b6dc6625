"""Browsers without a window: they keep cookies, follow links and send the forms of pages."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any
from urllib.parse import urlencode

import html5lib
from litestar.testing import TestClient

from nomoledger.web.game_host import GameHost

Fields = dict[str, Any]


class Browser:
    """A browser of somebody, at the server *client*, with cookies of its own."""

    def __init__(self, app: Any, base: str = "http://games.test") -> None:
        self.client: TestClient[Any] = TestClient(app, base_url=base, raise_server_exceptions=True)
        self.text = ""
        self.status = 0
        self.address = ""
        self.headers: Mapping[str, str] = {}
        self.answer: Any = None

    def sign_in(self, host: GameHost, game: str, reader: str) -> None:
        """Sign in to *game* as *reader*, with a new link."""
        self.open(f"/enter/{host.sign_in.invite(game, reader)}")
        self.send({}, to="/enter/")

    def open(self, address: str) -> str:
        """Open *address*, and return the page."""
        return self._took(self.client.get(address, headers={"sec-fetch-site": "same-origin"}))

    def send(self, fields: Fields, *, to: str | None = None, button: str | None = None) -> str:
        """Fill in *fields* of the form that goes *to* an address, or has the *button*; send it."""
        action, known = self.form(to, button)
        return self._took(
            self.client.post(
                action,
                content=urlencode({**known, **fields}, doseq=True),
                headers={
                    "content-type": "application/x-www-form-urlencoded",
                    "sec-fetch-site": "same-origin",
                },
            )
        )

    def form(self, to: str | None = None, button: str | None = None) -> tuple[str, Fields]:
        """Return where a form of the page goes, its hidden fields, and what is checked in it."""
        tree = html5lib.parse(self.text, namespaceHTMLElements=False)
        for form in tree.iter("form"):
            action = form.get("action", "")
            labels = ["".join(each.itertext()).strip() for each in form.iter("button")]
            if (to is None or to in action) and (button is None or button in labels):
                fields = _fields_of(form)
                for each in form.iter("button"):
                    if "".join(each.itertext()).strip() == button and each.get("name"):
                        fields[str(each.get("name"))] = each.get("value", "")
                return action, fields
        raise AssertionError(f"no form to {to} with {button}: {words(self.text)}")

    def _took(self, answer: Any) -> str:
        self.text, self.status, self.address = answer.text, answer.status_code, str(answer.url)
        self.headers = answer.headers
        self.answer = answer
        return words(self.text)


def _fields_of(form: Any) -> Fields:
    """Return the hidden fields of *form*, and what is checked in it; several values as a list."""
    found: dict[str, list[str]] = {}
    for each in form.iter("input"):
        is_checked = each.get("type") == "checkbox" and each.get("checked") is not None
        if is_checked or each.get("type") == "hidden":
            found.setdefault(str(each.get("name")), []).append(each.get("value", ""))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def words(page: str) -> str:
    """Return the text of the main part of *page*."""
    found = re.search(r"<main.*?</main>", page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[0] if found else page)).split())
