"""A ruling that the admin drafts: what it would do, before it is made, and the command for it."""

import secrets
from functools import partial
from shlex import quote
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import NomoledgerError, UsageError
from nomoledger.events.rules import Change
from nomoledger.game.command_lines import game_if_ambiguous, written_command
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
from nomoledger.game.desk.comparison import Comparison, compare
from nomoledger.game.desk.player_desk import AskedQuestion, question_of
from nomoledger.game.desk.told_trial import carry_out_and_tell
from nomoledger.game.game import Game
from nomoledger.game.written_values import fit_to_record, written_arguments, written_replacement
from nomoledger.rulebook.changes import parse_changes, read_changes
from nomoledger.state.disputes import open_disputes
from nomoledger.state.world import World

#: For what a ruling holds, and what can become of an event, as forms name it.
SCOPES = ("attempt", "period", "onwards", "precedent")
VERDICTS = ("uphold", "ratify", "reject", "replace", "take-in")
#: The verdicts that change what happened.
_EDITS = ("reject", "replace", "take-in")


class RulingDraft(msgspec.Struct, frozen=True):
    """A ruling as a form holds it. What is empty is left out.

    Attributes:
        text: the ruling in words. cites: the rules and events that it cites.
        answer: the answer to the question that waits for a ruling.
        event: the event that it is about, as in `nomoledger.game.event_numbers`.
        verdict: one of `VERDICTS`: what becomes of the event.
        value: what the event should have been, as in `nomoledger ruling --replace`.
        player, action, arguments: the request that was overlooked, after the event.
        overrules: the numbers of rulings that no longer hold.
        settle: how much of a correction is applied: "all", "money" or "none".
        questions: what to do with new questions: "stop", "default" or "skip".
        changes: changes from now on, as YAML. more: further changes, as plain values.
        scope: for what it holds. closes: the dispute that it settles.
        voids: what is void, as in `Game.void`, such as "proposal 3". Such a ruling does no more.
    """

    text: str = ""
    cites: tuple[str, ...] = ()
    answer: str = ""
    event: str = ""
    verdict: str = ""
    value: str = ""
    player: str = ""
    action: str = ""
    arguments: str = ""
    overrules: tuple[int, ...] = ()
    settle: str = ""
    questions: str = "stop"
    changes: str = ""
    more: tuple[dict[str, Any], ...] = ()
    scope: str = "attempt"
    closes: int | None = None
    voids: tuple[str, ...] = ()

    @property
    def is_on_the_past(self) -> bool:
        """Whether the ruling decides about recorded play."""
        return bool(self.event or self.overrules)


class RulingPreview(msgspec.Struct, frozen=True):
    """What a ruling would do.

    Attributes:
        problem: why it cannot be made like this; "" if it can.
        told: what would be recorded because of it, in words.
        question: what would be asked then.
        present: the state now, and the state with the ruling.
        past: play as recorded, and played again with the ruling; None if it changes no past.
        command: the command line that makes the ruling.
    """

    problem: str = ""
    told: tuple[str, ...] = ()
    question: AskedQuestion | None = None
    present: Comparison = Comparison()
    past: WhatIf | None = None
    command: str = ""


def preview_ruling(game: Game, draft: RulingDraft) -> RulingPreview:
    """Return what the ruling of *draft* would do. Nothing is recorded; dice are thrown away."""
    command = _command(game, draft)
    past = None
    try:
        if draft.is_on_the_past:
            fields = _fields_on_past(game, draft)
            if game.check_ruling(dict(fields)) is not None:
                past = game.what_if(_what_if_of(fields), throwaway=secrets.token_bytes(32))
                if problem := _why_not_settled(draft, past):
                    return RulingPreview(problem, past=past, command=command)
        return _tried(game, draft, RulingPreview(past=past, command=command))
    except NomoledgerError as error:
        return RulingPreview(str(error), past=past, command=command)


