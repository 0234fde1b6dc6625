"""What players may do now, and until when: acts tried with the engine's own code.

Each act is carried out on the state and taken back. Then the clock is tried forward, from timer to
timer, to find the moment from which an act is refused. An act that leads to dice is possible. Dice
that fall while the clock is tried come from a seed of their own, so that none of the game's show.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Engine
from nomoledger.engine.oracles import SeededOracle
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.language.code import Parameter
from nomoledger.language.operations import Operation, kind_type
from nomoledger.language.program import link
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import Attempt, World

#: How many acts are tried for one player, for one action, and for all players together.
TRIES_MAX, TRIES_OF_ACTION_MAX, TRIES_FOR_ALL_MAX = 600, 60, 1500
#: How many moments are looked at for the end of a possibility, and how many steps lead to each.
MOMENTS_MAX, STEPS_MAX = 12, 60
#: Things of these kinds are no open things: they stay, or have commands of their own.
_NEVER_OPEN = ("player", "square", "proposal", "vote")
#: The seed of the dice that fall while the clock is tried forward: not one of the game's.
_THROWAWAY = b"possible acts".ljust(32)


class FreeValue(msgspec.Struct, frozen=True):
    """A value that a player chooses freely: its *name*, and its *type* as rule code writes it."""

    name: str
    type: str


class PossibleAct(msgspec.Struct, frozen=True):
    """An act that the rules would not refuse now.

    Attributes:
        by: the player or "admin"; "" for any player who may try an act that was not tried.
        action: the name of the action; "vote" for a vote, "judge" for a verdict.
        arguments: arguments by name, things by id.
        chosen: the values that the player chooses. Such an act was not tried.
        about: the id of the open thing that the act answers, such as an offer; None for no thing.
        until: the time in seconds since 1970 from which the act would be refused; None if no timer
            that is set ends the possibility.
    """

    by: str
    action: str
    arguments: dict[str, Any] = {}
    chosen: tuple[FreeValue, ...] = ()
    about: str | None = None
    until: int | None = None


def acts_of(world: World, players: Sequence[str]) -> list[PossibleAct]:
    """Return what each of *players* may do now, by the rules in force in *world*.

    Actions with values that nobody can list, such as prices, are returned without a trial. So are
    actions with too many possible arguments.
    """
    trials = ActTrials(world)
    found: list[PossibleAct] = []
    for player in players:
        trials.renew(min(TRIES_MAX, TRIES_FOR_ALL_MAX // len(players)))
        found += _acts_of(world, player, trials)
    return list(trials.with_ends(found))


def _acts_of(world: World, by: str, trials: "ActTrials") -> Iterator[PossibleAct]:
    for operation in actions_for(world, by):
        domains = [domain_of(world, parameter) for parameter in needed_parameters(operation)]
        names = [parameter.name for parameter in needed_parameters(operation)]
        count = prod(1 if domain is None else len(domain) for domain in domains)
        is_free = None in domains or not trials.can_try(count)
        if is_free and count:
            yield PossibleAct(by, operation.name, chosen=_free(needed_parameters(operation)))
        for values in () if is_free else product(*(domain or () for domain in domains)):
            act = PossibleAct(by, operation.name, dict(zip(names, values, strict=True)))
            if trials.allow(act):
                yield act


def open_acts(
    world: World, proposals: Iterable[int] = (), by: str | None = None
) -> list[PossibleAct]:
    """Return the acts that answer something open in *world*: an offer, a trade, an auction.

    They are those of *by*, a player or "admin", and those that are not tried; of all if that is
    None.

    A thing without a name is open as long as there are acts that take the thing, or that would end
    or change the thing. Votes on *proposals* are open to all players who may cast them, verdicts
    to the admin.
    """
    trials = ActTrials(world)
    found: dict[str, PossibleAct] = {}
    timed = {item for timer in world.timers.values() for item in timer.attempt.arguments}
    actions = [op for op in link(world.ruleset).links.operations.values() if op.is_action]
    for thing, kind in list(world.entities.items()):
        if kind in _NEVER_OPEN or "Text key" in world.declared(kind).values():
            continue
        is_numbered = "Number key" in world.declared(kind).values()
        for act in _acts_about(world, thing, actions, is_open=is_numbered or thing in timed):
            if by not in (None, act.by) and act.by:
                continue
            key = repr((act.by, act.action, act.arguments))
            if key not in found and (act.chosen or trials.allow(act, touching=thing)):
                found[key] = act
    for number in proposals:
        for player in world.kinds.get("player", ()):
            if by not in (None, player):
                continue
            act = PossibleAct(player, "vote", {"proposal": number, "choice": "yes"})
            if trials.allow(act):
                found[repr(act)] = act
        act = PossibleAct("admin", "judge", {"proposal": number, "verdict": "rejected"})
        if by in (None, "admin") and trials.allow(act):
            found[repr(act)] = act
    return list(trials.with_ends(found.values()))


def _acts_about(
    world: World, thing: str, actions: list[Operation], *, is_open: bool
) -> Iterator[PossibleAct]:
    """Yield the acts that take *thing*, or only values of its attributes, as arguments.

    If the thing *is_open*, so are acts with further values, which the player chooses.
    """
    attributes = world.attributes.get(thing, {})
    named = set(texts_in(list(attributes.values())))
    players = [player for player in world.kinds.get("player", ()) if player in named]
    if not players and not is_open:
        return
    for operation in actions:
        arguments: dict[str, Any] = {}
        chosen = []
        for parameter in needed_parameters(operation):
            value = _value_from(world, thing, parameter)
            if value is None:
                chosen.append(parameter)
            else:
                arguments[parameter.name] = value
        takes_thing = thing in arguments.values()
        if not arguments or (chosen and not (takes_thing and is_open)):
            continue
        if any(things_for(world, parameter) is not None for parameter in chosen):
            continue
        if chosen:
            by = "admin" if _is_for_admin(operation) else ""
            yield PossibleAct(by, operation.name, arguments, _free(chosen), thing)
            continue
        everybody = world.kinds.get("player", ()) if takes_thing else players
        for by in ("admin",) if _is_for_admin(operation) else everybody:
            if by == "admin" or _is_for(world, operation, by):
                yield PossibleAct(by, operation.name, arguments, about=thing)


def texts_in(value: Any) -> Iterator[str]:
    """Yield *value* if it is a text, and the texts in it if it is a list, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item)


