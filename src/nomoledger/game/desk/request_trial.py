"""What a request would do, tried on what its player may see, with dice that are thrown away."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.form_arguments import arguments_in, values_in
from nomoledger.engine.oracles import SeededOracle
from nomoledger.engine.request_checks import check_submission
from nomoledger.game.desk.player_desk import AskedQuestion, question_of
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.possible_requests import SOON
from nomoledger.prose.descriptions import BOOKKEEPING
from nomoledger.prose.labels import amount_held
from nomoledger.prose.teller import Teller
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import World


class RequestTrial(msgspec.Struct, frozen=True):
    """What a request would do, as far as its player can know.

    Attributes:
        refused: the reasons of the rules, each with its rule, if they would refuse the request.
        told: what would happen, in words.
        changes: by how much the holdings of the player would change: amount and commodity.
        question: what would be asked before play goes on.
        is_drawn: whether dice or cards decide. Those of the trial are thrown away.
    """

    refused: tuple[tuple[str, str], ...] = ()
    told: tuple[str, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    question: AskedQuestion | None = None
    is_drawn: bool = False


def try_submission(
    game: Game, player: str, action: str, given: dict[str, Any], is_typed: bool = False
) -> RequestTrial:
    """Try *action* with the texts *given* in a form for *player*. Nothing is recorded.

    If *given* *is_typed*, it has the values that a program gives in the place of lists of texts.

    The trial is computed from what the player may see. What is sealed from the player can make the
    request end in another way.

    Raises:
        UnknownError: the rules define no such action.
        UsageError: what is given does not fit the fields of the action.
        RuleFault: rule code failed.
    """
    view = SeenView(game, player)
    world = view.visible_world()
    now = max(datetime.now(UTC).replace(microsecond=0), from_seconds(world.game["now"]))
    request = e.SubmissionReceived(
        id="trial",
        period=world.period,
        received_at=now,
        recorded_at=now,
        by=player,
        action=action,
    )
    seed = secrets.token_bytes(32)
    arguments = world, request, given, is_typed, player, seed
    return view.seen.sandbox(SOON).call(_try, *arguments, kind=RequestTrial)


def _try(
    world: World,
    request: e.SubmissionReceived,
    given: dict[str, Any],
    is_typed: bool,
    player: str,
    seed: bytes,
) -> RequestTrial:
    read = values_in if is_typed else arguments_in
    arguments = read(world, request.action, given)
    check_submission(world, player, request.action, arguments)
    request = msgspec.structs.replace(request, arguments=arguments)
    return carry_out(new_engine(world, SeededOracle(seed)), world, player, request)


def carry_out(engine: Engine, world: World, player: str, request: e.Input) -> RequestTrial:
    """Carry out *request* of *player* with *engine*, which plays in *world*, and tell of it."""
    id = world.find("player", player) or ""
    before = dict(_holdings(world, id))
    teller = Teller(world)
    teller.keep_all()
    events = [event for batch in engine.process(request) for event in batch]
    teller.rewind(events)
    refusals = [x for x in events if isinstance(x, e.AttemptRefused) and x.attempt == request.id]
    after = dict(_holdings(world, id))
    return RequestTrial(
        refused=tuple((r.text, r.rule.partition("@")[0]) for x in refusals for r in x.reasons),
        told=() if refusals else tuple(_told(teller, events)),
        changes=tuple(
            (f"{after[name] - before[name]:+}", name)
            for name in after
            if after[name] != before.get(name, 0)
        ),
        question=question_of(world),
        is_drawn=any(isinstance(event, e.DrawRecorded) for event in events),
    )


def _holdings(world: World, player: str) -> Iterator[tuple[str, Any]]:
    for commodity in world.commodities():
        yield commodity, amount_held(world, player, commodity)


def _told(teller: Teller, events: list[e.Event]) -> Iterator[str]:
    for event in events[1:]:
        if not isinstance(event, BOOKKEEPING) and teller.mentions(event):
            yield teller.tell(event)
