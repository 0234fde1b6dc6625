"""What a player may do now, as the page of the player offers it: first what waits for an answer."""

import msgspec

from nomoledger.engine.action_fields import ActionForm, action_forms
from nomoledger.errors import NomoledgerError, UnknownError
from nomoledger.game.desk.acts import FormField, OfferedAct, ask_for_acts, field_of
from nomoledger.game.desk.seen_game import seen_world
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.prose.names import Names, plain
from nomoledger.sandbox.limits import Limits

#: Acts of a large game are tried in a process of their own, so that nothing else waits.
_LIMITS = Limits(cpu_seconds=20.0, wall_seconds=60.0)
#: How many possible requests of one action are listed; for more there is the form of the action.
PICKS_MAX = 40


class UntriedAction(msgspec.Struct, frozen=True):
    """An action whose values decide whether it is allowed: its name, *title*, *rule* and *doc*.

    If the rules refuse the action now, *refused* says why: each reason with its rule.
    """

    action: str
    title: str
    rule: str
    doc: str
    refused: tuple[tuple[str, str], ...] = ()


class PlayerActs(msgspec.Struct, frozen=True):
    """What a player may do now.

    Attributes:
        waiting: what answers something open: votes, offers and trades to accept.
        possible: what the rules would not refuse, as buttons or as a list to pick from.
        untried: what depends on values that the player chooses.
        refused: what the rules refuse now, and why.
        has_failed: whether the rules could not be asked, because they fail or take too long.
    """

    waiting: tuple[OfferedAct, ...] = ()
    possible: tuple[OfferedAct, ...] = ()
    untried: tuple[UntriedAction, ...] = ()
    refused: tuple[UntriedAction, ...] = ()
    has_failed: bool = False


class ActionPage(msgspec.Struct, frozen=True):
    """An action as a form: its name, *title*, *rule*, the words of its *doc*, and its *fields*."""

    action: str
    title: str
    rule: str
    doc: str
    fields: tuple[FormField, ...] = ()


class ActionNames(msgspec.Struct, frozen=True):
    """The actions of a player: their *titles* in words, by name."""

    titles: dict[str, str]


def action_names(game: Game, player: str) -> ActionNames:
    """Return the actions that the rules define for *player*.

    Raises:
        UnknownError: there is no such player.
        RuleFault: rule code failed.
    """
    view, world, id = seen_world(game, player)
    forms = view.seen.sandbox(_LIMITS).call(action_forms, world, id, kind=list[ActionForm])
    return ActionNames({form.name: plain(form.name) for form in forms})


def player_acts(game: Game, player: str) -> PlayerActs:
    """Return what *player* may do now, tried on what the player may see.

    Raises:
        UnknownError: there is no such player.
    """
    view, world, id = seen_world(game, player)
    try:
        undecided = tuple(undecided_proposals(view))
        acts = ask_for_acts(world, id, undecided, view.seen.sandbox(_LIMITS))
        has_failed = False
    except NomoledgerError:
        acts, has_failed = [], True
    waiting = tuple(act for act in acts if act.is_open)
    possible = [act for act in acts if not act.is_open and act.picks]
    others = [act for act in acts if not act.is_open and not act.picks]
    return PlayerActs(
        waiting=waiting,
        possible=tuple(map(_without_fields, sorted(possible, key=lambda act: len(act.picks)))),
        untried=tuple(_untried(act) for act in others if not act.refused),
        refused=tuple(_untried(act) for act in others if act.refused),
        has_failed=has_failed,
    )


def _untried(act: OfferedAct) -> UntriedAction:
    return UntriedAction(act.action, act.title, act.rule, act.doc, act.refused)


def _without_fields(act: OfferedAct) -> OfferedAct:
    """Return *act* as a list of requests, without the fields of its form."""
    kept = tuple(field for field in act.fields if not field.is_needed)
    picks = act.picks if len(act.picks) <= PICKS_MAX else ()
    short = tuple(msgspec.structs.replace(field, choices=()) for field in kept)
    return msgspec.structs.replace(act, fields=short, picks=picks)


def action_page(game: Game, player: str, action: str) -> ActionPage:
    """Return the form of *action* for *player*, with all things that the player may see.

    Raises:
        UnknownError: there is no such player, or no such action of players.
        RuleFault: rule code failed.
    """
    view, world, id = seen_world(game, player)
    forms = view.seen.sandbox(_LIMITS).call(action_forms, world, id, kind=list[ActionForm])
    form = next((each for each in forms if each.name == action), None)
    if form is None:
        raise UnknownError(f"{game.name}: players have no action {action!r:.60}")
    names = Names(world)
    fields = tuple(field_of(names, field) for field in form.fields)
    return ActionPage(form.name, plain(form.name), form.rule, form.doc, fields)
