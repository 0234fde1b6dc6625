"""The OpenAPI document is valid, describes all operations, and is linked from a plain page."""

import re

import pytest
from openapi_spec_validator import validate

from nomoledger.web.api.api_app import ENDPOINTS
from nomoledger.web.api.problem_details import KINDS
from web.api.conftest import Start
from web.api.documented_answers import document


@pytest.mark.slow
def test_the_document_is_valid_openapi() -> None:
    assert document()["openapi"].startswith("3.1")
    validate(document())


def test_every_operation_has_a_summary_a_scope_and_problems() -> None:
    operations = [each for path in document()["paths"].values() for each in path.values()]
    assert len(operations) == len(ENDPOINTS)
    for operation in operations:
        assert operation["summary"]
        assert re.search(r"No token is needed|Scope: `\w+`", operation["description"])
        assert {"400", "401", "403", "409", "429", "500"} <= operation["responses"].keys()


def test_every_struct_is_described_and_bodies_take_no_unknown_fields() -> None:
    for name, schema in document()["components"]["schemas"].items():
        assert schema["description"], name
        if name.endswith("Body"):
            assert schema["additionalProperties"] is False
            assert all("description" in each for each in schema["properties"].values()), name


@pytest.mark.parametrize("name", ["ProblemDetails", "RequestAnswer", "PastEvent", "GameSummary"])
def test_fields_have_the_words_of_the_docstring(name: str) -> None:
    fields = document()["components"]["schemas"][name]["properties"]
    described = [field for field, its in fields.items() if its.get("description")]
    assert len(described) >= len(fields) - 2


def test_the_page_lists_operations_and_problems_and_the_document_is_served(start: Start) -> None:
    client = start("").client
    text = client.get("/api").text
    for path in document()["paths"]:
        assert f"<code>{path}</code>" in text
    for kind in KINDS:
        assert f'id="{kind}"' in text
    assert "<script src=" not in text.replace('<script src="/static/', "")
    answer = client.get("/api/v1/openapi.json")
    assert answer.headers["content-type"] == "application/vnd.oai.openapi+json"
    assert answer.json() == document()
