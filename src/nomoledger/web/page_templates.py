"""The templates of the served site, and how values are shown in them."""

import gzip
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from litestar.response import Response
from markupsafe import Markup, escape

from nomoledger.errors import UsageError
from nomoledger.people.sign_in import Session
from nomoledger.prose.statement_words import statement_words
from nomoledger.prose.time_format import format_minute, format_time
from nomoledger.views.site.template_environment import template_environment
from nomoledger.views.site.text import printable
from nomoledger.web.deadlines import deadline_in_words, time_left
from nomoledger.web.forms import new_request_id


@cache
def environment() -> Environment:
    """Return the templates of the served site."""
    made = template_environment("nomoledger.web")
    made.filters["time"] = lambda seconds: format_minute(int(seconds))
    made.filters["for_field"] = lambda seconds: format_time(seconds).replace(" ", "T")
    made.filters["iso"] = lambda seconds: datetime.fromtimestamp(seconds, UTC).isoformat()
    made.filters["address"] = _address
    made.filters["deadline"] = deadline_in_words
    made.filters["left"] = time_left
    made.filters["statement"] = _statement
    made.globals["new_id"] = new_request_id
    return made


def _address(text: str) -> Markup:
    """Return *text*, in which templates would withhold e-mail addresses, for who may see them."""
    return escape(printable(text))


def _statement(text: str) -> str:
    """Return the statement *text* in words; "" if it is no statement."""
    with suppress(UsageError):
        return statement_words(text)
    return ""


def page(template: str, status: int = 200, **values: Any) -> Response[str]:
    """Return the page that *template* makes of *values*."""
    text = environment().get_template(template).render(**values)
    return Response(text, status_code=status, media_type="text/html; charset=utf-8")


def served_line(game: str, session: Session | None) -> bytes:
    """Return the line that leads from a published page of *game* to the pages of *session*."""
    text = environment().get_template("served_line.html").render(game=game, session=session)
    return text.encode()


@cache
def asset(name: str) -> bytes:
    """Return the file *name* of those that pages load."""
    if name == "site.css":
        return (files("nomoledger.views.site") / "templates" / "style.css").read_bytes()
    return (files("nomoledger.web") / "static" / name).read_bytes()


@cache
def compressed_asset(name: str) -> bytes:
    """Return the file *name* of those that pages load, with gzip. There is no secret in it."""
    return gzip.compress(asset(name), mtime=0)
