"""The application behind `/api`."""

from typing import Any

import msgspec
from litestar import Litestar, Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from nomoledger.errors import NomoledgerError
from nomoledger.web.api import (
    admin_endpoints,
    dispute_endpoints,
    game_endpoints,
    player_endpoints,
    webhook_endpoints,
)
from nomoledger.web.api.api_document import document_of
from nomoledger.web.api.callers import admit
from nomoledger.web.api.endpoints import PREFIX
from nomoledger.web.api.problem_details import KINDS, ApiProblemError, answer_problem
from nomoledger.web.game_host import GameHost
from nomoledger.web.page_templates import page
from nomoledger.web.rate_limits import RateLimits
from nomoledger.web.threads import in_thread

#: The largest body of a request, in bytes.
BODY_BYTES_MAX = 200_000
ENDPOINTS = [
    *game_endpoints.ENDPOINTS,
    *player_endpoints.ENDPOINTS,
    *dispute_endpoints.ENDPOINTS,
    *admin_endpoints.ENDPOINTS,
    *webhook_endpoints.ENDPOINTS,
]


def make_api(host: GameHost, limits: RateLimits) -> Litestar:
    """Return the application that serves the games of *host* to programs within *limits*.

    Limits hold for each token, and for each address without a token.
    """
    return Litestar(
        [*ENDPOINTS, show_document, show_api],
        guards=[admit],
        state=State({"host": host, "limits": limits}),
        exception_handlers={
            ApiProblemError: answer_problem,
            HTTPException: answer_problem,
            NomoledgerError: answer_problem,
            Exception: answer_problem,
        },
        openapi_config=None,
        request_max_body_size=BODY_BYTES_MAX,
    )


@get(f"{PREFIX}/openapi.json")
@in_thread
def show_document(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Send the OpenAPI document."""
    content = msgspec.json.encode(_document(request))
    headers = {"cache-control": "max-age=3600"}
    return Response(content, media_type="application/vnd.oai.openapi+json", headers=headers)


@get("/api")
@in_thread
def show_api(request: Request[Any, Any, Any]) -> Response[str]:
    """Show a page that lists the operations and the problems."""
    operations = [
        (method.upper(), address, operation)
        for address, methods in _document(request)["paths"].items()
        for method, operation in methods.items()
    ]
    values: dict[str, Any] = {"operations": operations, "problems": KINDS}
    return page("api.html", **values, game="", session=None)


def _document(request: Request[Any, Any, Any]) -> dict[str, Any]:
    """Return the OpenAPI document, which is made once."""
    state = request.app.state
    if "document" not in state:
        state.document = document_of(ENDPOINTS)
    document: dict[str, Any] = state.document
    return document