def _value_from(world: World, thing: str, parameter: Parameter) -> Any:
    """Return *thing*, or the value of its attributes, that fits *parameter*; None if none fits."""
    attributes = world.attributes.get(thing, {})
    kinds = parameter.type.split(" | ")
    if kind_type(world.entities[thing]) in kinds:
        return thing
    named = attributes.get(parameter.name)
    for value in (named, *attributes.values()):
        if isinstance(value, str) and kind_type(world.entities.get(value, "")) in kinds:
            return value
    is_thing = things_for(world, parameter) is not None
    return named if named is not None and not is_thing and not isinstance(named, list) else None


def needed_parameters(operation: Operation) -> list[Parameter]:
    """Return the parameters of an action that have no default, but for the first: who acts."""
    return [parameter for parameter in operation.parameters[1:] if parameter.default is None]


def _free(parameters: Iterable[Parameter]) -> tuple[FreeValue, ...]:
    return tuple(FreeValue(parameter.name, parameter.type) for parameter in parameters)


def domain_of(world: World, parameter: Parameter) -> tuple[Any, ...] | None:
    """Return all values that *parameter* can have: things, or yes and no; None if they are free."""
    return (True, False) if parameter.type == "Flag" else things_for(world, parameter)


def things_for(world: World, parameter: Parameter) -> tuple[str, ...] | None:
    """Return the ids of all things that *parameter* takes; None if it takes no things."""
    wanted = parameter.type.split(" | ")
    kinds = [kind for kind in world.known_kinds() if kind_type(kind) in wanted]
    if not kinds:
        return None
    return tuple(thing for kind in kinds for thing in world.kinds.get(kind, ()))


def actions_for(world: World, by: str) -> list[Operation]:
    """Return the actions for *by*, a player or "admin", sorted by name."""
    operations = link(world.ruleset).links.operations
    actions = [operations[name] for name in sorted(operations) if operations[name].is_action]
    if by == "admin":
        return [operation for operation in actions if _is_for_admin(operation)]
    return [operation for operation in actions if _is_for(world, operation, by)]


