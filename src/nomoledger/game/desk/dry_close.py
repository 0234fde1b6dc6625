"""What a close, or time that passes, would do: tried on a scratch copy of the game."""

from collections.abc import Callable
from datetime import timedelta

import msgspec

from nomoledger import events as e
from nomoledger.game.command_lines import game_if_ambiguous, written_command
from nomoledger.game.desk.player_desk import AskedQuestion, question_of
from nomoledger.game.desk.told_trial import carry_out_and_tell
from nomoledger.game.game import Game
from nomoledger.game.time_jump import rhythm
from nomoledger.game.writer import Outcome
from nomoledger.state.clock import from_seconds


class CloseTrial(msgspec.Struct, frozen=True):
    """What a close would do: the *period*, what is *told*, and what would be asked before it.

    *command* is the command line that closes. The dice of the trial come from a throwaway seed.
    """

    period: int = 0
    told: tuple[str, ...] = ()
    question: AskedQuestion | None = None
    command: str = ""


class ClockTrial(msgspec.Struct, frozen=True):
    """What would happen until a time.

    Attributes:
        since: the time of the game. to: the time that it would have. Both in seconds since 1970.
        due: how many timers fall due by then.
        is_far: whether the time lies further ahead than any period so far has lasted.
        told, question, command: as in `CloseTrial`.
    """

    since: int
    to: int
    due: int
    is_far: bool
    told: tuple[str, ...] = ()
    question: AskedQuestion | None = None
    command: str = ""


def try_close(game: Game) -> CloseTrial:
    """Return what the close of the open period of *game* would do. Nothing is recorded.

    Raises:
        RuleFault: rule code failed.
    """
    told, question = _tried(game, lambda scratch: scratch.close())
    return CloseTrial(game.world.period, told, question, _command(game, "close"))


def try_advance(game: Game, to: int) -> ClockTrial:
    """Return what would happen in *game* until the time *to*. Nothing is recorded.

    Raises:
        UsageError: *to* has passed in the game.
        RuleFault: rule code failed.
    """
    world, at = game.world, from_seconds(to)
    since = from_seconds(world.game["now"])
    told, question = _tried(game, lambda scratch: scratch.advance(at=at))
    return ClockTrial(
        since=world.game["now"],
        to=to,
        due=sum(timer.attempt.at <= to for timer in world.timers.values()),
        is_far=at - since > max(rhythm(game), timedelta(days=2)),
        told=told,
        question=question,
        command=_command(game, "advance", f"--to {at:%Y-%m-%dT%H:%M:%S}"),
    )


def _tried(
    game: Game, request: Callable[[Game], Outcome]
) -> tuple[tuple[str, ...], AskedQuestion | None]:
    """Return what *request* does on a scratch copy of *game*, in words, and what it asks."""
    with game.dry_run() as scratch:
        _, told = carry_out_and_tell(scratch, request, silent=e.Input)
        return told, question_of(scratch.world)


def _command(game: Game, verb: str, words: str = "") -> str:
    name = game_if_ambiguous(game.ledger, game.name)
    return written_command(verb, game.ledger.store.location, words, name)
