"""The state that a case starts from."""

from datetime import datetime
from typing import Any

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import first_option
from nomoledger.errors import RulebookError
from nomoledger.events.levels import NEWEST
from nomoledger.language.program import link
from nomoledger.rulebook.cases.format import Body, Given
from nomoledger.rulebook.cases.spelling import plural_of, singular, spelled
from nomoledger.rulebook.cases.times import read_time, times_read
from nomoledger.rulebook.cases.under_way_at_start import noted_times, set_timers, without_last
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.loading import Rulebook
from nomoledger.state.clock import to_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


def settled(rulebook: Rulebook, body: Body) -> Rulebook:
    """Return the rules of *rulebook* that the case names, with the settings of the case."""
    if isinstance(body.rules, list):
        rulebook = rulebook.only([str(number) for number in body.rules])
    elif body.rules != "all":
        rulebook = rulebook.only([body.rules])
    if body.without:
        rulebook = rulebook.only(_without(rulebook, [str(number) for number in body.without]))
    settings = dict(body.given.settings)
    if body.given.board is not None:
        settings["squares"] = body.given.board
    return rulebook.with_settings(settings)


def _without(rulebook: Rulebook, left_out: list[str]) -> list[str]:
    numbers = [rule.number for rule in rulebook.rules]
    for name in left_out:
        if not any(_is_or_begins(name, number) for number in numbers):
            raise RulebookError(f"without: the rulebook {rulebook.name} has no rule {name}")
    return [x for x in numbers if not any(_is_or_begins(name, x) for name in left_out)]


def _is_or_begins(name: str, number: str) -> bool:
    return number == name or number.startswith(f"{name}.")


def open_world(engine: Engine, rulebook: Rulebook, given: Given, start: datetime) -> None:
    """Bring the empty world of *engine* into the state *given*.

    Raises:
        RulebookError: the rules do not allow this state. The message says why.
    """
    common: dict[str, Any] = {
        "period": given.period, "received_at": start, "recorded_at": start,
    }  # fmt: skip
    level = NEWEST if rulebook.game is None else rulebook.game.level
    opened = e.GameOpened(
        id="opening",
        game="case",
        rulebook=rulebook.name,
        dice="entered",
        level=level,
        **common,
    )
    apply(engine.world, opened)
    if rulebook.game is not None and not engine.world.forgets_rules:
        engine.world.put(engine.world.game, "former", rulebook.game.former)
        engine.world.put(engine.world.game, "money", rulebook.game.money)
    for rule in rulebook.rules:
        apply(engine.world, e.RuleEnacted(rule=rule, source="rulebook", **common))
    check_batch(engine.step(), "the game cannot start so")
    fields = stated(engine.world, given, start)
    fields["things"], altered = _told_apart(engine.world, fields["things"])
    altered += noted_times(engine.world, given, start)
    state = e.StateGiven(id="given", **fields, **common)
    oracle, engine.oracle = engine.oracle, first_option
    _submit(engine, state, "what is given cannot be so")
    engine.oracle = oracle
    rulings = [{"text": "as given", "changes": altered}] if altered else []
    for i, ruling in enumerate([*rulings, *given.rulings], 1):
        made = e.RulingMade(
            id=f"ruling{i}", number=i, kind="correct", text=str(ruling.get("text", "")),
            changes=read_changes(ruling.get("changes")), **common,
        )  # fmt: skip
        _submit(engine, made, f"given ruling {i}")
    for i, proposal in enumerate(given.proposals, 1):
        by = str(proposal.get("by", proposal.get("author", "")))
        made_proposal = e.ProposalMade(
            id=f"proposal{i}", number=i, by=by, text=str(proposal.get("text", "")),
            changes=read_changes(proposal.get("changes")), **common,
        )  # fmt: skip
        _submit(engine, made_proposal, f"given proposal {i}")
    set_timers(engine.world, given.timers, start, common)


def _submit(engine: Engine, event: e.Input, what: str) -> None:
    for batch in engine.process(event):
        check_batch(batch, what)


def check_batch(batch: list[e.Event], what: str) -> None:
    """Raise RulebookError if *batch* has a refusal or a question."""
    for event in batch:
        if isinstance(event, e.AttemptRefused):
            reasons = "; ".join(f"{reason.text} ({reason.rule})" for reason in event.reasons)
            raise RulebookError(f"{what}: {reasons}")
        if isinstance(event, e.QuestionRaised):
            raise RulebookError(f"{what}: it asks {event.to}: {event.text}")