def make_ruling(game: Game, draft: RulingDraft, **fields: Any) -> Any:
    """Make the ruling of *draft* in *game*; *fields* are the `id` of the request and its time.

    Raises:
        NomoledgerError: the ruling makes no sense.
    """
    if draft.scope not in SCOPES:
        raise UsageError(f"a ruling holds for {' or '.join(SCOPES)}, not for {draft.scope!r:.40}")
    if draft.voids:
        return _make_void(game, draft, **fields)
    if draft.is_on_the_past:
        given = _fields_on_past(game, draft)
        kind, text = given.pop("kind"), given.pop("text")
        return game.rule_on(kind, text, settle=draft.settle or None, **given, **fields)
    shared: dict[str, Any] = {"cites": _cites(game, draft), "closes": draft.closes}
    shared |= {"scope": draft.scope}
    if draft.answer:
        value = game.option_called(draft.answer)
        return game.rule(draft.text, value=value, **shared, **fields)
    return game.rule(draft.text, changes=_changes(draft), **shared, **fields)


def _make_void(game: Game, draft: RulingDraft, **fields: Any) -> Any:
    """Rule that the things of *draft* are void; raise a UsageError if it decides more."""
    if draft.answer or draft.is_on_the_past or draft.changes or draft.more:
        raise UsageError("a ruling that something is void does no more: make two rulings")
    shared: dict[str, Any] = {"cites": _cites(game, draft), "dispute": draft.closes}
    return game.void(draft.text, draft.voids, **shared, **fields)


def _tried(game: Game, draft: RulingDraft, preview: RulingPreview) -> RulingPreview:
    """Return *preview* with what a dry run of the ruling does."""
    before = game.world
    with game.dry_run() as scratch:
        ruled = partial(make_ruling, draft=draft, id="preview")
        outcome, told = carry_out_and_tell(scratch, ruled, silent=e.AttemptRefused)
        refused = [text for x in outcome.refusals for text in _reasons(x)]
        return msgspec.structs.replace(
            preview,
            problem="; ".join(refused),
            told=told,
            question=_new_question(before, scratch.world),
            present=compare(before, scratch.world),
        )


def _new_question(before: World, after: World) -> AskedQuestion | None:
    known, asked = before.waiting, after.waiting
    is_old = known is not None and asked is not None and known.question == asked.question
    return None if is_old else question_of(after)


def _reasons(refusal: e.AttemptRefused) -> list[str]:
    return [f"{reason.text} ({reason.rule.partition('@')[0]})" for reason in refusal.reasons]


def _why_not_settled(draft: RulingDraft, past: WhatIf) -> str:
    if past.stopped is not None:
        return f"{past.stopped}: choose how to treat new questions"
    if past.collisions and not draft.settle:
        return "later play does not fit any more: choose how much of the correction to apply"
    return ""


def _what_if_of(fields: dict[str, Any]) -> WhatIfChanges:
    return WhatIfChanges(
        edits=fields["edits"], overrules=fields["overrules"], questions=fields["questions"]
    )


def _fields_on_past(game: Game, draft: RulingDraft) -> dict[str, Any]:
    """Return the fields of a ruling on recorded play, as `Game.check_ruling` takes them."""
    verdict = draft.verdict or ("replace" if draft.overrules else "")
    if draft.event and verdict not in VERDICTS:
        raise UsageError(f"say what becomes of {draft.event}: one of {', '.join(VERDICTS)}")
    if verdict in _EDITS and not draft.event and not draft.overrules:
        raise UsageError("which event? give its number")
    about = game.event_number(draft.event) if draft.event else None
    is_edit = verdict in ("replace", "take-in")
    return {
        "kind": "replace" if is_edit else verdict,
        "text": draft.text,
        "about": None if is_edit else about,
        "edits": fit_to_record(game.history.entries(), _edits(game, draft, verdict, about)),
        "overrules": draft.overrules,
        "questions": draft.questions,
        "cites": _cites(game, draft),
        "scope": draft.scope,
        "closes": draft.closes,
    }


