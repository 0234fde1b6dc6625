"""The form of a ruling, as the draft that it describes."""

from collections.abc import Iterator, Mapping
from typing import Any

from nomoledger.errors import UsageError
from nomoledger.game.desk.ruling_preview import RulingDraft
from nomoledger.game.written_values import written_arguments, written_value
from nomoledger.web.forms import number_of, optional_text_in


def draft_from(form: Mapping[str, Any]) -> RulingDraft:
    """Return the draft that the fields of *form* describe.

    Raises:
        UsageError: a field cannot be read, or a change is begun and not finished.
    """
    return RulingDraft(
        text=optional_text_in(form, "text"),
        cites=tuple(optional_text_in(form, "cites").replace(",", " ").split()),
        answer=optional_text_in(form, "answer"),
        event=optional_text_in(form, "event"),
        verdict=optional_text_in(form, "verdict"),
        value=optional_text_in(form, "value"),
        player=optional_text_in(form, "player"),
        action=optional_text_in(form, "action"),
        arguments=optional_text_in(form, "arguments"),
        overrules=tuple(_whole(number) for number in optional_text_in(form, "overrules").split()),
        settle=optional_text_in(form, "settle"),
        questions=optional_text_in(form, "questions") or "stop",
        changes=optional_text_in(form, "changes"),
        more=tuple(_changes(form)),
        scope=optional_text_in(form, "scope") or "attempt",
        closes=_whole(closes) if (closes := optional_text_in(form, "closes")) else None,
        voids=(voids,) if (voids := optional_text_in(form, "voids")) else (),
    )


def _changes(form: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the changes that are not written as YAML, in its notation."""
    if attribute := optional_text_in(form, "set-what"):
        kind, thing = _needed(form, "set-kind"), _needed(form, "set-thing")
        named, value = written_value(thing), written_value(optional_text_in(form, "set-value"))
        yield {"set": {kind: named, attribute: None if value == "" else value}}
    if amount := optional_text_in(form, "post-amount").lstrip("+"):
        payer, payee = _needed(form, "post-from"), _needed(form, "post-to")
        negative = amount.removeprefix("-") if amount.startswith("-") else f"-{amount}"
        post: dict[str, Any] = {"post": {payer: negative, payee: amount}}
        commodity = optional_text_in(form, "post-commodity")
        post |= {"commodity": commodity} if commodity else {}
        yield post | {"why": optional_text_in(form, "text")}
    if operation := optional_text_in(form, "do-what"):
        yield {"do": operation, "with": written_arguments(optional_text_in(form, "do-with"))}
    if rule := optional_text_in(form, "amend-rule"):
        parameter, value = _needed(form, "amend-what"), _needed(form, "amend-value")
        yield {"amend": rule, "parameters": {parameter: written_value(value)}}


def _needed(form: Mapping[str, Any], name: str) -> str:
    value = optional_text_in(form, name)
    if not value:
        field = name.replace("-", " ")
        raise UsageError(f"the change lacks its {field}: fill it in, or leave out all of it")
    return value


def _whole(text: str) -> int:
    number = number_of(text)
    if number is None:
        raise UsageError(f"{text!r:.40} is not a number")
    return number