def stated(world: World, given: Given, start: datetime) -> dict[str, Any]:
    """Return *given* as the fields of `StateGiven`."""
    return {
        "players": {
            str(name): _row(world, "player", without_last(row), start)
            for name, row in given.players.items()
        },
        "squares": {
            str(name): _row(world, "square", row, start) for name, row in given.squares.items()
        },
        "accounts": _accounts(world, given),
        "things": _things(world, given, start),
        "game": times_read(world, "game", given.game, start),
    }


def attributes_of(world: World, kind: str) -> list[str]:
    """Return the attributes that a case can give for an entity of *kind*."""
    return [*world.declared(kind), *(("money", "items") if kind == "player" else ())]


def items_apart(world: World, row: Any) -> Any:
    """Return the *row* of a player with commodities that are named like attributes under `items`.

    The money of the game is `money`, whatever the rules call it.
    """
    if not isinstance(row, dict):
        return row
    program, known = link(world.ruleset), attributes_of(world, "player")
    held = {key for key in row if key in program.commodities and key not in known}
    items = {**(row.get("items") or {}), **{key: row[key] for key in held}}
    attributes = {key: value for key, value in row.items() if key not in held}
    if program.money in items:
        attributes["money"] = items.pop(program.money)
    return attributes | {"items": items} if items or "items" in row else attributes


def _row(world: World, kind: str, row: Any, start: datetime) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise RulebookError(f"given: a {kind} is told by `attribute: value`, not {row!r}")
    known = attributes_of(world, kind)
    row = items_apart(world, row) if kind == "player" else row
    named = {spelled(name, known, f"a {kind} has no"): value for name, value in row.items()}
    return times_read(world, kind, named, start)


def _accounts(world: World, given: Given) -> dict[str, dict[str, Any]]:
    program = link(world.ruleset)
    zero = dict.fromkeys(program.commodities, 0)
    accounts = {name: dict(zero) for name in sorted(program.accounts) if name != "mint"}
    for account, held in given.accounts.items():
        try:
            name = spelled(account, accounts, "there is no account")
        except RulebookError:
            name = account  # of an entity that exists only once the players have joined
            accounts[name] = {}
        accounts[name] |= held if isinstance(held, dict) else {program.money: held}
    return accounts


def _things(world: World, given: Given, start: datetime) -> dict[str, Any]:
    kinds = {kind for rule in world.rules for kind in rule.declares}
    things: dict[str, Any] = {}
    for plural, rows in given.things.items():
        if plural in kinds and isinstance(rows, dict):  # the only one of its kind
            plural, rows = plural_of(plural), [rows]
        kind = singular(plural, kinds, Given.__struct_encode_fields__)
        if not isinstance(rows, list):
            raise RulebookError(f"given: {plural} are a list, not {rows!r}")
        things[kind] = tuple(_thing(world, kind, row, start) for row in rows)
    return things


def _told_apart(
    world: World, things: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, dict[str, Any]]]]:
    """Return *things* without those that exist already, and what the case sets of these.

    A thing exists already if one has its key. A single thing without a key is the one that the
    rules bring along, if they bring along one.
    """
    new: dict[str, tuple[Any, ...]] = {}
    altered: list[dict[str, dict[str, Any]]] = []
    for kind, rows in things.items():
        key, there = world.key_of(kind), world.kinds.get(kind, ())
        new[kind] = ()
        for row in rows:
            is_only = len(rows) == 1 and len(there) == 1 and key not in row
            called = world.label(there[0]) if is_only else row.get(key)
            if called is None or world.find(kind, called) is None:
                new[kind] += (row,)
                continue
            told = {name: value for name, value in row.items() if name not in (key, "at")}
            altered.extend([{"set": {kind: called, **told}}] if told else [])
    return new, altered


def _thing(world: World, kind: str, row: dict[str, Any], start: datetime) -> dict[str, Any]:
    attributes = {key: value for key, value in row.items() if key != "at"}
    thing = _row(world, kind, attributes, start)
    if "at" in row:
        thing["at"] = to_seconds(read_time(row["at"], start))
    return thing
