"""What is open in a game, for whom, until when, and the requests that answer it."""

from collections.abc import Iterable, Iterator
from shlex import quote
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.possible_acts import PossibleAct, acts_of, open_acts
from nomoledger.errors import NomoledgerError
from nomoledger.game.read_models import View
from nomoledger.prose.teller import Teller
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.world import World

#: What a look at the possible acts may use: commands that show something must answer soon.
_LIMITS = Limits(cpu_seconds=6.0, wall_seconds=12.0)
#: The words for any player, in a command that several players may give.
ANYBODY = "PLAYER"


class Answer(msgspec.Struct, frozen=True):
    """A request that answers something: the command that makes the request, and its words.

    Attributes:
        by: the player or "admin"; None for any player.
        verb: the command, such as `submit`.
        words: its words after the ledger, as one types them in a shell.
    """

    by: str | None
    verb: str
    words: str

    def command_of(self, player: str) -> str:
        """Return the command as *player* types it; LEDGER stands for the ledger."""
        words = quote(player) + self.words.removeprefix(ANYBODY) if self.by is None else self.words
        return f"nomoledger {self.verb} LEDGER {words}"


class OpenThing(msgspec.Struct, frozen=True):
    """Something that waits for people.

    Attributes:
        what: what is open, in words.
        who: the players, or the admin, who may answer.
        until: the time in seconds since 1970 from which nobody can answer; None if no timer that
            is set ends that.
        answers: the requests that answer.
        thing: the id of the thing; None for a proposal.
        proposal: the number of the proposal; None for anything else.
    """

    what: str
    who: tuple[str, ...]
    until: int | None
    answers: tuple[Answer, ...]
    thing: str | None = None
    proposal: int | None = None


def undecided_proposals(view: View) -> list[int]:
    """Return the numbers of the proposals whose state is still their first one.

    If the rules keep no state of proposals, every proposal that nobody judged is undecided.
    """
    first: dict[str, Any] = {}
    judged = set()
    for entry in view.entries():
        if isinstance(entry.body, e.EntityCreated) and entry.body.kind == "proposal":
            first[entry.body.entity] = entry.body.attributes.get("state")
        elif isinstance(entry.body, e.ProposalJudged):
            judged.add(entry.body.proposal)
    world = view.world
    keeps_states = "state" in world.declared("proposal")
    voided = world.game.get("voided", ())
    undecided = []
    for number in world.proposals:
        entity = world.find("proposal", number)
        exists = entity is not None or "proposal" not in world.kinds
        is_first = entity is None or world.get(entity, "state") == first.get(entity)
        is_judged = number in judged and not (keeps_states and entity is not None)
        if exists and is_first and not is_judged and number not in voided:
            undecided.append(number)
    return undecided


def open_things(world: World, proposals: Iterable[int]) -> list[OpenThing]:
    """Return what is open in *world*, with the undecided *proposals*; nothing if the rules fail."""
    if world.head < 0 or world.game["ended"] is not None:
        return []
    arguments = (world, tuple(proposals))
    acts = _asked(open_acts, *arguments)
    grouped: dict[Any, list[PossibleAct]] = {}
    for act in acts:
        grouped.setdefault(act.about or act.arguments["proposal"], []).append(act)
    return [_thing(world, about, found) for about, found in grouped.items()]


def possible_answers(world: World, player: str) -> list[tuple[PossibleAct, Answer]]:
    """Return all that *player* may do in *world*, as acts and as requests."""
    if world.head < 0 or world.game["ended"] is not None:
        return []
    return [(act, _answer(world, act)) for act in _asked(acts_of, world, player)]


def _asked(function: Any, *arguments: Any) -> list[PossibleAct]:
    try:
        return call_in_sandbox(function, *arguments, kind=list[PossibleAct], limits=_LIMITS)
    except NomoledgerError:
        return []  # What is wrong with the rules, `status` says among the problems.


def _thing(world: World, about: Any, acts: list[PossibleAct]) -> OpenThing:
    is_proposal = isinstance(about, int)
    who = dict.fromkeys(act.by for act in acts if act.by)
    ends = [act.until for act in acts]
    return OpenThing(
        what=f"proposal {about}" if is_proposal else Teller(world).phrase(about),
        who=tuple(str(world.label(by)) for by in who),
        until=None if None in ends else max(end for end in ends if end is not None),
        answers=tuple(_merged(_answer(world, act) for act in acts)),
        thing=None if is_proposal else about,
        proposal=about if is_proposal else None,
    )


def _merged(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield *answers*; those that several players may give alike are one."""
    by_words: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        rest = answer.words.removeprefix(quote(answer.by)) if answer.by else answer.words
        by_words.setdefault((answer.verb, rest), []).append(answer)
    for (verb, rest), alike in by_words.items():
        yield alike[0] if len(alike) == 1 else Answer(None, verb, f"{ANYBODY}{rest}")


def _answer(world: World, act: PossibleAct) -> Answer:
    """Return *act* as a request."""
    by = str(world.label(act.by)) if act.by else None
    name = quote(by) if by else ANYBODY
    arguments = {key: str(world.label(value)) for key, value in act.arguments.items()}
    if act.action == "vote":
        return Answer(by, "vote", f"{name} {arguments['proposal']} {arguments['choice']}")
    if act.action == "judge":
        return Answer(by, "judge", f"{arguments['proposal']} accepted")
    pairs = [quote(f"{key}={value}") for key, value in arguments.items()]
    pairs += [f"{key}={key.upper()}" for key in act.chosen]
    return Answer(by, "submit", " ".join((name, act.action, *pairs)))
