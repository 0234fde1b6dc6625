"""Requests of one player tried one after the other, on what the player may see."""

import secrets
from datetime import UTC, datetime
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.form_arguments import arguments_in
from nomoledger.engine.oracles import SeededOracle
from nomoledger.engine.request_checks import check_submission
from nomoledger.errors import NomoledgerError
from nomoledger.game.desk.copied_line import LineStep
from nomoledger.game.desk.request_trial import RequestTrial, carry_out
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.possible_requests import SOON
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import World


class StepTrial(msgspec.Struct, frozen=True):
    """What a step would do after those before it; *problem* says why it makes no sense, if so."""

    trial: RequestTrial | None = None
    problem: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether the next step can be asked for after this one."""
        return self.trial is not None and not self.trial.refused and self.trial.question is None

    @property
    def is_possible(self) -> bool:
        """Whether the step can be asked for."""
        return self.trial is not None and not self.trial.refused


class LineTrial(msgspec.Struct, frozen=True):
    """What some requests would do in their order, as far as they can be tried."""

    steps: tuple[StepTrial, ...]


def try_line(game: Game, player: str, steps: list[LineStep]) -> LineTrial:
    """Try *steps* of *player* one after the other. Nothing is recorded.

    A step that the rules would refuse, or after which play waits for an answer, is the last one
    that is tried. Like `try_submission`, this is computed from what the player may see.

    Raises:
        RuleFault: rule code failed.
    """
    if not steps:
        return LineTrial(())
    world = SeenView(game, player).visible_world()
    seed = secrets.token_bytes(32)
    return call_in_sandbox(_try, world, player, steps, seed, kind=LineTrial, limits=SOON)


def _try(world: World, player: str, steps: list[LineStep], seed: bytes) -> LineTrial:
    now = max(datetime.now(UTC).replace(microsecond=0), from_seconds(world.game["now"]))
    engine = new_engine(world, SeededOracle(seed))
    tried: list[StepTrial] = []
    for place, step in enumerate(steps):
        fields: dict[str, Any] = {
            "id": f"trial-{place}", "period": world.period, "received_at": now,
            "recorded_at": now, "by": world.find("player", player) or player,
        }  # fmt: skip
        try:
            tried.append(StepTrial(carry_out(engine, world, player, _request(world, step, fields))))
        except NomoledgerError as error:
            tried.append(StepTrial(problem=str(error)))
        if not tried[-1].goes_on:
            break
    return LineTrial(tuple(tried))


def _request(world: World, step: LineStep, fields: dict[str, Any]) -> e.Input:
    """Return *step* as a request.

    Raises:
        NomoledgerError: it makes no sense in *world*.
    """
    if step.what == "vote":
        number, choice = int(step.given["proposal"][0]), step.given["choice"][0]
        return e.VoteCast(**fields, proposal=number, choice=choice)
    arguments = arguments_in(world, step.action, step.given)
    check_submission(world, fields["by"], step.action, arguments)
    return e.SubmissionReceived(**fields, action=step.action, arguments=arguments)
