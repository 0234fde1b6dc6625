"""Requests of the admin as forms send them: things by name, dice as texts."""

from typing import Any

from nomoledger.engine.form_arguments import number_or_text
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome


def enter_values(game: Game, values: list[str], **fields: Any) -> Outcome:
    """Enter *values*, dice or things by name, for the open question of *game*."""
    named = (game.option_called(value) for value in values)
    drawn = [number_or_text(v) if isinstance(v, str) else v for v in named]
    return game.enter_dice(drawn, **fields)


def answer_as_admin(game: Game, value: str, **fields: Any) -> Outcome:
    """Answer the open question of *game* with the option that is called *value*."""
    return game.answer(game.option_called(value), **fields)
