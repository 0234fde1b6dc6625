"""Asking the desk for something, and telling what came of it in words."""

from collections.abc import Callable
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Any

from nomoledger.cli import output
from nomoledger.cli.arguments import command_line, game_to_say
from nomoledger.cli.context import open_game_at
from nomoledger.cli.options import scalar, typed

if TYPE_CHECKING:
    from nomoledger import events as e
    from nomoledger.game.game import Game
    from nomoledger.game.writer import Outcome
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.state.world import World

Request = Callable[["Game", dict[str, Any]], "Outcome"]
Label = Callable[[Any], Any]
REFUSED = 1


def run_request(
    request: Request,
    *,
    ledger: str,
    game: str | None,
    at: datetime | None,
    id: str | None,
    as_json: bool,
) -> int:
    """Make *request* at the desk, print what happened, and give the exit code."""
    from nomoledger.prose.labels import labels_now

    with open_game_at(ledger, game) as desk:
        label = labels_now(desk.world)
        asked = desk.world.waiting
        outcome = request(desk, {"at": at, "id": id})
        if as_json:
            _print_json(desk, outcome)
        else:
            tell_outcome(desk, outcome, label)
        return REFUSED if _is_refused(outcome, asked) else 0


def _print_json(desk: "Game", outcome: "Outcome") -> None:
    import msgspec

    from nomoledger.events.codec import encode_json

    bodies = [msgspec.Raw(encode_json(event)) for event in outcome.events]
    waiting = desk.world.waiting
    output.json(
        {
            "game": desk.name,
            "head": str(desk.ledger.head(desk.name)),
            "refused": [_refusal(each) for each in outcome.refusals],
            "waiting": None if waiting is None else waiting.text,
            "events": bodies,
        }
    )


def _is_refused(outcome: "Outcome", asked: "e.QuestionRaised | None") -> bool:
    """Whether the very thing asked for is refused, not only something that followed from it."""
    if not outcome.events:
        return False
    question = getattr(outcome.events[0], "question", None)
    about = question.rpartition("|")[0] if question else getattr(outcome.events[0], "id", None)
    return any(refusal.attempt == about for refusal in outcome.refusals)


# --- in words -----------------------------------------------------------------------------------


def tell_outcome(desk: "Game", outcome: "Outcome", label: Label) -> None:
    """Print what was asked, what followed from it, and what is now waited for."""
    from nomoledger.events import AttemptRefused, Input
    from nomoledger.prose.descriptions import BOOKKEEPING, describe_event
    from nomoledger.prose.labels import labels_since

    names = labels_since(label, desk.world, outcome.events)
    commodities = desk.world.commodities()
    for event in outcome.events:
        if isinstance(event, AttemptRefused):
            output.line(_refusal(event))
        elif not isinstance(event, BOOKKEEPING):
            output.line(
                ("" if isinstance(event, Input) else "  ")
                + describe_event(event, names, commodities)
            )
    if desk.world.waiting is not None:
        for each in how_to_answer(desk.world, desk.world.waiting, desk.ledger):
            output.line(each)


def _refusal(refusal: "e.AttemptRefused") -> str:
    reasons = (f"{each.text} ({each.rule.partition('@')[0]})" for each in refusal.reasons)
    return f"refused: {'; '.join(reasons)}"


def how_to_answer(world: "World", question: "e.QuestionRaised", ledger: "Ledger") -> list[str]:
    """The open *question* in words, and the command that answers it."""
    location, game = ledger.store.location, game_to_say(ledger, world.game["game"])
    options = ", ".join(str(world.label(each)) for each in question.options)
    asked = f"waiting for {world.label(question.to)}: {question.text}"
    if question.asks == "dice":
        values = " ".join("N" for _ in question.options)
        return [asked, f"  enter the dice: {command_line('roll', location, values, game)}"]
    choose = f" (one of: {options})" if options else ""
    verb, rest = {
        "draw": ("roll", "VALUE"),
        "choice": ("answer", f"VALUE --by {quote(str(world.label(question.to)))}"),
    }.get(question.asks, ("ruling", "TEXT --value VALUE"))
    return [asked + choose, f"  answer it: {command_line(verb, location, rest, game)}"]


# --- what is typed, as the rules take it ----------------------------------------------------------


def typed_for(desk: "Game", operation: str, pairs: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The arguments typed for *operation*, by the types its definition states."""
    from nomoledger.language.program import link

    known = link(desk.world.rules).links.operations.get(operation)
    hooks = known.definitions if known is not None else []
    types = {each.name: each.type for _, hook in hooks for each in hook.parameters}
    return {key: typed(text, types.get(key, "")) for key, text in pairs}


def option_called(desk: "Game", text: str) -> Any:
    """The option of the open question that people call *text*; else what it says in YAML."""
    question = desk.world.waiting
    for option in question.options if question is not None and question.asks != "dice" else ():
        if text in (str(option), str(desk.world.label(option))):
            return option
    return scalar(text)