def _edits(game: Game, draft: RulingDraft, verdict: str, about: int | None) -> tuple[e.Edit, ...]:
    if about is None:
        return ()
    if verdict == "reject":
        return (e.LeftOut(about),)
    if verdict == "replace":
        if not draft.value.strip():
            raise UsageError(f"what should #{about} have been? give the value")
        return (e.Replaced(about, written_replacement(draft.value.strip())),)
    if verdict == "take-in":
        if not (draft.player and draft.action):
            raise UsageError(f"what came after #{about}? give the player and the action")
        given = written_arguments(draft.arguments)
        by = draft.player if draft.player == "admin" else game.player(draft.player)
        return (e.TakenIn(about, by, draft.action, given),)
    return ()


def _changes(draft: RulingDraft) -> tuple[Change, ...]:
    written = parse_changes(draft.changes, "changes", with_code=False) if draft.changes else ()
    return (*written, *read_changes(list(draft.more)))


def _cites(game: Game, draft: RulingDraft) -> tuple[str, ...]:
    """Return what *draft* cites, with events by their numbers in the ledger."""
    return tuple(
        f"#{game.event_number(cited)}" if ":" in cited or cited.isdecimal() else cited
        for cited in draft.cites
    )


def _command(game: Game, draft: RulingDraft) -> str:
    """Return the command line that makes the ruling of *draft*."""
    words = [draft.text or "TEXT"]
    if draft.voids:
        words = [*draft.voids[0].split(" ", 1), *words]
    if draft.answer:
        words += ["--value", draft.answer]
    if draft.event:
        words += _options_on_event(draft)
    for number in draft.overrules:
        words += ["--overrule", str(number)]
    if draft.is_on_the_past:
        words += ["--settle", draft.settle] if draft.settle else []
        words += ["--questions", draft.questions] if draft.questions != "stop" else []
    elif draft.changes or draft.more:
        words += ["--changes", "changes.yaml"]
    for cited in draft.cites:
        words += ["--cite", cited]
    words += ["--scope", draft.scope] if draft.scope != RulingDraft().scope else []
    words += [] if draft.closes is None else ["--closes", str(draft.closes)]
    name, verb = game_if_ambiguous(game.ledger, game.name), "void" if draft.voids else "ruling"
    return written_command(verb, game.ledger.store.location, " ".join(map(quote, words)), name)


def _options_on_event(draft: RulingDraft) -> list[str]:
    if draft.verdict == "replace":
        return ["--replace", f"{draft.event}={draft.value}"]
    if draft.verdict == "take-in":
        request = " ".join((quote(draft.player), draft.action, draft.arguments)).strip()
        return ["--take-in", f"{draft.event}={request}"]
    return [f"--{draft.verdict}", draft.event]


class RulingChoices(msgspec.Struct, frozen=True):
    """What a ruling can name: for the pick lists of its form.

    Attributes:
        kinds: the attributes that can be set, by kind of thing.
        accounts: who and what holds money.
        rules: the parameters of the rules in force, by their numbers.
        disputes: the open disputes. rulings: the numbers of the rulings.
    """

    players: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]
    accounts: tuple[str, ...]
    commodities: tuple[str, ...]
    rules: dict[str, tuple[str, ...]]
    disputes: tuple[int, ...]
    rulings: tuple[int, ...]


def ruling_choices(game: Game) -> RulingChoices:
    """Return what a ruling can name in *game* now."""
    world = game.world
    players = tuple(str(world.label(player)) for player in world.kinds.get("player", ()))
    other = sorted(account for account in world.balances if account not in world.entities)
    return RulingChoices(
        players=players,
        kinds={kind: tuple(world.declared(kind)) for kind in world.known_kinds()},
        accounts=(*players, *other),
        commodities=tuple(world.commodities()),
        rules={rule.number: tuple(rule.parameters) for rule in world.rules},
        disputes=tuple(dispute["number"] for dispute in open_disputes(world)),
        rulings=tuple(world.rulings),
    )
