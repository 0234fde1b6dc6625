"""The command what-if: play run again with something changed, beside what is recorded."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_game_at
from nomoledger.cli.edit_options import edits, edits_given
from nomoledger.cli.output import json, line, table
from nomoledger.cli.progress import progress

if TYPE_CHECKING:
    from nomoledger.events.rules import Change
    from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
    from nomoledger.game.game import Game

QUESTIONS = click.Choice(["stop", "default", "skip", "ask"])
DIFFERS = 1


@click.command("what-if")
@options.ledger
@edits
@click.option("--overrule", multiple=True, type=int, metavar="N", help="As if ruling N were not.")
@click.option("--rules-of", type=int, metavar="PERIOD", help="Under the rules of that period.")
@click.option(
    "--rule",
    "rule_files",
    multiple=True,
    type=options.pair,
    metavar="NUMBER=FILE",
    help="With rule NUMBER as the rulebook FILE has it.",
)
@click.option("--proposal", type=int, metavar="N", help="As if proposal N had been in force.")
@click.option("--ruling", "file", metavar="FILE", help="With the changes of a ruling, in YAML.")
@click.option("--from", "since", type=int, metavar="PERIOD", help="From the opening of a period.")
@click.option("--to", "until", type=int, metavar="PERIOD", help="To the close of a period.")
@click.option(
    "--questions",
    type=QUESTIONS,
    default="stop",
    help="New questions that nobody answered: stop there, take the default, skip, or ask.",
)
@click.option("--save", metavar="FILE", help="Write the result to FILE, as JSON.")
@options.game
@options.as_json
def what_if(
    ledger: str,
    game: str | None,
    as_json: bool,
    save: str | None,
    questions: str,
    **given: Any,
) -> int:
    """Run play again with something changed, and compare. Nothing is recorded.

    Every other die, answer and submission is kept. What does not fit any more (orphans), what is
    asked anew, and requests that come out the other way round (collisions) are listed.

    Example: nomoledger what-if game.db --replace 116=square:1 --to 3
    """
    with open_game_at(ledger, game) as desk:
        changed = changed_by(desk, questions=questions, **given)
        found = asked_on(desk, changed, is_asking=questions == "ask")
    if save is not None:
        _save(save, found)
    if as_json:
        json(found)
    else:
        tell(found)
    return DIFFERS if found.stopped else 0


def changed_by(
    desk: "Game",
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
    since: int | None,
    until: int | None,
    questions: str,
) -> "WhatIfChanges":
    """What the options of the command change."""
    from nomoledger.game.counterfactual import WhatIfChanges
    from nomoledger.ledger.as_of import as_of

    return WhatIfChanges(
        edits=edits_given(replaced, without, taken_in, answers),
        overrules=overrule,
        rules=None if rules_of is None else as_of(desk.ledger, desk.name, rules_of).rules,
        changes=_changes(desk, rule_files, proposal, file),
        since=since,
        until=until,
        questions="stop" if questions == "ask" else questions,
    )


def _changes(
    desk: "Game", rule_files: tuple[tuple[str, str], ...], proposal: int | None, file: str | None
) -> "tuple[Change, ...]":
    """The changes to be tried, which must fit the rules as they are now or be new."""
    from nomoledger.cli.change_options import changes_in
    from nomoledger.engine.settlement.alternatives import rules_with
    from nomoledger.errors import UnknownError
    from nomoledger.events.rules import Enact
    from nomoledger.rulebook.loading import load

    changes = list(changes_in(file))
    if proposal is not None:
        if proposal not in desk.world.proposals:
            raise UnknownError(f"{desk.name}: there is no proposal {proposal}")
        changes += desk.world.proposals[proposal].changes
    for number, path in rule_files:
        changes += map(Enact, load(path).only([number]).rules)
    if proposal is None:
        rules_with(desk.world.rules, changes)
    return tuple(changes)


def asked_on(desk: "Game", changed: "WhatIfChanges", *, is_asking: bool = False) -> "WhatIf":
    """The what-if; where *is_asking*, each new question is put, and it is run again."""
    import secrets

    from nomoledger.events import Answered
    from nomoledger.game.counterfactual import what_if as run

    throwaway = secrets.token_bytes(32)
    while True:
        with progress("playing again") as advance:
            done = advance or (lambda count: None)
            found = run(desk.ledger, desk.name, changed, throwaway=throwaway, done=done)
        open_ = next((each for each in found.asked if each.dealt == "stopped"), None)
        if not is_asking or open_ is None:
            return found
        text = click.prompt(f"{open_.to} is asked: {open_.text}", err=True)
        value = [options.scalar(x) for x in text.split()] if " " in text else options.scalar(text)
        changed.edits = (*changed.edits, Answered(open_.question, value))


def _save(path: str, found: "WhatIf") -> None:
    from pathlib import Path

    import msgspec

    Path(path).write_bytes(msgspec.json.format(msgspec.json.encode(found, enc_hook=str)))


# --- in words -----------------------------------------------------------------------------------


def tell(found: "WhatIf", orphans_max: int | None = None) -> None:
    """Print *found* for people, with no more than *orphans_max* of the orphans."""
    from nomoledger.game.read_models import Table
    from nomoledger.prose.labels import format_cell

    line(f"{found.game}, played again from #{found.first} to period {found.period}")
    if found.difference is None and not found.otherwise:
        line("  everything would be as it is")
    for each in _paragraphs(found, orphans_max):
        line(each)
    if found.places and any(_differs(each) for each in found.places):
        rows = tuple(
            (
                x.player,
                format_cell(x.money),
                format_cell(x.rank),
                format_cell(x.rerun_money),
                format_cell(x.rerun_rank),
            )
            for x in found.places
        )
        table(Table(("player", "recorded", "rank", "played again", "rank again"), rows))
    rest = [x for x in found.otherwise if x.what not in _money_of(found)]
    if rest:
        others = tuple(
            (x.subject, x.what, format_cell(x.recorded), format_cell(x.rerun)) for x in rest
        )
        table(Table(("what differs", "", "recorded", "played again"), others))


def _paragraphs(found: "WhatIf", orphans_max: int | None) -> Iterator[str]:
    if (first := found.difference) is not None:
        yield f"  first at #{first.event}: {first.recorded or 'nothing'}"
        yield f"    played again: {first.rerun or 'nothing'}"
    if found.winners[0] != found.winners[1]:
        told = [", ".join(each) or "nobody" for each in found.winners]
        yield f"  the winner would be {told[1]}, not {told[0]}"
    for collision in found.collisions:
        yield f"  collision: {_at(collision.event)}{collision.what}: {collision.why}"
    for orphan in found.orphans[:orphans_max]:
        yield f"  orphan: {_at(orphan.event)}{orphan.what}: {orphan.why}"
    if more := len(found.orphans) - len(found.orphans[:orphans_max]):
        yield f"  and {more} more orphans"
    for asked in found.asked:
        dealt = asked.dealt if asked.value is None else f"{asked.dealt} {asked.value}"
        yield f"  new question to {asked.to}: {asked.text} ({dealt}) [{asked.question}]"
    if found.throwaway:
        yield "  new dice of the open period come from a seed that is thrown away"
    if found.stopped is not None:
        yield f"  it goes no further: {found.stopped}"


def _at(event: int | None) -> str:
    return "" if event is None else f"#{event} "


def _differs(place: Any) -> bool:
    return bool((place.money, place.rank) != (place.rerun_money, place.rerun_rank))


def _money_of(found: "WhatIf") -> set[str]:
    """What the table of places tells already: money, which is the first commodity."""
    told = {x.what for x in found.otherwise for p in found.places if x.subject == p.player}
    return {what for what in told if what == "$"}
