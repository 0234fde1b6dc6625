"""What each player may do now, and until when, and the requests for it.

Acts are tried, and those that the rules refuse are left out. An act with a value that nobody can
list, such as a price, is not tried.
"""

from collections.abc import Iterable, Sequence
from shlex import quote
from typing import Any

import msgspec

from nomoledger.engine.possible_acts import FreeValue, PossibleAct, acts_of
from nomoledger.errors import NomoledgerError
from nomoledger.prose.labels import format_cell
from nomoledger.prose.names import plain
from nomoledger.prose.types_in_words import type_in_words
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.world import World

#: What a look at the possible acts may use, or another trial: commands and pages must answer soon.
SOON = Limits(cpu_seconds=6.0, wall_seconds=12.0)
#: The words for any player, in a command that several players may give.
ANYBODY = "PLAYER"


class Answer(msgspec.Struct, frozen=True):
    """A request that answers something: the command that makes the request, and its words.

    Attributes:
        by: the player or "admin"; None for any player.
        verb: the command, such as `submit`.
        words: its words after the ledger, as one types them in a shell.
        action: what the request does, in words.
        chosen: the values that the player chooses, which stand in capitals in *words*.
    """

    by: str | None
    verb: str
    words: str
    action: str = ""
    chosen: tuple[FreeValue, ...] = ()

    @property
    def explained(self) -> str:
        """What the words in capitals stand for; "" if there are none."""
        anybody = [f"{ANYBODY}: the own name"] if self.by is None else []
        return ", ".join([*anybody, *([chosen_in_words(self.chosen)] if self.chosen else [])])

    def words_of(self, player: str) -> str:
        """Return the words of the command as *player* types them."""
        return quote(player) + self.words.removeprefix(ANYBODY) if self.by is None else self.words


class MayDo(msgspec.Struct, frozen=True):
    """An action that a player may take now.

    Attributes:
        action: the name of the action.
        arguments: the possible arguments by name, as people write them; none if the action takes
            none.
        chosen: the values that the player chooses freely; such an action was not tried.
        until: the time in seconds since 1970 from which the action would be refused; None if no
            timer that is set ends that.
    """

    action: str
    arguments: tuple[dict[str, str], ...]
    chosen: tuple[FreeValue, ...] = ()
    until: int | None = None

    def beyond(self, player: str, answers: Iterable[Answer]) -> "MayDo | None":
        """Return what of the action is none of the *answers* of *player*; None if nothing is."""
        known = {answer.words_of(player) for answer in answers if answer.by in (None, player)}
        called = quote(player)
        left = tuple(
            arguments
            for arguments in self.arguments or ({},)
            if f"{called} {_words(self.action, arguments, self.chosen)}" not in known
        )
        if not left:
            return None
        return msgspec.structs.replace(self, arguments=tuple(filter(None, left)))


def may_do(
    world: World, players: Sequence[str], limits: Limits = SOON
) -> dict[str, tuple[MayDo, ...]]:
    """Return what each of *players*, given by id, may do in *world*, by id.

    The arguments of one action that is possible until one time stand together.
    """
    if world.head < 0 or world.game["ended"] is not None:
        return {}
    grouped: dict[str, dict[Any, list[dict[str, str]]]] = {}
    for act in found_acts(limits, acts_of, world, tuple(players)):
        arguments = grouped.setdefault(act.by, {})
        alike = arguments.setdefault((act.action, act.chosen, act.until), [])
        alike.append(_written(world, act.arguments))
    return {
        player: tuple(
            MayDo(action, tuple(filter(None, arguments)), chosen, until)
            for (action, chosen, until), arguments in acts.items()
        )
        for player, acts in grouped.items()
    }


def chosen_in_words(chosen: Iterable[FreeValue]) -> str:
    """Return what a player has to choose: `amount: a number, color: a text`."""
    return ", ".join(f"{plain(value.name)}: {type_in_words(value.type)}" for value in chosen)


def found_acts(
    limits: Limits, function: Any, *arguments: Any, sandbox: QuestionSandbox | None = None
) -> list[PossibleAct]:
    """Return the acts that *function* finds in a sandbox; none if the rules fail.

    The rules are asked in *sandbox*, or in one of their own with *limits*.
    """
    try:
        if sandbox is not None:
            return sandbox.call(function, *arguments, kind=list[PossibleAct])
        return call_in_sandbox(function, *arguments, kind=list[PossibleAct], limits=limits)
    except NomoledgerError:
        return []  # What is wrong with the rules, `status` says among the problems.


def request_for(world: World, act: PossibleAct) -> Answer:
    """Return *act* as a request."""
    by = str(world.label(act.by)) if act.by else None
    name = quote(by) if by else ANYBODY
    arguments = _written(world, act.arguments)
    if act.action == "vote":
        return Answer(by, "vote", f"{name} {arguments['proposal']} {arguments['choice']}", "vote")
    if act.action == "judge":
        return Answer(by, "judge", f"{arguments['proposal']} accepted", "judge")
    words = f"{name} {_words(act.action, arguments, act.chosen)}"
    return Answer(by, "submit", words, plain(act.action), act.chosen)


def _words(action: str, arguments: dict[str, str], chosen: Iterable[FreeValue]) -> str:
    pairs = [quote(f"{key}={value}") for key, value in arguments.items()]
    pairs += [f"{value.name}={value.name.upper()}" for value in chosen]
    return " ".join((action, *pairs))


def _written(world: World, arguments: dict[str, Any]) -> dict[str, str]:
    """Return *arguments* as people write them: things by name, flags as yes or no."""
    return {
        key: format_cell(value) if isinstance(value, bool) else str(world.label(value))
        for key, value in arguments.items()
    }