def _is_for_admin(operation: Operation) -> bool:
    return bool(operation.parameters) and operation.parameters[0].name == "admin"


def _is_for(world: World, operation: Operation, by: str) -> bool:
    """Return whether *operation* is an action for things of the kind of *by*."""
    if not operation.parameters or _is_for_admin(operation):
        return False
    wanted = operation.parameters[0].type
    return wanted == "" or kind_type(world.entities.get(by, "")) in wanted.split(" | ")


class ActTrials:
    """Trials on one state, which is always restored."""

    def __init__(self, world: World, engine: Engine | None = None) -> None:
        """Try acts on *world*, with *engine* if it is given."""
        self._world = world
        self._engine = engine or Engine(world)
        self._clock = Engine(world, SeededOracle(_THROWAWAY))
        self._left = TRIES_MAX

    def renew(self, count: int) -> None:
        """Allow *count* further trials."""
        self._left = count

    def can_try(self, count: int) -> bool:
        """Return whether *count* acts of one action may be tried."""
        return count <= min(TRIES_OF_ACTION_MAX, self._left)

    def allow(self, act: PossibleAct, *, touching: str | None = None) -> bool:
        """Return whether the rules would not refuse *act*; False if too much was tried already.

        If *act* does not take the thing *touching*, it must end or change that thing.
        """
        self._left -= 1
        events = self.events_of(act) if self._left >= 0 else None
        if events is None or touching is None or touching in act.arguments.values():
            return events is not None
        changes = [x for x in events if isinstance(x, e.EntityDestroyed | e.AttributeSet)]
        return any(change.entity == touching for change in changes)

    def refusal(self, act: PossibleAct) -> tuple[e.Reason, ...]:
        """Return why the rules refuse *act*; nothing if they do not, or if they fail."""
        self._left -= 1
        refusals = (x for x in self.carried_out(act) or () if isinstance(x, e.AttemptRefused))
        return next((refusal.reasons for refusal in refusals), ())

    def events_of(self, act: PossibleAct) -> list[e.Event] | None:
        """Return the events of *act*; None if the rules refuse it, or fail."""
        events = self.carried_out(act)
        if events is None or any(isinstance(x, e.AttemptRefused) for x in events):
            return None
        return events

    def carried_out(self, act: PossibleAct) -> list[e.Event] | None:
        """Return the events of *act*, or its refusal; None if the rules fail."""
        world = self._world
        attempt = Attempt(
            id="trial",
            operation=act.action,
            arguments=() if act.action == "judge" else (act.by,),
            named=act.arguments,
            by=act.by,
            cause=world.head,
            at=world.game["now"],
        )
        mark = world.mark()
        try:
            return self._engine.carry_out(attempt, may_fail=False)
        except (RuleFault, RulebookError):
            return None
        finally:
            world.rollback(mark)

    def with_ends(self, acts: Iterable[PossibleAct]) -> Iterator[PossibleAct]:
        """Yield *acts* with the time from which each would be refused, as far as timers tell."""
        world, open_ = self._world, list(acts)
        moments = sorted({timer.attempt.at for timer in world.timers.values()})
        mark = world.mark()
        try:
            for moment in moments[:MOMENTS_MAX]:
                if not open_ or not self._advance(moment):
                    break
                still = []
                for act in open_:
                    if act.chosen:
                        ends = act.about is not None and act.about not in world.entities
                    else:
                        ends = self.events_of(act) is None
                    if ends:
                        yield msgspec.structs.replace(act, until=moment)
                    else:
                        still.append(act)
                open_ = still
        finally:
            world.rollback(mark)
        yield from open_

    def _advance(self, moment: int) -> bool:
        """Let the clock reach *moment*; return whether that was possible."""
        at = from_seconds(moment)
        clock = e.ClockAdvanced(
            id=f"trial {moment}", period=self._world.period, received_at=at, recorded_at=at
        )
        try:
            for _ in islice(self._clock.process(clock), STEPS_MAX):
                pass
        except (RuleFault, RulebookError):
            return False
        return self._world.waiting is None
