"""The command status: what is open in a game."""

from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

import click
import msgspec

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line
from nomoledger.cli.context import open_view_at
from nomoledger.cli.output import print_blocks, print_json
from nomoledger.cli.projections import reader, reader_of
from nomoledger.cli.remedies import Problem, problems_of
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.game.command_lines import game_if_ambiguous

if TYPE_CHECKING:
    from nomoledger.game.read_models import LedgerView
    from nomoledger.state.world import World


class OpenProposal(msgspec.Struct, frozen=True):
    """A proposal that is not decided yet."""

    number: int
    by: str
    text: str


class OpenItem(msgspec.Struct, frozen=True):
    """Something that waits for people.

    Attributes:
        what: what waits, in words.
        who: who may answer: players, or "admin".
        until: until when, in UTC; None if no timer that is set ends that.
        commands: the commands that answer, each with who may give it; None for any of *who*.
        explained: what the words in capitals of each command stand for; "" if it has none.
    """

    what: str
    who: list[str]
    until: str | None
    commands: list[tuple[str | None, str]]
    explained: list[str] = []


class DueRow(msgspec.Struct, frozen=True):
    """A timer that is due *at* a time: *what* it does, *about* which things, by which *rule*.

    *until* is the last moment before the timer, as people say it. *command* lets that time pass.
    """

    at: str
    what: str
    about: str
    rule: str
    until: str
    command: str


class Order(msgspec.Struct, frozen=True):
    """A standing order: its *id*, its player, and what it *says*."""

    id: str
    by: str
    says: str


class OpenDispute(msgspec.Struct, frozen=True):
    """An open dispute *of* a period or event, who opened it, and the *command* that closes it."""

    number: int
    by: str
    of: str
    text: str
    command: str


class SeedsDue(msgspec.Struct, frozen=True):
    """Seeds of *players* for the dice of a *period*, due before the open period closes.

    Attributes:
        act: what is due: "commit" or "reveal".
        period: the period whose dice the seeds change.
        players: the players from whom a seed is due, sorted.
        command: the command by which a player commits to a seed, or reveals it.
    """

    act: str
    period: int
    players: list[str]
    command: str


class Status(msgspec.Struct, frozen=True):
    """What is open in a game: questions, proposals, timers, standing orders, disputes, seeds.

    *open* is what players or the admin may answer by a request, with the commands. *who_may* is the
    command that says which actions a player may take.
    """

    game: str
    rulebook: str
    period: int
    now: str
    waiting: list[str]
    interrupted: bool
    proposals: list[OpenProposal]
    due: list[DueRow]
    orders: list[Order]
    disputes: list[OpenDispute]
    seeds: list[SeedsDue]
    open: list[OpenItem]
    actions: list[str]
    who_may: str
    ended: str | None
    problems: list[Problem]
    voidable: list[str]


#: The fields that list something open; if all of them are empty, nothing is open.
_OPEN = ("waiting", "proposals", "due", "orders", "disputes", "seeds", "open", "ended", "problems")
#: How many players a line names.
_NAMED_MAX = 20


@click.command("status")
@options.ledger
@options.game
@options.as_json
@reader
def status(
    location: str, game_name: str | None, as_json: bool, admin: bool, player: str | None
) -> None:
    """Show what waits, for whom, until when, and what answers it.

    Secret items are left out, unless --admin or --as asks for them. --admin also shows the ids by
    which a ruling can make something void. If players mix seeds into the dice, status shows whose
    seeds are due; with --as, only those of PLAYER.

    Example: nomoledger status game.db
    """
    with open_view_at(location, game_name, reader=reader_of(admin, player)) as view:
        status = status_of(view, admin=admin)
    if as_json:
        print_json(status)
    else:
        print_blocks(_lines(status))


