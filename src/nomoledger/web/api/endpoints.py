"""How operations of the API are declared: address, scope, and the problems that they may answer."""

from collections.abc import Callable
from typing import Annotated, Any

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter, QueryParameter

from nomoledger.people.request_keys import KEY_MAX
from nomoledger.web.api.problem_details import KINDS, MEDIA_TYPE, ProblemDetails
from nomoledger.web.threads import in_thread

Handler = Callable[..., Any]
#: The name of the scheme by which programs sign in.
SCHEME = "token"
PREFIX = "/api/v1"
GAME = f"{PREFIX}/games/{{game:str}}"

#: The header by which a repeated request is known.
RequestKey = Annotated[
    str,
    HeaderParameter(
        name="Idempotency-Key",
        min_length=1,
        max_length=KEY_MAX + 2,
        description="A name for this request, chosen by the program, such as a UUID. The same"
        " request under the same key is made once.",
    ),
]
#: For whom the admin acts.
ActingFor = Annotated[
    str | None,
    QueryParameter(name="as", description="The player for whom the admin acts.", required=False),
]


def reads(path: str, scope: str = "public") -> Callable[[Handler], HTTPRouteHandler]:
    """Return a decorator for an operation at *path* that reads, and that tokens with *scope* may.

    What has the scope "public" needs no token.
    """
    return _operation(get, path, scope, {}, [304])


def computes(path: str, scope: str) -> Callable[[Handler], HTTPRouteHandler]:
    """Return a decorator for an operation at *path* that is sent a body, and records nothing."""
    return _operation(post, path, scope, {"limit": "trial"}, [])


def records(path: str, scope: str) -> Callable[[Handler], HTTPRouteHandler]:
    """Return a decorator for an operation at *path* that is recorded, once for each key."""
    return _operation(post, path, scope, {"limit": "request", "is_recorded": True}, [])


def _operation(
    method: Any, path: str, scope: str, options: dict[str, Any], more: list[int]
) -> Callable[[Handler], HTTPRouteHandler]:
    def declare(handler: Handler) -> HTTPRouteHandler:
        summary, _, rest = (handler.__doc__ or "").partition("\n")
        needs = "No token is needed." if scope == "public" else f"Scope: `{scope}`."
        description = " ".join(f"{rest.strip()} {needs}".split())
        answers = _problems(more)
        made: HTTPRouteHandler = method(
            path,
            status_code=200,
            opt={"scope": scope, **options},
            summary=summary.removesuffix("."),
            description=description,
            operation_id=handler.__name__,
            responses=answers,
            security=[{SCHEME: []}, {}] if scope == "public" else [{SCHEME: []}],
        )(in_thread(handler))
        return made

    return declare


def _problems(more: list[int]) -> dict[int, ResponseSpec]:
    answers: dict[int, ResponseSpec] = {}
    for status, title in KINDS.values():
        known = answers.get(status)
        text = f"{known.description}; or: {title}" if known else title
        answers[status] = ResponseSpec(
            ProblemDetails, generate_examples=False, description=text, media_type=MEDIA_TYPE
        )
    for status in more:
        description = "Nothing has changed since the answer with this ETag"
        answers[status] = ResponseSpec(None, generate_examples=False, description=description)
    return answers
