"""The form of a ruling, as the draft that it describes."""

from collections.abc import Iterator, Mapping
from typing import Any

from nomoledger.errors import UsageError
from nomoledger.game.desk.ruling_preview import RulingDraft
from nomoledger.game.written_values import written_arguments, written_value


def draft_from(form: Mapping[str, Any]) -> RulingDraft:
    """Return the draft that the fields of *form* describe.

    Raises:
        UsageError: a field cannot be read, or a change is begun and not finished.
    """
    return RulingDraft(
        text=_text(form, "text"),
        cites=tuple(_text(form, "cites").replace(",", " ").split()),
        answer=_text(form, "answer"),
        event=_text(form, "event"),
        verdict=_text(form, "verdict"),
        value=_text(form, "value"),
        player=_text(form, "player"),
        action=_text(form, "action"),
        arguments=_text(form, "arguments"),
        overrules=tuple(_whole(number) for number in _text(form, "overrules").split()),
        settle=_text(form, "settle"),
        questions=_text(form, "questions") or "stop",
        changes=_text(form, "changes"),
        more=tuple(_changes(form)),
        scope=_text(form, "scope") or "attempt",
        closes=_whole(closes) if (closes := _text(form, "closes")) else None,
    )


def _changes(form: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the changes that are not written as YAML, in its notation."""
    if attribute := _text(form, "set-what"):
        kind, thing = _needed(form, "set-kind"), _needed(form, "set-thing")
        named, value = written_value(thing), written_value(_text(form, "set-value"))
        yield {"set": {kind: named, attribute: None if value == "" else value}}
    if amount := _text(form, "post-amount").lstrip("+"):
        payer, payee = _needed(form, "post-from"), _needed(form, "post-to")
        negative = amount.removeprefix("-") if amount.startswith("-") else f"-{amount}"
        post: dict[str, Any] = {"post": {payer: negative, payee: amount}}
        commodity = _text(form, "post-commodity")
        post |= {"commodity": commodity} if commodity else {}
        yield post | {"why": _text(form, "text")}
    if operation := _text(form, "do-what"):
        yield {"do": operation, "with": written_arguments(_text(form, "do-with"))}
    if rule := _text(form, "amend-rule"):
        parameter, value = _needed(form, "amend-what"), _needed(form, "amend-value")
        yield {"amend": rule, "parameters": {parameter: written_value(value)}}


def _text(form: Mapping[str, Any], name: str) -> str:
    value = form.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def _needed(form: Mapping[str, Any], name: str) -> str:
    value = _text(form, name)
    if not value:
        field = name.replace("-", " ")
        raise UsageError(f"the change lacks its {field}: fill it in, or leave out all of it")
    return value


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{text!r:.40} is not a number")
    return int(text)
