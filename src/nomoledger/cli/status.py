"""The command status: what waits for whom."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from nomoledger.cli import options
from nomoledger.cli.context import view_at
from nomoledger.cli.output import json, line
from nomoledger.cli.projections import reader, who

if TYPE_CHECKING:
    from nomoledger.game.read_models import LedgerView
    from nomoledger.state.world import World


class OpenProposal(msgspec.Struct, frozen=True):
    """A proposal that nobody has decided."""

    number: int
    by: str
    text: str


class DueRow(msgspec.Struct, frozen=True):
    """Something that falls due *at* a time: *what* will be done, to *about* what, by which rule."""

    at: str
    what: str
    about: str
    rule: str


class Order(msgspec.Struct, frozen=True):
    """A standing order that waits: its *id*, whose it is, and what it says."""

    id: str
    by: str
    says: str


class OpenDispute(msgspec.Struct, frozen=True):
    """A dispute that no ruling has closed, *by* whom and *of* what."""

    number: int
    by: str
    of: str
    text: str


class Status(msgspec.Struct, frozen=True):
    """How a game stands: what it waits for, what is undecided, what ends when."""

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
    actions: list[str]
    ended: str | None


#: What is told where it is open; where none of it is, that is told.
_OPEN = ("waiting", "proposals", "due", "orders", "disputes", "ended")


@click.command("status")
@options.ledger
@options.game
@options.as_json
@reader
def status(ledger: str, game: str | None, as_json: bool, admin: bool, player: str | None) -> None:
    """Show what waits for whom, and what is open until when.

    What only some may see is left out, unless --admin or --as asks for it.

    Example: nomoledger status game.db
    """
    with view_at(ledger, game, reader=who(admin, player)) as view:
        found = status_of(view)
    if as_json:
        json(found)
        return
    for each in _told(found):
        line(each)


def status_of(view: "LedgerView") -> Status:
    """How the game in *view* stands."""
    from nomoledger.cli.outcome import how_to_answer
    from nomoledger.prose.descriptions import describe_order
    from nomoledger.prose.labels import describe_thing

    world = view.world
    waiting = world.waiting
    return Status(
        game=view.game,
        rulebook=world.game["rulebook"],
        period=world.period,
        now=_time(world.game["now"]),
        waiting=[] if waiting is None else how_to_answer(world, waiting, view.ledger),
        interrupted=waiting is None and bool(world.agenda),
        proposals=_undecided(view),
        due=[
            DueRow(
                _time(timer.attempt.at),
                timer.attempt.operation.lstrip("@"),
                "; ".join(str(describe_thing(world, each)) for each in timer.attempt.arguments),
                timer.rule,
            )
            for timer in sorted(world.timers.values(), key=lambda each: each.order)
            if view.sees(timer.attempt.audience)
        ],
        orders=[
            Order(order.id, order.by, describe_order(order))
            for order, _ in world.orders.values()
            if view.sees(order.audience)
        ],
        disputes=_disputed(view),
        actions=_actions(world),
        ended=world.game["ended"],
    )


def _told(found: Status) -> Iterator[str]:
    yield f"{found.game} ({found.rulebook}), period {found.period}, {found.now}"
    if found.ended is not None:
        yield f"the game is over: {found.ended}"
    yield from found.waiting
    if found.interrupted:
        yield "a command was interrupted: the next one goes on with what it left"
    for proposal in found.proposals:
        yield f"undecided: proposal {proposal.number} by {proposal.by}: {proposal.text}"
    for due in found.due:
        yield f"until {due.at}: {due.about or due.what} (then {due.what}, {due.rule})"
    for order in found.orders:
        yield f"standing order {order.id} of {order.by}: {order.says}"
    for each in found.disputes:
        yield f"dispute {each.number} by {each.by} of {each.of}: {each.text}"
    if not any(getattr(found, name) for name in _OPEN):
        yield "nothing is open"
    if found.actions:
        yield f"what may be submitted: {', '.join(found.actions)}"


def _disputed(view: "LedgerView") -> list[OpenDispute]:
    from nomoledger.state.disputes import open_disputes

    return [
        OpenDispute(
            each["number"],
            each["by"],
            f"period {each['period']}" if each["about"] is None else f"#{each['about']}",
            each["text"],
        )
        for each in open_disputes(view.world, view.reader)
    ]


def _undecided(view: "LedgerView") -> list[OpenProposal]:
    """Proposals in the state they were made in; where the rules keep none, those not judged."""
    from nomoledger import events as e

    first: dict[str, Any] = {}
    judged = set()
    for entry in view.entries():
        if isinstance(entry.body, e.EntityCreated) and entry.body.kind == "proposal":
            first[entry.body.entity] = entry.body.attributes.get("state")
        elif isinstance(entry.body, e.ProposalJudged):
            judged.add(entry.body.proposal)
    world, found = view.world, []
    for number, made in world.proposals.items():
        entity = world.find("proposal", number)
        moved_on = entity is not None and world.get(entity, "state") != first.get(entity)
        known = entity is not None or "proposal" not in world.kinds
        if known and not moved_on and number not in judged:
            found.append(OpenProposal(number, made.by, made.text))
    return found


def _actions(world: "World") -> list[str]:
    from nomoledger.language.code import parse_code

    hooks = (hook for rule in world.rules for hook in parse_code(rule).hooks)
    return sorted({hook.operation for hook in hooks if hook.kind == "action"})


def _time(seconds: int) -> str:
    from nomoledger.state.reducer import from_seconds

    return f"{from_seconds(seconds):%Y-%m-%d %H:%M:%S}"
