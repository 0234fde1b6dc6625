"""What somebody may do now, as forms: actions with fields, choices by name, and until when."""

from collections.abc import Iterator
from itertools import groupby

import msgspec

from nomoledger.engine.action_fields import ActionForm, action_forms
from nomoledger.engine.possible_acts import PossibleAct, acts_of, open_acts
from nomoledger.engine.refused_acts import RefusedAct, in_short, refused_acts
from nomoledger.engine.undelayed import kept_acts, key_of
from nomoledger.engine.vote_choices import VoteChoices, vote_choices
from nomoledger.errors import NomoledgerError
from nomoledger.events import Reason
from nomoledger.game.desk.form_fields import FormField, field_of, requested
from nomoledger.game.desk.kept_fact import KeptFact, kept_fact
from nomoledger.prose.names import Names, plain
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.state.world import World

#: Up to how many possible acts of one action are offered as buttons.
BUTTONS_MAX = 6


class Button(msgspec.Struct, frozen=True):
    """An act that the rules allow now: its *arguments* by parameter, and a *label* for them."""

    label: str
    arguments: dict[str, str]


class OfferedAct(msgspec.Struct, frozen=True):
    """An action that somebody may ask for now.

    Attributes:
        action: its name.
        title: its name in words.
        rule: the number of the rule that defines it.
        doc: what its code says of it.
        fields: what the request holds. buttons: the possible requests, if they are few.
        picks: the possible requests, if the rules were asked for them; with values for optional
            fields, there are more.
        until: the time in seconds since 1970 from which it would be refused; None if no timer that
            is set ends the possibility.
        about: what the act answers, in words; the number of a proposal for a vote; "" if nothing.
        is_open: whether the act answers something that waits for an answer, such as an offer.
        details: what the rules keep of the thing that the act answers, in words, by name.
        refused: why the rules refuse the act now, whatever its fields hold: each reason with its
            rule.
        is_kept: whether the rules keep the request until later, such as until the period closes.
            The *picks* are then those that would succeed as things are.
        would_refuse: if none would, why the rules would refuse it.
        has_more: whether there are more possible requests than *picks*.
    """

    action: str
    title: str
    rule: str
    doc: str
    fields: tuple[FormField, ...] = ()
    buttons: tuple[Button, ...] = ()
    until: int | None = None
    about: str = ""
    picks: tuple[Button, ...] = ()
    is_open: bool = False
    refused: tuple[tuple[str, str], ...] = ()
    details: dict[str, KeptFact] = {}
    is_kept: bool = False
    would_refuse: tuple[tuple[str, str], ...] = ()
    has_more: bool = False


class _FoundActs(msgspec.Struct, frozen=True):
    """What the rules say: the forms of all actions, possible acts, open ones, votes, refusals.

    *kept* has the possible acts that the rules keep until later, as `kept_acts` returns them.
    """

    forms: list[ActionForm]
    possible: list[PossibleAct]
    open: list[PossibleAct]
    votes: dict[int, VoteChoices]
    refused: list[RefusedAct]
    kept: dict[str, tuple[Reason, ...]]


def acts_for(
    world: World, by: str, proposals: tuple[int, ...], sandbox: QuestionSandbox
) -> list[OfferedAct]:
    """Return what *by*, a player's id or "admin", may ask for in *world*, with open votes.

    Votes and verdicts on *proposals* have the action "vote" or "judge". The rules are asked in
    *sandbox*. Where they fail, the list is empty: what is wrong with them is said elsewhere.
    """
    try:
        return ask_for_acts(world, by, proposals, sandbox)
    except NomoledgerError:
        return []


def ask_for_acts(
    world: World, by: str, proposals: tuple[int, ...], sandbox: QuestionSandbox
) -> list[OfferedAct]:
    """Return what `acts_for` returns; the rules are asked in *sandbox*.

    Raises:
        RuleFault: rule code failed, or it took too long.
    """
    if world.head < 0 or world.game["ended"] is not None:
        return []
    found = sandbox.call(_find, world, by, proposals, kind=_FoundActs)
    return list(_acts(Names(world), found))


def _find(world: World, by: str, proposals: tuple[int, ...]) -> _FoundActs:
    opened = open_acts(world, proposals, by)
    voted = () if by == "admin" else proposals
    votes = {number: vote_choices(world, by, number) for number in voted}
    forms, possible = action_forms(world, by), acts_of(world, [by])
    impossible = {form.name for form in forms} - {act.action for act in (*possible, *opened)}
    refused = refused_acts(world, by, impossible)
    return _FoundActs(forms, possible, opened, votes, refused, kept_acts(world, possible))


