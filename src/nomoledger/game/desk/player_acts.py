"""What a player may do now, as the page of the player offers it: first what waits for an answer."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from textwrap import shorten

import msgspec

from nomoledger import events as e
from nomoledger.engine.action_fields import ActionForm, action_forms
from nomoledger.engine.field_values import FieldValues, field_values
from nomoledger.errors import NomoledgerError, UnknownError
from nomoledger.game.desk.acts import OfferedAct, ask_for_acts
from nomoledger.game.desk.form_fields import Choice, FormField, field_of
from nomoledger.game.desk.seen_game import seen_world
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.prose.names import Names, plain
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.state.world import World

#: Acts of a large game are tried in a process of their own, so that nothing else waits.
_LIMITS = Limits(cpu_seconds=20.0, wall_seconds=60.0)
#: How many possible requests of one action are listed; for more there is the form of the action.
PICKS_MAX = 40
#: Up to how many other actions are one list, and into how many chapters more of them are grouped.
UNGROUPED_MAX, GROUPS_MAX = 12, 30
#: How long the titles of the rules of a group may be.
TITLES_MAX = 60
#: How much more a request of the player counts than one of another, when actions are ordered.
OWN_WEIGHT = 4


class OtherAction(msgspec.Struct, frozen=True):
    """An action with a form of its own: its name, *title*, *rule* and *doc*.

    If the rules refuse the action, *refused* says why, each reason with its rule: now, or as things
    are if they keep it until later.
    """

    action: str
    title: str
    rule: str
    doc: str
    refused: tuple[tuple[str, str], ...] = ()


class ActionGroup(msgspec.Struct, frozen=True):
    """Actions of one chapter of the rules; *about* has the titles of their rules, or is ""."""

    about: str
    actions: tuple[OtherAction, ...]


class PlayerActs(msgspec.Struct, frozen=True):
    """What a player may do now.

    Attributes:
        waiting: what answers something open: votes, offers and trades to accept.
        possible: what the rules would not refuse, as buttons or as a list to pick from: first what
            is carried out at once, then what was asked for most often.
        others: other actions: they depend on values that the player chooses, or the rules keep them
            until later and would refuse them as things are.
        refused: what the rules refuse now, and why.
        is_kept: whether the rules keep some of *possible* and *others* until later.
        has_failed: whether the rules could not be asked, because they fail or take too long.
    """

    waiting: tuple[OfferedAct, ...] = ()
    possible: tuple[OfferedAct, ...] = ()
    others: tuple[ActionGroup, ...] = ()
    refused: tuple[OtherAction, ...] = ()
    is_kept: bool = False
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
    uses = view.seen.fold("uses", _UsesFold)
    asked = [act for act in acts if not act.is_open]
    possible = [act for act in asked if act.picks]
    others = [act for act in asked if not act.picks and not act.refused]
    ordered = sorted(possible, key=lambda act: (act.is_kept, -uses.of(player, act.action)))
    return PlayerActs(
        waiting=tuple(act for act in acts if act.is_open),
        possible=tuple(map(_without_fields, ordered)),
        others=tuple(_grouped(world, list(map(_other, others)))),
        refused=tuple(_other(act) for act in asked if act.refused),
        is_kept=any(act.is_kept for act in asked),
        has_failed=has_failed,
    )


class _UsesFold:
    """How often each action was asked for, as far as the reader may see it."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def take(self, entry: e.Entry) -> None:
        """Count the request in *entry*, if it is one."""
        if isinstance(entry.body, e.SubmissionReceived):
            self._counts[entry.body.by, entry.body.action] += 1
            self._counts["", entry.body.action] += 1

    def of(self, player: str, action: str) -> int:
        """Return how much *action* is used; the player's own requests count more."""
        return OWN_WEIGHT * self._counts[player, action] + self._counts["", action]


def _grouped(world: World, actions: list[OtherAction]) -> Iterator[ActionGroup]:
    """Yield *actions* by the chapters of their rules, in their order; all as one if they are few.

    The chapter of a rule is the part of its number before the first point.
    """
    titled = {rule.number: rule.title for rule in world.rules}
    places = {rule.number: place for place, rule in enumerate(world.rules)}
    ordered = sorted(actions, key=lambda x: (places.get(x.rule, len(places)), x.title))
    chapters: dict[str, list[OtherAction]] = {}
    for action in ordered:
        chapters.setdefault(action.rule.partition(".")[0], []).append(action)
    if len(actions) <= UNGROUPED_MAX or len(chapters) > GROUPS_MAX:
        if actions:
            yield ActionGroup("", tuple(sorted(actions, key=lambda x: x.title)))
        return
    for chapter, members in chapters.items():
        titles = ", ".join(dict.fromkeys(filter(None, (titled.get(x.rule) for x in members))))
        about = f"{chapter}: {shorten(titles, TITLES_MAX, placeholder=' …')}"
        yield ActionGroup(about, tuple(members))


def _other(act: OfferedAct) -> OtherAction:
    return OtherAction(act.action, act.title, act.rule, act.doc, act.refused or act.would_refuse)


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
    values = _values(view.seen.sandbox(_LIMITS), world, id, action)
    names = Names(world)
    fields = tuple(_tried(field_of(names, x), values.get(x.name)) for x in form.fields)
    return ActionPage(form.name, plain(form.name), form.rule, form.doc, fields)


def _values(sandbox: QuestionSandbox, world: World, by: str, action: str) -> dict[str, FieldValues]:
    """Return what the fields of *action* take; nothing if the rules could not be asked."""
    with suppress(NomoledgerError):
        return sandbox.call(field_values, world, by, action, kind=dict[str, FieldValues])
    return {}


def _tried(field: FormField, values: FieldValues | None) -> FormField:
    """Return *field* with the *values* that trials found for it."""
    if values is None:
        return field
    if values.words:
        choices = tuple(Choice(word, word) for word in values.words)
        return msgspec.structs.replace(field, kind="words", choices=choices)
    return msgspec.structs.replace(field, least=values.least, most=values.most)
