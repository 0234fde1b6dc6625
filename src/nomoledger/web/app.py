"""The application: addresses, errors, and what protects them."""

from typing import Any

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from nomoledger.errors import MovedError, NomoledgerError, StoreError, UnknownError
from nomoledger.web.api.api_app import make_api
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.protection import App, Receive, Scope, Send, protected, with_headers
from nomoledger.web.rate_limits import RateLimits
from nomoledger.web.request_limits import hold_up
from nomoledger.web.routes import (
    admin,
    amending,
    copy_line,
    copy_pages,
    copy_past,
    disputing,
    entrance,
    files,
    mail_entrance,
    mail_pages,
    making_rulings,
    order_drafts,
    ordering,
    own_keys,
    passkey_entrance,
    past,
    play_pages,
    proposing,
    public,
    token_pages,
    webhook_pages,
)  # fmt: skip
from nomoledger.web.visitor import admin_only, known_session

#: The largest body of a request, in bytes.
BODY_BYTES_MAX = 200_000
#: After how many seconds to try again if the database cannot be used.
RETRY_SECONDS = 5


def make_app(host: GameHost, limits: RateLimits | None = None) -> App:
    """Return the application that shows the games of *host* within *limits* (ASGI 3)."""
    limits = limits or RateLimits(shared=host.counts)
    pages = Litestar(
        [
            *entrance.ROUTES,
            *passkey_entrance.ROUTES,
            *mail_entrance.ROUTES,
            *own_keys.ROUTES,
            *play_pages.ROUTES,
            *mail_pages.ROUTES,
            *ordering.ROUTES,
            *order_drafts.ROUTES,
            *proposing.ROUTES,
            *amending.ROUTES,
            *disputing.ROUTES,
            Router(
                "/",
                route_handlers=[*admin.ROUTES, *making_rulings.ROUTES, *files.ROUTES],
                guards=[admin_only],
            ),
            *past.ROUTES,
            *copy_pages.ROUTES,
            *copy_line.ROUTES,
            *copy_past.ROUTES,
            *token_pages.ROUTES,
            *webhook_pages.ROUTES,
            *public.ROUTES,
        ],
        state=State({"host": host, "limits": limits}),
        before_request=hold_up,
        exception_handlers={
            HTTPException: _show_problem,
            NomoledgerError: _show_error,
            Exception: _show_bug,
        },
        on_shutdown=[host.close],
        openapi_config=None,
        request_max_body_size=BODY_BYTES_MAX,
    )
    api: Any = make_api(host, limits)
    return _beside(with_headers(api), protected(pages))  # type: ignore[arg-type]


def _beside(api: App, pages: App) -> App:
    """Return an application that answers programs with *api*, and all others with *pages*.

    A page of another site can do nothing through the API: cookies sign nobody in to it.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_api = path == "/api" or path.startswith("/api/")
        await (api if is_api else pages)(scope, receive, send)

    return answer


def _show_problem(request: Request[Any, Any, Any], error: HTTPException) -> Response[Any]:
    game = str(request.path_params.get("game", ""))
    answer = _problem_page(request, game, error.status_code, error.detail)
    answer.headers.update(error.headers or {})
    return answer


def _show_error(request: Request[Any, Any, Any], error: NomoledgerError) -> Response[Any]:
    game = str(request.path_params.get("game", ""))
    if isinstance(error, StoreError) and not isinstance(error, MovedError):
        return _show_outage(request, error)
    if isinstance(error, UnknownError):
        return _problem_page(request, "", 404, str(error))
    return _problem_page(request, game, 409, str(error))


def _problem_page(
    request: Request[Any, Any, Any], game: str, status: int, problem: str
) -> Response[Any]:
    # This runs in the event loop, so that it must not wait for the database.
    session = known_session(request, game) if game else None
    values = {"game": game, "session": session, "player": None}
    return page("problem.html", status, problem=problem, **values)


def _show_outage(request: Request[Any, Any, Any], error: StoreError) -> Response[Any]:
    """Return the page for a database that cannot be used; only the log says where it is."""
    request.logger.warning("%s: %s", request.url.path, error)
    answer = page("outage.html", 503, game="", session=None)
    answer.headers["retry-after"] = str(RETRY_SECONDS)
    return answer


def _show_bug(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    request.logger.exception("a page failed: %s", request.url.path)
    problem = "This page failed, which is our mistake. Nothing is lost. Try again."
    return page("problem.html", 500, problem=problem, game="", session=None, player=None)
