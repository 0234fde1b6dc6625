"""The OpenAPI document of the API, and the words in it, which come from docstrings."""

import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec
from litestar import Litestar
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, SecurityScheme

from nomoledger.web.api.endpoints import SCHEME

_ABOUT = "The games of a nomoledger server: the same services as its pages, for programs."
#: The attributes in a docstring: `name, other: text. third: text`.
_FIELD = re.compile(r"(?:^|(?<=\. ))((?:[a-z_]+, )*[a-z_]+): ")


def document_of(endpoints: Sequence[HTTPRouteHandler]) -> dict[str, Any]:
    """Return the OpenAPI document (3.1) of *endpoints*, with descriptions of all fields."""
    scheme = SecurityScheme(
        type="http", scheme="bearer", description="A token, made on the page Tokens of its owner."
    )
    config = OpenAPIConfig(
        "nomoledger",
        version("nomoledger"),
        description=_ABOUT,
        components=Components(security_schemes={SCHEME: scheme}),
    )
    whole = Litestar(list(endpoints), openapi_config=config).openapi_schema.to_schema()
    # Some defaults are structs and tuples.
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(whole))
    structs = _structs()
    for name, schema in made["components"]["schemas"].items():
        struct = structs.get(schema.get("title", name))
        if struct is not None:
            _describe(schema, struct)
    return made


def _describe(schema: dict[str, Any], struct: type[msgspec.Struct]) -> None:
    words = inspect.getdoc(struct) or ""
    about, _, _ = words.partition("\n\nAttributes:")
    schema["description"] = " ".join(about.replace("*", "").split())
    if struct.__struct_config__.forbid_unknown_fields:
        schema["additionalProperties"] = False
    described = dict(_fields_in(words))
    for base in struct.__mro__[1:]:
        described = dict(_fields_in(inspect.getdoc(base) or "")) | described
    for field, its in schema.get("properties", {}).items():
        text = described.get(field) or _mentioned(about, field)
        if text:
            its["description"] = text


def _fields_in(words: str) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a docstring describes, each with its description."""
    _, _, section = words.partition("Attributes:\n")
    for block in re.split(r"\n(?= {4}\S)", "\n" + section):
        text = " ".join(block.split())
        found = list(_FIELD.finditer(text))
        ends = [match.start() for match in found[1:]] + [len(text)] if found else []
        for match, end in zip(found, ends, strict=True):
            for name in match[1].split(", "):
                yield name, text[match.end() : end].strip()


def _mentioned(about: str, field: str) -> str:
    """Return what a description says of a *field* that it mentions in italics."""
    is_mentioned = f"*{field}*" in about
    return " ".join(about.replace("*", "").split()) if is_mentioned else ""


@cache
def _structs() -> dict[str, type[msgspec.Struct]]:
    """Return all structs of this program by name; names of classes are used once."""
    found: dict[str, type[msgspec.Struct]] = {}
    waiting: list[type[msgspec.Struct]] = [msgspec.Struct]
    while waiting:
        for each in waiting.pop().__subclasses__():
            found[each.__name__] = each
            waiting.append(each)
    return found
