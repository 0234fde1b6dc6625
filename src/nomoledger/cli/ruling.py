"""The command ruling: decisions of the admin, about the present or the past."""

from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.change_options import read_changes_file, repeals
from nomoledger.cli.context import open_game_at
from nomoledger.cli.edit_options import edits, edits_from
from nomoledger.cli.outcome import run_request, send_request
from nomoledger.cli.output import print_line
from nomoledger.cli.parsing import parse_event, parse_scalar
from nomoledger.cli.proposal import print_misfit
from nomoledger.cli.what_if import QUESTIONS, print_what_if, run_what_if
from nomoledger.errors import MisfitError, UnknownError, UsageError

if TYPE_CHECKING:
    from nomoledger.game.game import Game
    from nomoledger.game.writer import Outcome

SCOPES = click.Choice(["attempt", "period", "onwards", "precedent"])
REFUSED = 1


def ruling_options(function: options.Function) -> options.Function:
    """Add the options that say what a ruling decides."""
    for option in (
        click.option(
            "--questions",
            type=QUESTIONS,
            default="stop",
            help="What to do with new questions: stop there, take the default, skip, or ask.",
        ),
        click.option(
            "--settle",
            type=click.Choice(["all", "money", "none"]),
            help="How much of the correction to apply: all state, money only, or nothing.",
        ),
        click.option(
            "--urgent",
            is_flag=True,
            help="Change the rules before anything that is due or waiting goes on.",
        ),
        click.option(
            "--inferred",
            is_flag=True,
            help="Mark the ruling as inferred from how the game was played.",
        ),
        click.option(
            "--cite",
            multiple=True,
            metavar="RULE_OR_EVENT",
            help="Cite a rule (VI.1) or an event (#17); may be repeated.",
        ),
        click.option(
            "--scope",
            type=SCOPES,
            default="attempt",
            help="Apply the ruling to this attempt, the period, from now on, or as a precedent.",
        ),
        click.option(
            "--overrule", multiple=True, type=int, metavar="N", help="Take ruling N out of force."
        ),
        edits,
        click.option(
            "--reject",
            type=parse_event,
            metavar="EVENT",
            help="Decide that EVENT does not count, and correct what followed.",
        ),
        click.option(
            "--ratify",
            type=parse_event,
            metavar="EVENT",
            help="Let the consequences of EVENT stand, although they were wrong.",
        ),
        click.option(
            "--uphold",
            type=parse_event,
            metavar="EVENT",
            help="Confirm that the consequences of EVENT were right.",
        ),
        click.option("--value", help="Answer the question that waits for a ruling."),
    ):
        function = option(function)
    return _change_options(function)


def _change_options(function: options.Function) -> options.Function:
    """Add the options that say what a ruling changes from now on."""
    for option in (
        click.option(
            "--changes", metavar="FILE", help="Apply the changes listed in FILE (YAML) from now on."
        ),
        click.option(
            "--repeal-of",
            "repeal_of",
            metavar="SOURCE",
            help="Repeal all rules that SOURCE enacted, such as 'proposal 4' or 'ruling 2'.",
        ),
        click.option(
            "--repeal", multiple=True, metavar="RULE", help="Repeal RULE; may be repeated."
        ),
    ):
        function = option(function)
    return function


@click.command()
@options.ledger
@click.argument("text")
@ruling_options
@click.option("--closes", type=int, metavar="N", help="Close dispute N with this ruling.")
@options.request
def ruling(text: str, **values: Any) -> int:
    """Rule: answer a question, or correct the present or the past.

    Corrections of closed periods (--reject, --replace, --without, --take-in, --overrule) are
    previewed first. On confirmation, compensating events bring the current state in line.

    Example: nomoledger ruling game.db "The die was a 4" --replace 116=3,4 --cite VI.1
    """
    return decide(text, values)


def decide(text: str, values: dict[str, Any]) -> int:
    """Record the ruling that the *values* of the options describe, and print the outcome."""
    values = dict(values)
    request = {key: values.pop(key) for key in options.REQUEST}
    value, changes_file = values["value"], values["changes"]
    verdict, is_edited = verdict_on_event(values), edits_past(values)
    repealed, source = values["repeal"], values["repeal_of"]
    changed = changes_file or repealed or source
    _check_one_kind(value, changed, verdict, is_edited)
    check_options_used(values, bool(changed))
    fields = {
        "scope": values["scope"],
        "basis": "inferred" if values["inferred"] else "ruling",
        "closes": values["closes"],
    }
    if verdict or is_edited:
        return _rule_on_past(text, verdict, values, fields, request)
    changes = (*read_changes_file(changes_file, with_code=False), *repeals(repealed))

    def rule(game: "Game", when: dict[str, Any]) -> "Outcome":
        _check_scope(game, values["scope"])
        return game.rule(
            text,
            value=None if value is None else game.option_called(value, parse_scalar),
            changes=(*changes, *repeals(rules_of(game, source))),
            urgent=values["urgent"],
            cites=cited_by(game, values["cite"]),
            **fields,
            **when,
        )

    try:
        return run_request(rule, **request)
    except MisfitError as error:
        return print_misfit(error, request["as_json"])


def rules_of(game: "Game", source: str | None) -> tuple[str, ...]:
    """Return the numbers of the rules in force that *source* enacted; none if it is None.

    Raises:
        UnknownError: *source* enacted no rule that is in force.
    """
    if source is None:
        return ()
    from nomoledger.events import RuleEnacted

    enacted = (x.body for x in game.history.entries() if isinstance(x.body, RuleEnacted))
    names = {body.rule.number for body in enacted if body.source == source}
    numbers = tuple(rule.number for rule in game.world.rules if rule.number in names)
    if not numbers:
        raise UnknownError(f"{game.name}: {source!r} enacted no rule that is in force")
    return numbers