def status_of(view: "LedgerView", *, admin: bool = False) -> Status:
    """Return what is open in the game in *view*; for the *admin*, also by which ids."""
    from nomoledger.cli.outcome import question_lines
    from nomoledger.game.open_things import undecided_proposals
    from nomoledger.prose.descriptions import describe_order
    from nomoledger.prose.teller import Teller
    from nomoledger.prose.time_format import format_time

    world, teller = view.world, Teller(view.world)
    waiting = world.waiting
    undecided = undecided_proposals(view)
    return Status(
        game=view.game,
        rulebook=world.game["rulebook"],
        period=world.period,
        now=_time(world.game["now"]),
        waiting=[]
        if waiting is None or not view.sees(waiting.audience)
        else question_lines(world, view.ledger),
        interrupted=waiting is None and bool(world.agenda),
        proposals=[
            OpenProposal(number, world.proposals[number].by, world.proposals[number].text)
            for number in undecided
        ],
        due=[
            DueRow(
                _time(timer.attempt.at),
                timer.attempt.operation.lstrip("@"),
                "; ".join(map(teller.phrase, timer.attempt.arguments)),
                timer.rule,
                format_time(timer.attempt.at - 1),
                _command(view, "advance", f"--to {_time(timer.attempt.at).replace(' ', 'T')}"),
            )
            for timer in sorted(world.timers.values(), key=lambda timer: timer.order)
            if view.sees(timer.attempt.audience)
        ],
        orders=[
            Order(order.id, order.by, describe_order(order))
            for order, _ in world.orders.values()
            if view.sees(order.audience)
        ],
        disputes=_disputed(view),
        seeds=list(_seeds_due(view)),
        open=list(_open_items(view, undecided)),
        actions=_actions(world),
        who_may=_command(view, "player", _any_player(world)),
        ended=world.game["ended"],
        problems=problems_of(view),
        voidable=_voidable(world) if admin else [],
    )


def _lines(status: Status) -> Iterator[str]:
    yield f"{status.game} ({status.rulebook}), period {status.period}, {status.now}"
    if status.ended is not None:
        yield f"the game is over: {status.ended}"
    yield from status.waiting
    for problem in status.problems:
        yield f"wrong: {problem.what}"
        yield f"  to mend it: {problem.command}"
    if status.interrupted:
        yield "a command was interrupted: the next command finishes what it began"
    for proposal in status.proposals:
        yield f"undecided: proposal {proposal.number} by {proposal.by}: {proposal.text}"
        for item in status.open:
            if item.what == f"proposal {proposal.number}":
                yield from _answer_lines(item, is_alone=False)
    about = {due.about for due in status.due}
    for due in status.due:
        yield f"until {due.until}: {_due_in_words(due)}"
        for item in status.open:
            if item.what == due.about:
                yield from _answer_lines(item, is_alone=False, is_dated=False)
    if status.due:
        yield f"  to let time pass until the first of these: {status.due[0].command}"
    for item in status.open:
        if item.what not in about and not item.what.startswith("proposal "):
            until = f" until {item.until}" if item.until else ""
            yield f"open to {', '.join(item.who) or 'all players'}{until}: {item.what}"
            yield from _answer_lines(item, is_alone=len(item.who) < 2, is_dated=False)
    for order in status.orders:
        yield f"standing order {order.id} of {order.by}: {order.says}"
    for dispute in status.disputes:
        yield f"dispute {dispute.number} by {dispute.by} of {dispute.of}: {dispute.text}"
        yield f"  for the admin to close: {dispute.command}"
    for seeds in status.seeds:
        names = ", ".join(seeds.players[:_NAMED_MAX])
        more = len(seeds.players) - _NAMED_MAX
        yield (
            f"seeds to {seeds.act} before period {status.period} closes, for the dice of period"
            f" {seeds.period}: {names}{f' and {more} more' if more > 0 else ''} ({seeds.command})"
        )
    if status.voidable:
        yield "open by its id, and void by a ruling (nomoledger void):"
        yield from (f"  {item}" for item in status.voidable)
    if not any(getattr(status, name) for name in _OPEN):
        yield "nothing is open"
    if status.actions:
        yield f"actions of the rules: {', '.join(status.actions)}"
        yield f"  which of them a player may take now: {status.who_may}"


