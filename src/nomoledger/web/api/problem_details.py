"""What went wrong, as problem details (RFC 9457), for each request that is not answered."""

import re
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from nomoledger.errors import (
    MisfitError,
    NomoledgerError,
    RulebookError,
    RuleFault,
    SandboxError,
    StoreError,
    UnknownError,
)
from nomoledger.people.request_keys import ReusedKeyError

MEDIA_TYPE = "application/problem+json"
#: The kinds of problems: status and title. The page of the API explains each.
KINDS = {
    "malformed": (400, "The request cannot be read"),
    "key-missing": (400, "The header Idempotency-Key is missing"),
    "token": (401, "A token that works is needed"),
    "scope": (403, "The token may not do this"),
    "unknown": (404, "There is no such thing"),
    "method": (405, "The address has no such method"),
    "refused": (409, "The rules refuse"),
    "not-possible": (409, "The request makes no sense as things are"),
    "rules-fail": (409, "The rules fail"),
    "too-large": (413, "The request is too large"),
    "media-type": (415, "The request is no JSON"),
    "key-reused": (422, "The key is that of another request"),
    "too-many": (429, "Too many requests"),
    "failed": (500, "The server failed"),
    "later": (503, "The answer is not there yet"),
    "unavailable": (503, "The games cannot be reached"),
}
#: The kind of what the framework itself answers, by status.
_BY_STATUS = {404: "unknown", 405: "method", 413: "too-large", 415: "media-type"}
#: How much of a text from outside a detail repeats.
_DETAIL_MAX = 500


class RefusalReason(msgspec.Struct, frozen=True):
    """Why the rules refuse a request.

    Attributes:
        text: the reason in words.
        rule: the number of the rule.
    """

    text: str
    rule: str


class ProblemDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong (RFC 9457).

    Attributes:
        type: the kind of problem: an address that explains it.
        title: the kind of problem in words.
        status: the status of the answer.
        detail: what went wrong this time, on one line.
        reasons: why the rules refuse the request.
        errors: what is wrong with the changes of a proposal or ruling, a line each.
        scope: the scope that the token lacks.
        request: the id of the request in the ledger, if it is recorded.
    """

    type: str
    title: str
    status: int
    detail: str
    reasons: tuple[RefusalReason, ...] = ()
    errors: tuple[str, ...] = ()
    scope: str = ""
    request: str = ""


class ApiProblemError(Exception):
    """A request that is answered by a problem of *kind*, one of `KINDS`."""

    def __init__(
        self, kind: str, detail: str, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        """Say what went wrong in *detail*; *more* are further fields of `ProblemDetails`."""
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}
        self.more = more


def problem_answer(error: ApiProblemError) -> Response[bytes]:
    """Return the answer for *error*."""
    status, title = KINDS[error.kind]
    detail = " ".join(error.detail.split())
    if len(detail) > _DETAIL_MAX:
        detail = detail[:_DETAIL_MAX] + "…"
    body = ProblemDetails(f"/api#{error.kind}", title, status, detail, **error.more)
    content = msgspec.json.encode(body)
    return Response(content, status_code=status, media_type=MEDIA_TYPE, headers=error.headers)


def answer_problem(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """Return the answer for any *error*; what nobody foresaw is logged, and told to nobody."""
    if isinstance(error, ApiProblemError):
        return problem_answer(error)
    if isinstance(error, NomoledgerError):
        return problem_answer(_of_game(error))
    if isinstance(error, ValidationException):
        return problem_answer(ApiProblemError("malformed", _place_of(error)))
    if isinstance(error, HTTPException) and error.status_code < 500:
        kind = _BY_STATUS.get(error.status_code, "malformed")
        headers = {k: v for k, v in (error.headers or {}).items() if k.lower() == "allow"}
        return problem_answer(ApiProblemError(kind, error.detail, headers))
    if isinstance(error, RecursionError):
        return problem_answer(ApiProblemError("malformed", "too many lists in each other"))
    request.logger.exception("an operation of the API failed: %s", request.url.path)
    detail = "This is our mistake. Nothing is lost: repeat the request under the same key."
    return problem_answer(ApiProblemError("failed", detail))


def _of_game(error: NomoledgerError) -> ApiProblemError:
    if isinstance(error, ReusedKeyError):
        return ApiProblemError("key-reused", str(error))
    if isinstance(error, UnknownError):
        return ApiProblemError("unknown", str(error))
    if isinstance(error, MisfitError):
        return ApiProblemError("not-possible", str(error), errors=error.errors)
    if isinstance(error, RulebookError):
        return ApiProblemError("malformed", str(error))
    if isinstance(error, RuleFault):
        return ApiProblemError("rules-fail", str(error))
    if isinstance(error, StoreError | SandboxError):
        detail = "repeat the request under the same key in a while"  # The error names a place.
        return ApiProblemError("unavailable", detail, {"retry-after": "5"})
    return ApiProblemError("not-possible", str(error))


def _place_of(error: ValidationException) -> str:
    """Return what is wrong in the request, with the field that is wrong."""
    extra = error.extra if isinstance(error.extra, list) else []
    if not extra:
        return error.detail
    first: dict[str, Any] = extra[0]
    place = re.sub(r"^data\b\.?", "", str(first.get("key", "")))[:100]
    source = str(getattr(first.get("source"), "value", first.get("source", "body")))
    message = str(first.get("message", "")).replace("`", "'")
    if source == "body" and not place and message == "'data'":
        return "the body is missing: send a JSON object"
    return f"{source}{f', field {place!r}' if place else ''}: {message}"