def cited_by(game: "Game", cites: tuple[str, ...]) -> tuple[str, ...]:
    """Return *cites* with the events of any numbering by their numbers in the ledger of *game*."""
    from nomoledger.game.event_numbers import is_event_reference

    return tuple(
        f"#{game.event_number(cited)}" if ":" in cited and is_event_reference(cited) else cited
        for cited in cites
    )


def verdict_on_event(values: dict[str, Any]) -> dict[str, str]:
    """Return the event that the ruling upholds, ratifies or rejects, by that kind."""
    kinds = ("uphold", "ratify", "reject")
    return {kind: values[kind] for kind in kinds if values[kind] is not None}


def edits_past(values: dict[str, Any]) -> bool:
    """Return whether the ruling edits past inputs or overrules rulings."""
    return any(values[key] for key in ("replaced", "without", "taken_in", "answers", "overrule"))


def _check_one_kind(
    value: str | None, changes: Any, verdict: dict[str, str], is_edited: bool
) -> None:
    kinds = [value is not None, bool(changes), bool(verdict) or is_edited]
    if sum(kinds) > 1 or len(verdict) > 1:
        raise click.UsageError(
            "--value answers a question, --changes and --repeal correct the present; --uphold,"
            " --ratify, --reject and --replace decide about the past: give one of them"
        )


def check_options_used(values: dict[str, Any], is_change: bool) -> None:
    """Check that every option that is given has an effect on a ruling of this kind."""
    is_edit = edits_past(values) or values["reject"] is not None
    is_scoped = values["value"] is not None or bool(values["cite"])
    for option, is_unused, meaning in (
        (
            "--scope",
            values["scope"] != "attempt" and not is_scoped,
            "says how long an answer (--value) or the reading of a rule (--cite) holds",
        ),
        (
            "--urgent",
            values["urgent"] and not is_change,
            "carries out changes (--changes, --repeal) first",
        ),
        (
            "--settle",
            values["settle"] is not None and not is_edit,
            "says how much of a correction of the past to apply (--reject, --replace)",
        ),
        (
            "--questions",
            values["questions"] != "stop" and not is_edit,
            "is about a correction of the past (--reject, --replace)",
        ),
    ):
        if is_unused:
            raise click.UsageError(f"{option} {meaning}: leave it out here")


def _check_scope(game: "Game", scope: str) -> None:
    """Check that the open question takes a ruling of this *scope*."""
    question = game.world.waiting
    if scope != "attempt" and question is not None and question.asks == "conflict":
        raise UsageError(
            "which of two rules prevails is decided for good, until the ruling is overruled:"
            " leave --scope out"
        )


def _rule_on_past(
    text: str,
    verdict: dict[str, str],
    values: dict[str, Any],
    fields: dict[str, Any],
    request: dict[str, Any],
) -> int:
    from nomoledger.game.written_values import fit_to_record

    kind, event = next(iter(verdict.items()), ("replace", None))
    without = (*values["without"], *([event] if kind == "reject" and event is not None else []))
    questions = values["questions"]
    location, game_name = request.pop("location"), request.pop("game_name")

    def rule(game: "Game", when: dict[str, Any]) -> "Outcome":
        return game.rule_on(kind, text, settle=values["settle"], **fields, **when)

    with open_game_at(location, game_name, dry_run=request.pop("dry_run")) as game:
        edits = edits_from(game, values["replaced"], without, values["taken_in"], values["answers"])
        edits = fit_to_record(game.history.entries(), edits)
        about = None if event is None else game.event_number(event)
        fields |= {"cites": cited_by(game, values["cite"])}
        fields |= {"about": about, "edits": edits, "overrules": values["overrule"]}
        if edits or values["overrule"]:
            edits = _confirmed_edits(game, kind, text, values, fields, request)
            if edits is None:
                return REFUSED
            fields["edits"] = edits
        fields["questions"] = "stop" if questions == "ask" else questions
        return send_request(game, rule, **request)


def _confirmed_edits(
    game: "Game",
    kind: str,
    text: str,
    values: dict[str, Any],
    fields: dict[str, Any],
    request: dict[str, Any],
) -> Any:
    """Preview the ruling and ask for confirmation; return its edits, or None to record nothing."""
    from nomoledger.events import Answered
    from nomoledger.game.counterfactual import WhatIfChanges

    id = request["id"]
    if id is not None and game.ledger.find_input(game.name, id) is not None:
        return fields["edits"]  # The same request is already recorded.
    if game.check_ruling(fields | {"kind": kind, "text": text}) is None:
        return fields["edits"]  # The ruling changes nothing in the past.
    questions, settle = values["questions"], values["settle"]
    changes = WhatIfChanges(
        edits=fields["edits"],
        overrules=fields["overrules"],
        questions="stop" if questions == "ask" else questions,
    )
    preview = run_what_if(game, changes, is_asking=questions == "ask")
    if not request["as_json"]:
        print_what_if(game, preview)
    if preview.stopped is not None:
        print_line("nothing is settled: choose with --questions how to treat new questions")
        return None
    if preview.collisions and settle is None:
        print_line("later play does not fit: say how to settle, with --settle all, money or none")
        return None
    if any(question.dealt == "stopped" for question in preview.asked):
        changes.edits = tuple(edit for edit in changes.edits if not isinstance(edit, Answered))
    is_certain = request["yes"] or request["as_json"] or game.throwaway is not None
    if not (is_certain or settle == "none"):
        click.confirm("Settle this way?", abort=True, err=True)
    return changes.edits
