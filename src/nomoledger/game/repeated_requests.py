"""Repeated requests: the same gets its first outcome, another one under the id is refused."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast
from unicodedata import normalize

import msgspec

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.writer import GameWriter, Outcome
from nomoledger.intake.bounds import admitted
from nomoledger.intake.typed import Types
from nomoledger.state.world import World

#: What a requester gave: the kind of the input, and values by the names of its fields.
Given = tuple[type[e.Input], dict[str, Any]]


#: Requests that give nothing but a time. Others may be repeated at a later time.
_TIMED = ("advance", "close")
Request = TypeVar("Request", bound=Callable[..., Outcome])


def idempotent(request: Request) -> Request:
    """Make *request*, a method of `Game`, return its first outcome when its `id` is repeated.

    What an interrupted process left of it is carried out first, unless it is urgent.

    What the request brings is checked first (see `nomoledger.intake`), then the ledger is asked:
    the arguments may not make sense any more. A request for something else under that id raises
    UsageError.
    """
    assert request.__name__ in _REQUESTS
    types = Types(request)

    @wraps(request)
    def answer(game: GameWriter, *positional: Any, **named: Any) -> Outcome:
        fields = dict(zip(types.names, positional, strict=False)) | named
        fields = types.checked(admitted(fields, "the request", normalizes=game.is_normal))
        before = game.again(fields.get("id"))
        if before is None:
            return request(game, **fields)
        given = signature(request).bind(game, **fields)
        given.apply_defaults()
        check_repeated(game, before, request.__name__, given.arguments)
        return before if fields.get("urgent") else game.finished(before)

    return cast(Request, answer)


def check_repeated(
    game: GameWriter, before: Outcome, request: str, arguments: dict[str, Any]
) -> None:
    """Check that *request*, a method of `Game` by name, asks for what was recorded under its id.

    *before* is the outcome under that id. Only what the requester gave is compared: what the world
    looked like then may have changed.

    Raises:
        UsageError: it asks for something else.
    """
    recorded = before.events[0]
    assert isinstance(recorded, e.Input)
    kind, fields = _REQUESTS[request](arguments)
    differs = None if type(recorded) is kind else "kind of request"
    if differs is None:
        world = game.world
        wrong = (name for name in fields if not _fits(world, recorded, name, fields[name]))
        differs = next(wrong, None)
    at: datetime | None = arguments["at"] if request in _TIMED else None
    if differs is None and at is not None and at.replace(microsecond=0) != recorded.received_at:
        differs = "time"
    if differs is not None:
        raise UsageError(
            f"{game.name}: the id {recorded.id!r} is that of another request, with another"
            f" {differs.replace('_', ' ')}: give another id"
        )


def _fits(world: World, recorded: e.Input, name: str, value: Any) -> bool:
    expected = getattr(recorded, name)
    if _text(value) == _text(expected):
        return True
    return name == "by" and isinstance(value, str) and world.find("player", value) == expected


def _text(value: Any) -> str:
    """Return *value* as text that is equal for equal values, however they are written."""
    encoded = msgspec.json.encode(value, order="deterministic", enc_hook=str)
    return normalize("NFC", encoded.decode())


def _fields(kind: type[e.Input], **names: str) -> Callable[[dict[str, Any]], Given]:
    """Return a function that takes the fields of *kind* from arguments with these *names*."""

    def given(arguments: dict[str, Any]) -> Given:
        return kind, {field: arguments[name] for field, name in names.items()}

    return given


def _join(arguments: dict[str, Any]) -> Given:
    details = arguments["details"] or {}
    return e.JoinRequested, {"name": arguments["name"].strip(), "details": details}


def _submission(arguments: dict[str, Any]) -> Given:
    fields = {"by": arguments["player"], "action": arguments["action"]}
    return e.SubmissionReceived, fields | {"arguments": arguments["arguments"] or {}}


def _proposal(arguments: dict[str, Any]) -> Given:
    words_only = arguments["words_only"]
    fields = {"by": arguments["player"], "text": arguments["text"], "words_only": words_only}
    return e.ProposalMade, fields | {"changes": () if words_only else arguments["changes"]}


def _commitment(arguments: dict[str, Any]) -> Given:
    commitment = arguments["commitment"].lower()
    return e.SeedCommitted, {"by": arguments["player"], "commitment": commitment}


def _dispute(arguments: dict[str, Any]) -> Given:
    fields = {"by": arguments["by"], "text": arguments["text"]}
    if arguments["about"] is not None:
        return e.DisputeOpened, fields | {"about": arguments["about"]}
    return e.DisputeOpened, fields | {"about": None, "disputed": arguments["period"]}


def _handover(arguments: dict[str, Any]) -> Given:
    return e.KeyPassed, {"key": arguments["request"].key, "text": arguments["text"]}


def _takeover(arguments: dict[str, Any]) -> Given:
    from nomoledger.proof.signing import read_signer  # which loads a large library

    fields = {"key": read_signer(arguments["key_file"]).public, "text": arguments["text"]}
    return e.KeyPassed, fields | {"is_confirmed": False}


def _ruling(arguments: dict[str, Any]) -> Given:
    fields = {name: arguments[name] for name in ("text", "cites", "basis", "scope", "closes")}
    value = arguments["value"]
    if value is None:
        fields |= {"kind": "correct", "changes": arguments["changes"]}
    else:
        fields |= {"kind": "answer", "value": value}
    return e.RulingMade, fields


def _ruling_on_the_past(arguments: dict[str, Any]) -> Given:
    fields = {name: arguments[name] for name in ("kind", "text", "about", "overrules")}
    edits, about = arguments["edits"], arguments["about"]
    if fields["kind"] == "reject" and not edits and about is not None:
        edits = (e.LeftOut(about),)
    others = {name: x for name, x in arguments["fields"].items() if name not in ("at", "id")}
    settle = {} if arguments["settle"] is None else {"settle": arguments["settle"]}
    return e.RulingMade, fields | {"edits": edits} | settle | others


_REQUESTS: dict[str, Callable[[dict[str, Any]], Given]] = {
    "advance": _fields(e.ClockAdvanced),
    "answer": _fields(e.ChoiceAnswered, value="value", by="by"),
    "answer_by_default": _fields(e.ChoiceAnswered),
    "argue": _fields(e.DisputeArgued, dispute="dispute", by="by", text="text"),
    "cancel_order": _fields(e.InputWithdrawn, withdrawn="order"),
    "close": _fields(e.CloseAsked),
    "close_dispute": _fields(e.RulingMade, closes="dispute", text="text"),
    "commit_seed": _commitment,
    "dispute": _dispute,
    "enter_dice": _fields(e.DrawEntered, values="values"),
    "hand_over": _handover,
    "join": _join,
    "judge": _fields(e.ProposalJudged, proposal="proposal", verdict="verdict"),
    "leave": _fields(e.LeaveRequested, by="player"),
    "order": _fields(
        e.OrderGiven, by="player", when="when", acts="acts", holds="holds", answer="answer"
    ),
    "propose": _proposal,
    "reveal_seed": _fields(e.SeedRevealed, by="player", seed="seed"),
    "rule": _ruling,
    "rule_on": _ruling_on_the_past,
    "set_finality": _fields(e.FinalitySet, days="days"),
    "submit": _submission,
    "take_over": _takeover,
    "undo": _fields(e.InputWithdrawn),
    "void": _fields(e.RulingMade, text="text", voids="items", cites="cites", closes="dispute"),
    "vote": _fields(e.VoteCast, by="player", proposal="proposal", choice="choice"),
}