def _acts(names: Names, found: _FoundActs) -> Iterator[OfferedAct]:
    forms = {form.name: form for form in found.forms}
    seen = set()
    ends = {act.arguments["proposal"]: act.until for act in found.open if act.action == "vote"}
    for number, vote in found.votes.items():
        if vote.choices:
            yield _vote(number, vote, ends.get(number))
    for act in found.open:
        if act.action == "judge":
            number = act.arguments["proposal"]
            yield OfferedAct(
                "judge", f"judge proposal {number}", "", "", until=act.until, about=str(number)
            )
        elif act.about is not None and act.action in forms:
            seen.add(key_of(act))
            offered = _offered(names, forms[act.action], [act], names.phrase(act.about))
            yield msgspec.structs.replace(offered, details=_details(names, act.about))
    possible = [act for act in found.possible if key_of(act) not in seen]
    for (action, until), group in groupby(possible, lambda act: (act.action, act.until)):
        if action in forms:
            acts = list(group)
            offered = _offered(names, forms[action], acts, "", until)
            yield _as_things_are(names, offered, acts, found.kept)
    yield from _impossible(names, found, forms)


def _impossible(
    names: Names, found: _FoundActs, forms: dict[str, ActionForm]
) -> Iterator[OfferedAct]:
    """Yield the actions that are refused, or that need values for fields that may be left out."""
    offered = {act.action for act in (*found.possible, *found.open)}
    refused = {act.action: act.reasons for act in found.refused}
    for form in forms.values():
        has_more = any(not field.is_needed for field in form.fields)
        reasons = () if has_more else refused.get(form.name, ())
        if form.name not in offered and (reasons or has_more):
            fields = tuple(field_of(names, field) for field in form.fields)
            words = plain(form.name), form.rule, form.doc
            yield OfferedAct(form.name, *words, fields=fields, refused=reasons)


def _vote(number: int, vote: VoteChoices, until: int | None) -> OfferedAct:
    """Return the vote on proposal *number* as an act."""
    free = (FormField("choice", "another choice", "text", is_needed=True),) if vote.is_free else ()
    buttons = tuple(Button(choice, {"choice": choice}) for choice in vote.choices)
    title = f"vote on proposal {number}"
    return OfferedAct("vote", title, "", "", free, buttons, until, about=str(number), is_open=True)


def _details(names: Names, thing: str) -> dict[str, KeptFact]:
    """Return the attributes of *thing* in words, but for its key and what its name says."""
    kind = names.world.entities.get(thing, "")
    types, called = names.world.declared(kind), names.phrase(thing).split()
    found = {
        plain(attribute): kept_fact(names, kind, attribute, value)
        for attribute, value in names.world.attributes.get(thing, {}).items()
        if value not in (None, False, "", [], ()) and not types.get(attribute, "").endswith("key")
    }
    return {name: fact for name, fact in found.items() if fact.text not in called}


def _as_things_are(
    names: Names,
    offered: OfferedAct,
    acts: list[PossibleAct],
    kept: dict[str, tuple[Reason, ...]],
) -> OfferedAct:
    """Return *offered* with the requests among *acts* that would succeed, if rules keep them."""
    known = [kept.get(key_of(act)) for act in acts]
    if all(reasons is None for reasons in known):
        return offered
    good = [act for act, reasons in zip(acts, known, strict=True) if not reasons]
    return msgspec.structs.replace(
        offered,
        is_kept=True,
        picks=tuple(_button(names, act) for act in good) if offered.picks else (),
        would_refuse=() if good else in_short(known[0] or ()),
        has_more=len(good) < len(acts),
    )


def _offered(
    names: Names, form: ActionForm, acts: list[PossibleAct], about: str, until: int | None = None
) -> OfferedAct:
    """Return *acts*, all of one action, as a form; as buttons if they are few."""
    tried = [act for act in acts if not act.chosen]
    optional = [field for field in form.fields if not field.is_needed]
    is_few = len(tried) == len(acts) <= BUTTONS_MAX and not optional
    picks = tuple(_button(names, act) for act in tried) if len(tried) == len(acts) else ()
    buttons = picks if is_few else ()
    fields = () if buttons else tuple(field_of(names, field, acts) for field in form.fields)
    if about:
        fields = tuple(_given(field, acts[0]) for field in fields)
    return OfferedAct(
        action=form.name,
        title=plain(form.name),
        rule=form.rule,
        doc=form.doc,
        fields=fields,
        buttons=buttons,
        until=acts[0].until if until is None else until,
        about=about,
        picks=picks,
        is_open=bool(about),
    )


def _given(field: FormField, act: PossibleAct) -> FormField:
    """Return *field*, as one that needs no asking if *act* says what it holds."""
    is_given = field.name in act.arguments and len(field.choices) == 1
    return msgspec.structs.replace(field, kind="given") if is_given else field


def _button(names: Names, act: PossibleAct) -> Button:
    arguments = {key: requested(names, value) for key, value in act.arguments.items()}
    labels = (names.phrase(value) for value in act.arguments.values())
    return Button(", ".join(labels), arguments)
