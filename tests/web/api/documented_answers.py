"""Checks answers of the API against its OpenAPI document."""

import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from nomoledger.web.api.api_app import ENDPOINTS
from nomoledger.web.api.api_document import document_of

#: The operations whose answers were checked in this process.
CHECKED: set[str] = set()


@cache
def document() -> dict[str, Any]:
    return document_of(ENDPOINTS)


@cache
def _addresses() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    def pattern(path: str) -> str:
        return re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(path))

    # Addresses without parameters go first: `proposals/check` is no number.
    paths = sorted(document()["paths"].items(), key=lambda pair: pair[0].count("{"))
    return [(re.compile(pattern(path)), methods) for path, methods in paths]


@cache
def _validator(reference: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": reference, "components": document()["components"]})


def check_answer(answer: Any) -> None:
    """Check that *answer* is one that the document states for its operation."""
    path, method = answer.request.url.path, answer.request.method.lower()
    operation = next(
        methods[method]
        for pattern, methods in _addresses()
        if pattern.fullmatch(path) and method in methods
    )
    stated = operation["responses"][str(answer.status_code)]
    if "content" not in stated:
        assert answer.content == b""
        return
    ((kind, content),) = stated["content"].items()
    assert answer.headers["content-type"] == kind
    _validator(content["schema"]["$ref"]).validate(answer.json())
    if answer.status_code == 200:
        CHECKED.add(operation["operationId"])