def _due_in_words(due: DueRow) -> str:
    what = due.what.replace("_", " ")
    return f"{due.about} (then {what}, {due.rule})" if due.about else f"{what} ({due.rule})"


def _answer_lines(item: OpenItem, *, is_alone: bool = True, is_dated: bool = True) -> Iterator[str]:
    """Yield the commands that answer *item*, with who may give them unless *is_alone*.

    If *is_dated*, they come with the time until which they answer.
    """
    until = f", until {item.until}" if is_dated and item.until else ""
    everybody = ", ".join(item.who[:_NAMED_MAX]) or "any player"
    for (by, command), explained in zip(item.commands, item.explained, strict=True):
        is_named = is_alone or by in item.who  # The command says who gives it.
        who = "" if is_named and by != "admin" else by or everybody
        before = f"{who}{until}: ".removeprefix(", ") if who or until else ""
        yield f"  {before}{command}" + (f" ({explained})" if explained else "")


def _open_items(view: "LedgerView", undecided: list[int]) -> Iterator[OpenItem]:
    """Yield what the reader of *view* sees open; for a player, what is open to that player."""
    from nomoledger.game.open_things import open_things
    from nomoledger.prose.time_format import format_time

    world = view.visible_world()
    for thing in open_things(world, undecided):
        commands = [(x.by, _command(view, x.verb, x.words)) for x in thing.answers]
        explained = [x.explained for x in thing.answers]
        if view.reader in world.entities and view.reader not in thing.who and thing.who:
            continue
        until = None if thing.until is None else format_time(thing.until - 1)
        yield OpenItem(thing.what, list(thing.who), until, commands, explained)


def _any_player(world: "World") -> str:
    """Return the name of the only player, or PLAYER."""
    players = world.kinds.get("player", ())
    return quote(str(world.label(players[0]))) if len(players) == 1 else "PLAYER"


def _command(view: "LedgerView", verb: str, words: str) -> str:
    name = game_if_ambiguous(view.ledger, view.game)
    return command_line(verb, view.ledger.store.location, words, name)


def _voidable(world: "World") -> list[str]:
    """Return the kind and the id of what the lines of the status show without an id."""
    from nomoledger.engine.voiding import names_of

    kinds = ("request", "timer", "question")
    return [f"{kind} {quote(name)}" for kind in kinds for name in names_of(world, kind)]


def _disputed(view: "LedgerView") -> list[OpenDispute]:
    from nomoledger.state.disputes import open_disputes

    return [
        OpenDispute(
            dispute["number"],
            dispute["by"],
            f"period {dispute['period']}" if dispute["about"] is None else f"#{dispute['about']}",
            dispute["text"],
            _command(view, "dispute close", f"{dispute['number']} TEXT"),
        )
        for dispute in open_disputes(view.world, view.reader)
    ]


def _seeds_due(view: "LedgerView") -> Iterator[SeedsDue]:
    """Yield the seeds that are due; if a player reads, those of that player."""
    from nomoledger.state import player_seeds

    if view.world.game["ended"] is not None:
        return
    for act, period, players in player_seeds.due(view.world):
        if view.reader in view.world.entities:
            players = [player for player in players if player == view.reader]
        if not players:
            continue
        player = quote(players[0]) if len(players) == 1 else "PLAYER"
        words = f"{player} {'COMMITMENT' if act == 'commit' else 'SEED'}"
        yield SeedsDue(act, period, players, _command(view, f"dice {act}", words))


def _actions(world: "World") -> list[str]:
    from nomoledger.engine.request_checks import actions
    from nomoledger.sandbox.sandbox import call_in_sandbox

    try:
        return call_in_sandbox(actions, world.ruleset, kind=list[str])
    except (RuleFault, RulebookError):
        return []  # The problems say so.


def _time(seconds: int) -> str:
    from nomoledger.state.clock import from_seconds

    return f"{from_seconds(seconds):%Y-%m-%d %H:%M:%S}"
