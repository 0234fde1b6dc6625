"""The command what-if: a replay with something changed, compared with the record."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_game_at
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.edit_options import edits, edits_from
from nomoledger.cli.output import print_blocks, print_json, print_line, print_table, prompt
from nomoledger.cli.parsing import parse_event, parse_pair, parse_scalar
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from typing import BinaryIO

    from nomoledger.engine.settlement.timeline import ExplainedFact
    from nomoledger.events.rules import Change
    from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
    from nomoledger.game.game import Game

QUESTIONS = click.Choice(["stop", "default", "skip", "ask"])
DIFFERS = 1


def parse_ruled_otherwise(text: str) -> tuple[int, str]:
    """Parse `12=changes.yaml`: the number of a ruling, and a file with changes."""
    number, path = parse_pair(text)
    if not (number.isascii() and number.isdigit()):
        raise click.BadParameter(f"{text!r} is not N=FILE, as in 12=changes.yaml")
    return int(number), path


@click.command("what-if")
@options.ledger
@edits
@click.option(
    "--overrule",
    multiple=True,
    type=int,
    metavar="N",
    help="Replay without the effects of ruling N.",
)
@click.option(
    "--rules-of", type=int, metavar="PERIOD", help="Replay under the rules of period PERIOD."
)
@click.option(
    "--rule",
    "rule_files",
    multiple=True,
    type=parse_pair,
    metavar="NUMBER=FILE",
    help="Replay with rule NUMBER as it is in the rulebook FILE.",
)
@click.option(
    "--proposal", type=int, metavar="N", help="Replay as if proposal N had been in force."
)
@click.option(
    "--ruling",
    "file",
    metavar="FILE",
    help="Replay with a ruling that makes the changes listed in FILE (YAML); see --from, --after.",
)
@click.option(
    "--after",
    type=parse_event,
    metavar="EVENT",
    help="Make the --ruling after EVENT, not at the start.",
)
@click.option(
    "--instead",
    multiple=True,
    type=parse_ruled_otherwise,
    metavar="N=FILE",
    help="Replay as if ruling N had made the changes listed in FILE (YAML).",
)
@click.option(
    "--from", "since", type=int, metavar="PERIOD", help="Start at the opening of period PERIOD."
)
@click.option(
    "--to", "until", type=int, metavar="PERIOD", help="Stop at the close of period PERIOD."
)
@click.option(
    "--questions",
    type=QUESTIONS,
    default="stop",
    help="What to do with new questions: stop there, take the default, skip, or ask.",
)
@click.option(
    "--save",
    metavar="FILE",
    type=options.OutputFile(),
    help="Also write the result and what was changed to FILE, as JSON.",
)
@options.force
@options.dry_run
@options.game
@options.as_json
def what_if(
    location: str,
    game_name: str | None,
    as_json: bool,
    save: str | None,
    force: bool,
    dry_run: bool,
    questions: str,
    **values: Any,
) -> int:
    """Replay the game with something changed, and compare.

    Nothing is recorded; with --dry-run, --save checks FILE and does not write it.
    All other dice, answers and submissions stay as recorded. The result lists
    inputs that no longer fit (orphans), new questions, and requests whose result is reversed
    (collisions). Rule changes of --ruling hold from the start of the replay to its end. What else
    it lists (set, do, post) is done once, at the start.

    Example: nomoledger what-if game.db --replace 116=square:1 --to 3
    """
    from nomoledger.cli.atomic_file import optional_file

    with (
        open_game_at(location, game_name) as game,
        optional_file(save, force=force, dry_run=dry_run) as target,
    ):
        changes = changes_from(game, questions=questions, **values)
        result = run_what_if(game, changes, is_asking=questions == "ask")
        if target is not None:
            _save(target, result, changes)
        if as_json:
            print_json(result)
        else:
            print_what_if(game, result)
            if dry_run and save is not None:
                print_unwritten(save)
    return DIFFERS if result.stopped else 0


def changes_from(
    game: "Game",
    *,
    replaced: Any,
    without: Any,
    taken_in: Any,
    answers: Any,
    overrule: tuple[int, ...],
    rules_of: int | None,
    rule_files: tuple[tuple[str, str], ...],
    proposal: int | None,
    file: str | None,
    after: str | None,
    instead: tuple[tuple[int, str], ...],
    since: int | None,
    until: int | None,
    questions: str,
) -> "WhatIfChanges":
    """Return the changes that the options of the command describe."""
    from nomoledger.cli.change_options import read_changes_file
    from nomoledger.engine.settlement.hypotheses import ChangedRuling
    from nomoledger.game.counterfactual import WhatIfChanges
    from nomoledger.ledger.as_of import as_of

    if after is not None and file is None:
        raise click.UsageError("--after says when the changes of --ruling FILE are made: give both")
    lasting, once = _split(read_changes_file(file), is_placed=after is not None)
    return WhatIfChanges(
        edits=edits_from(game, replaced, without, taken_in, answers),
        overrules=overrule,
        rules=None if rules_of is None else as_of(game.ledger, game.name, rules_of).rules,
        changes=_rule_changes(game, rule_files, proposal, lasting),
        since=since,
        until=until,
        questions="stop" if questions == "ask" else questions,
        ruling=once,
        after=None if after is None else game.event_number(after),
        instead=tuple(ChangedRuling(n, read_changes_file(path)) for n, path in instead),
    )


def _split(
    changes: "tuple[Change, ...]", *, is_placed: bool
) -> "tuple[tuple[Change, ...], tuple[Change, ...]]":
    """Return those of *changes* that hold throughout the replay, and those that are made once.

    A ruling with a place of its own makes all of its changes there.
    """
    from nomoledger.events.rules import Do, Post, Set

    once = tuple(x for x in changes if is_placed or isinstance(x, Do | Set | Post))
    return tuple(x for x in changes if x not in once), once


def _rule_changes(
    game: "Game",
    rule_files: tuple[tuple[str, str], ...],
    proposal: int | None,
    lasting: "tuple[Change, ...]",
) -> "tuple[Change, ...]":
    """Return the rule changes to try; unless from a proposal, they must fit the current rules."""
    from nomoledger.engine.settlement.alternatives import apply_rule_changes
    from nomoledger.errors import UnknownError
    from nomoledger.events.rules import Enact
    from nomoledger.rulebook.loading import load

    changes = list(lasting)
    if proposal is not None:
        if proposal not in game.world.proposals:
            raise UnknownError(f"{game.name}: there is no proposal {proposal}")
        changes += game.world.proposals[proposal].changes
    for number, path in rule_files:
        changes += map(Enact, load(path).only([number]).rules)
    if proposal is None:
        apply_rule_changes(game.world.rules, changes)
    return tuple(changes)


def run_what_if(game: "Game", changes: "WhatIfChanges", *, is_asking: bool = False) -> "WhatIf":
    """Replay *game* with *changes*; if *is_asking*, prompt for each new answer and replay again."""
    import secrets

    from nomoledger.events import Answered
    from nomoledger.game.counterfactual import what_if as replay_with

    throwaway = secrets.token_bytes(32)
    while True:
        with progress("replaying") as advance:
            settings: dict[str, Any] = {
                "throwaway": throwaway,
                "done": advance,
                "history": game.history,
            }
            result = replay_with(game.ledger, game.name, changes, **settings)
        question = next((asked for asked in result.asked if asked.dealt == "stopped"), None)
        if not is_asking or question is None:
            return result
        text = prompt(f"{question.to} is asked: {question.text}")
        words = [parse_scalar(word) for word in text.split()]
        value = words if " " in text else parse_scalar(text)
        changes.edits = (*changes.edits, Answered(question.question, value))


def _save(target: "BinaryIO", result: "WhatIf", changes: "WhatIfChanges") -> None:
    import msgspec

    from nomoledger.game.counterfactual import SavedWhatIf

    fields = {name: getattr(result, name) for name in result.__struct_fields__}
    saved = SavedWhatIf(**fields, changes=changes)
    target.write(msgspec.json.format(msgspec.json.encode(saved, enc_hook=str)))


# --- printing -----------------------------------------------------------------------------------


def print_what_if(game: "Game", result: "WhatIf", orphans_max: int | None = None) -> None:
    """Print *result*, a what-if of *game*, with at most *orphans_max* of its orphans."""
    from nomoledger.game.read_models import Table
    from nomoledger.prose.labels import format_cell

    print_line(f"{result.game}, played again from #{result.first} to period {result.period}")
    if result.difference is None and not result.otherwise:
        print_line("  nothing would differ")
    print_blocks(_summary_lines(result, orphans_max))
    if any(_differs(place) for place in result.places):
        rows = tuple(
            (
                place.player,
                format_cell(place.money),
                format_cell(place.rank),
                format_cell(place.rerun_money),
                format_cell(place.rerun_rank),
            )
            for place in result.places
        )
        print_table(Table(("player", "recorded", "rank", "played again", "rank again"), rows))
    money = _money_above(game, result)
    if others := tuple(
        (
            difference.subject,
            difference.what,
            format_cell(difference.recorded),
            format_cell(difference.rerun),
        )
        for difference in result.otherwise
        if difference.what != money
    ):
        print_table(Table(("what differs", "", "recorded", "played again"), others))


def _summary_lines(result: "WhatIf", orphans_max: int | None) -> Iterator[str]:
    if (first := result.difference) is not None:
        yield f"  first at #{first.event}: {first.recorded or 'nothing'}"
        yield f"    played again: {first.rerun or 'nothing'}"
    if result.winners[0] != result.winners[1]:
        recorded, rerun = (", ".join(winners) or "nobody" for winners in result.winners)
        yield f"  the winner would be {rerun}, not {recorded}"
    for fact in result.explained:
        yield f"  no longer differs: {_prefix(fact.event)}{fact.what}: it was {_by_rules(fact)}"
    for collision in result.collisions:
        yield f"  collision: {_prefix(collision.event)}{collision.what}: {collision.why}"
    for orphan in result.orphans[:orphans_max]:
        yield f"  orphan: {_prefix(orphan.event)}{orphan.what}: {orphan.why}"
    if hidden := len(result.orphans) - len(result.orphans[:orphans_max]):
        yield f"  and {hidden} more orphans"
    for asked in result.asked:
        dealt = asked.dealt if asked.value is None else f"{asked.dealt} {asked.value}"
        yield f"  new question to {asked.to}: {asked.text} ({dealt}) [{asked.question}]"
    if result.throwaway:
        yield "  new dice of the open period come from a random seed that is thrown away"
    if result.stopped is not None:
        yield f"  it goes no further: {result.stopped}"


def _by_rules(fact: "ExplainedFact") -> str:
    from nomoledger.language.values import format_value

    return f"{format_value(fact.by_rules)} by the rules"


def _prefix(event: int | None) -> str:
    return "" if event is None else f"#{event} "


def _differs(place: Any) -> bool:
    return bool((place.money, place.rank) != (place.rerun_money, place.rerun_rank))


def _money_above(game: "Game", result: "WhatIf") -> str | None:
    """Return the first commodity, the money, if the table of places shows its differences."""
    money = next(iter(game.world.commodities()), None)
    players = {place.player for place in result.places}
    differences = {(difference.subject, difference.what) for difference in result.otherwise}
    return money if any((player, money) in differences for player in players) else None
