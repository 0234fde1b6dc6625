"""Visits all addresses of a served game that somebody can find or guess."""

import pkgutil
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import product
from typing import Any
from urllib.parse import parse_qsl, quote, urldefrag, urljoin, urlsplit

import html5lib

from nomoledger.web import routes
from web.browsers import Browser, Fields

#: A part of an address that may be anything, such as {number:int}.
PART = re.compile(r"\{(\w+)(?::\w+)?\}")
#: What is tried for a part of which a test says nothing.
GUESSES = ("0", "1", "none")
#: An address that is answered without end.
STREAM = re.compile(r"/news$")
#: Pages of which there is one for each event.
OF_AN_EVENT = re.compile(r"/(events|past)/\d+")


def handlers() -> Iterator[Any]:
    """Yield the handlers of all pages."""
    for module in pkgutil.iter_modules(routes.__path__):
        yield from getattr(import_module(f"{routes.__name__}.{module.name}"), "ROUTES", ())


def guesses(method: str, values: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the addresses of all handlers for *method*, with *values* for the parts of each."""
    for handler in handlers():
        if method not in handler.http_methods:
            continue
        for template in handler.paths:
            parts = PART.findall(template)
            for chosen in product(*(values.get(part, GUESSES) for part in parts)):
                path = template
                for part, value in zip(parts, chosen, strict=True):
                    path = re.sub(rf"\{{{part}(:\w+)?\}}", quote(value), path)
                yield path


def links(browser: Browser) -> set[str]:
    """Return the addresses of this server to which the page of *browser* leads."""
    tree = html5lib.parse(browser.text, namespaceHTMLElements=False)
    found = set()
    for element in tree.iter():
        for name in ("href", "src", "data-later", "hx-get"):
            address = urldefrag(urljoin(browser.address, element.get(name) or ""))[0]
            if urlsplit(address).netloc == urlsplit(browser.address).netloc:
                found.add(address.split("//", 1)[1].partition("/")[2])
    return {f"/{address}" for address in found}


def forms(browser: Browser) -> Iterator[tuple[str, Fields]]:
    """Yield where each form of the page goes by POST, and its fields, for each of its buttons."""
    tree = html5lib.parse(browser.text, namespaceHTMLElements=False)
    for form in tree.iter("form"):
        if (form.get("method") or "").lower() != "post":
            continue
        fields: Fields = {}
        for field in form.iter():
            if field.tag in ("input", "select", "textarea") and field.get("name"):
                options = [option.get("value", "") for option in field.iter("option")]
                fields[str(field.get("name"))] = field.get("value") or (options or ["x"])[-1]
        action = urljoin(browser.address, form.get("action") or "")
        yield action, fields
        for button in form.iter("button"):
            if button.get("name"):
                yield action, {**fields, str(button.get("name")): button.get("value") or ""}


def crawl(browser: Browser, start: Iterable[str], most: int = 1000) -> Iterator[str]:
    """Open the addresses of *start*, and all to which their pages lead; yield each when it is open.

    Of the pages of events, only those of *start* are opened.

    Raises:
        AssertionError: there are more than *most*.
    """
    waiting = deque(dict.fromkeys(start))
    known = set(waiting)
    while waiting:
        address = waiting.popleft()
        if STREAM.search(urlsplit(address).path):
            continue
        browser.open(address)
        yield address
        if "<html" not in browser.text[:200]:
            continue
        for link in sorted(links(browser) - known):
            known.add(link)
            if not OF_AN_EVENT.search(link):
                waiting.append(link)
        assert len(known) <= most, sorted(known)[::50]


def shown(browser: Browser) -> str:
    """Return all that the last answer tells: the address it led to, its headers, and its text."""
    answer = browser.answer
    told = [str(step.headers) for step in (*answer.history, answer)]
    query = parse_qsl(urlsplit(browser.address).query)
    return "\n".join([browser.address, str(query), *told, browser.text])
