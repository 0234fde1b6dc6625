"""Requests of players as forms send them: texts, which get the types that the rules want."""

from typing import Any

from nomoledger import events as e
from nomoledger.engine.form_arguments import arguments_in, number_or_text, values_in
from nomoledger.errors import CarriedOutError, UsageError
from nomoledger.game.desk.order_draft import place_acts
from nomoledger.game.game import Game
from nomoledger.game.read_models import LedgerView
from nomoledger.game.writer import Outcome


def submit_given(
    game: Game, player: str, action: str, given: dict[str, list[str]], **fields: Any
) -> Outcome:
    """Ask for *action* on behalf of *player*, with the texts *given* in a form.

    Raises:
        UnknownError: the rules define no such action. UsageError: the texts do not fit it.
    """
    game.catch_up()
    arguments = game.engine.ask(arguments_in, action, given, kind=dict[str, Any])
    return game.submit(player, action, arguments, **fields)


def submit_values(
    game: Game, player: str, action: str, values: dict[str, Any], **fields: Any
) -> Outcome:
    """Ask for *action* on behalf of *player* (or "admin"), with the *values* of a program.

    Raises:
        UnknownError: the rules define no such action. UsageError: the values do not fit it.
    """
    game.catch_up()
    return game.submit(player, action, _arguments(game, action, values), **fields)


def answer_in_words(game: Game, value: str, player: str, question: str, **fields: Any) -> Outcome:
    """Answer the *question* that is open in *game* with the option that is called *value*.

    *question* is the address of the question as the player was shown it: an answer never goes to
    another one.

    Raises:
        UsageError: the question is not open any more.
    """
    before = game.again(fields.get("id"))
    if before is not None:
        return _first_answer(game, before, player)
    game.catch_up()
    world = LedgerView(game.ledger, game.name, reader=player).visible_world()
    if world.waiting is None or world.waiting.question != question:
        raise UsageError("the question is answered already, or it is not asked any more")
    answer = game.option_called(value) if world.waiting.options else number_or_text(value)
    return game.answer(answer, player, **fields)


def _first_answer(game: Game, before: Outcome, player: str) -> Outcome:
    """Return the outcome *before* of an answer of *player* that is sent again."""
    first = before.events[0]
    if not isinstance(first, e.ChoiceAnswered) or first.by != player:
        raise UsageError("another request has the id of this form: open the page anew")
    return game.finished(before)


def order_given(
    game: Game,
    player: str,
    when: str,
    holds: str,
    action: str,
    given: dict[str, list[str]],
    **fields: Any,
) -> Outcome:
    """Place a standing order of *player*: *action*, as *given* in a form, once *when* is true.

    Raises:
        UsageError, UnknownError: a statement or the action makes no sense.
    """
    game.catch_up()
    arguments = game.engine.ask(arguments_in, action, given, kind=dict[str, Any])
    return game.order(player, when, (e.Act(action, arguments),), holds=holds, **fields)


def order_acts(
    game: Game,
    player: str,
    when: str,
    holds: str,
    acts: list[tuple[str, dict[str, Any]]],
    replaces: str = "",
    **fields: Any,
) -> Outcome:
    """Place a standing order of *player*: *acts*, actions with values, once *when* is true.

    The order *replaces* is cancelled first, if it still stands; "" is none.

    Raises:
        UsageError, UnknownError: a statement or an action makes no sense.
    """
    game.catch_up()
    given = tuple(e.Act(action, _arguments(game, action, values)) for action, values in acts)
    return place_acts(game, player, when, holds, given, replaces, **fields)


def _arguments(game: Game, action: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the *values* of a program as arguments of *action*."""
    return game.engine.ask(values_in, action, values, kind=dict[str, Any])


def order_answer(
    game: Game, player: str, when: str, holds: str, answer: str, **fields: Any
) -> Outcome:
    """Place a standing order of *player*: to answer *answer* when asked, once *when* is true.

    Raises:
        UsageError: a statement makes no sense.
    """
    value: Any = {"yes": True, "no": False}.get(answer, number_or_text(answer))
    return game.order(player, when, holds=holds, answer=value, **fields)


def undo_own(game: Game, player: str, request: str, **fields: Any) -> Outcome:
    """Take back the request with the id *request*, which must be the last, and of *player*.

    Raises:
        UsageError: it is too late, or the request is not that of the player.
    """
    made = game.again(request)
    if made is None or getattr(made.events[0], "by", None) != player:
        raise UsageError("there is no such request of yours")
    try:
        return game.undo(request, **fields)
    except CarriedOutError:
        # Why it is too late may be a secret, such as a request of another player.
        raise UsageError("it is too late to take this back: play has gone on") from None
