"""The commands ruling and rulings: what the admin decides, now or about what is long past."""

from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.change_options import changes_in
from nomoledger.cli.context import open_game_at
from nomoledger.cli.edit_options import edits, edits_given, event, fitted
from nomoledger.cli.outcome import option_called, run_request
from nomoledger.cli.output import line
from nomoledger.cli.what_if import QUESTIONS, asked_on, tell

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.game.writer import Outcome

SCOPES = click.Choice(["attempt", "period", "onwards", "precedent"])
REFUSED = 1


def deciding(function: options.Function) -> options.Function:
    """The options that say what is decided."""
    for option in (
        click.option("--yes", is_flag=True, help="Settle without asking."),
        click.option(
            "--questions", type=QUESTIONS, default="stop", help="What becomes of new questions."
        ),
        click.option(
            "--settle", type=click.Choice(["all", "money", "none"]), help="What is put right."
        ),
        click.option(
            "--urgent", is_flag=True, help="Rules are changed before all that is due or waits."
        ),
        click.option("--inferred", is_flag=True, help="Known only from how the game was played."),
        click.option(
            "--cite",
            multiple=True,
            metavar="RULE_OR_EVENT",
            help="What it cites: VI.1, #17.",
        ),
        click.option("--scope", type=SCOPES, default="attempt", help="What it holds for."),
        click.option(
            "--overrule", multiple=True, type=int, metavar="N", help="Ruling N no longer holds."
        ),
        edits,
        click.option("--reject", type=event, metavar="EVENT", help="It should not have counted."),
        click.option("--ratify", type=event, metavar="EVENT", help="It stands, though wrong."),
        click.option("--uphold", type=event, metavar="EVENT", help="What came of EVENT stands."),
        click.option("--changes", metavar="FILE", help="What is put right from now on, in YAML."),
        click.option("--value", help="The answer to the question that waits for a ruling."),
    ):
        function = option(function)
    return function


@click.command()
@options.ledger
@click.argument("text")
@deciding
@click.option("--closes", type=int, metavar="N", help="The dispute that it settles.")
@options.request
def ruling(text: str, **given: Any) -> int:
    """Rule: answer a question, put things right, decide what is past.

    What reaches back (--reject, --replace, --without, --take-in, --overrule) shows first what would
    have been, and asks; then the present is brought there, all of it or only the money.

    Example: nomoledger ruling game.db "The die was a 4" --replace 116=3,4 --cite VI.1
    """
    return decide(text, given)


def decide(text: str, given: dict[str, Any]) -> int:
    """Rule as the options *given* say, and tell what came of it."""
    given = dict(given)
    request = {key: given.pop(key) for key in ("ledger", "game", "at", "id", "as_json")}
    value, changes = given["value"], given["changes"]
    basis = "inferred" if given["inferred"] else "ruling"
    about, edited = about_past(given), edits_past(given)
    _check_one_kind(value, changes, about, edited)
    fields = {"cites": given["cite"], "scope": given["scope"], "basis": basis}
    fields["closes"] = given["closes"]
    if about or edited:
        return _on_the_past(text, about, given, fields, request)
    wanted = changes_in(changes)
    return run_request(
        lambda desk, when: desk.rule(
            text,
            value=None if value is None else option_called(desk, value),
            changes=wanted,
            urgent=given["urgent"],
            **fields,
            **when,
        ),
        **request,
    )


def about_past(given: dict[str, Any]) -> dict[str, int]:
    """The event that is upheld, ratified or rejected."""
    kinds = ("uphold", "ratify", "reject")
    return {key: given[key] for key in kinds if given[key] is not None}


def edits_past(given: dict[str, Any]) -> bool:
    """Whether something that is past should have been otherwise."""
    return any(given[key] for key in ("replaced", "without", "taken_in", "answers", "overrule"))


def _check_one_kind(
    value: str | None, changes: str | None, about: dict[str, int], edited: bool
) -> None:
    kinds = [value is not None, changes is not None, bool(about) or edited]
    if sum(kinds) > 1 or len(about) > 1:
        raise click.UsageError(
            "--value answers, --changes puts right, --uphold, --ratify, --reject and --replace"
            " decide about the past: give one"
        )


def _on_the_past(
    text: str,
    about: dict[str, int],
    given: dict[str, Any],
    fields: dict[str, Any],
    request: dict[str, Any],
) -> int:
    kind, event = next(iter(about.items()), ("replace", None))
    without = (*given["without"], *([event] if kind == "reject" and event is not None else []))
    edits = edits_given(given["replaced"], without, given["taken_in"], given["answers"])
    questions = given["questions"]
    with open_game_at(request["ledger"], request["game"]) as desk:
        edits = fitted(list(desk.ledger.read(desk.name)), edits)
        fields |= {"about": event, "edits": edits, "overrules": given["overrule"]}
        if edits or given["overrule"]:
            edits = _looked_at(desk, kind, given, fields, request)
            if edits is None:
                return REFUSED
            fields["edits"] = edits
    fields["questions"] = "stop" if questions == "ask" else questions

    def rule(desk: "Game", when: dict[str, Any]) -> "Outcome":
        return desk.rule_on(kind, text, settle=given["settle"], **fields, **when)

    return run_request(rule, **request)


def _looked_at(
    desk: "Game",
    kind: str,
    given: dict[str, Any],
    fields: dict[str, Any],
    request: dict[str, Any],
) -> Any:
    """The edits, after a look at what would have been; None where they are not to be made."""
    from nomoledger.events import Answered
    from nomoledger.game.counterfactual import WhatIfChanges

    id = request["id"]
    if id is not None and desk.ledger.find_input(desk.name, id) is not None:
        return fields["edits"]  # it was asked for before
    if desk.check_ruling(fields | {"kind": kind}) is None:
        return fields["edits"]  # it changes nothing that is past
    questions, settle = given["questions"], given["settle"]
    changed = WhatIfChanges(
        edits=fields["edits"],
        overrules=fields["overrules"],
        questions="stop" if questions == "ask" else questions,
    )
    found = asked_on(desk, changed, is_asking=questions == "ask")
    if not request["as_json"]:
        tell(found)
    if found.stopped is not None:
        line("nothing is settled: say what becomes of new questions, with --questions")
        return None
    if found.collisions and settle is None:
        line("later play does not fit: say how to settle, with --settle all, money or none")
        return None
    if any(each.dealt == "stopped" for each in found.asked):
        changed.edits = tuple(x for x in changed.edits if not isinstance(x, Answered))
    if not (given["yes"] or request["as_json"] or settle == "none"):
        click.confirm("Settle it so?", abort=True, err=True)
    return changed.edits
