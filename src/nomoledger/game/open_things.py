"""What is open in a game, for whom, until when, and the requests that answer it."""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.possible_acts import PossibleAct, open_acts
from nomoledger.game.possible_requests import ANYBODY, SOON, Answer, found_acts, request_for
from nomoledger.game.read_models import View
from nomoledger.prose.choices import ask_in_words, label_options
from nomoledger.prose.names import Names, plain
from nomoledger.prose.teller import Teller
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.state.world import Timer, World

#: How many players who may answer alike have a command each.
_NAMED_APART = 4


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
        players: the ids of the players among *who*.
    """

    what: str
    who: tuple[str, ...]
    until: int | None
    answers: tuple[Answer, ...]
    thing: str | None = None
    proposal: int | None = None
    players: tuple[str, ...] = ()


def undecided_proposals(view: View) -> list[int]:
    """Return the numbers of the proposals whose state is still their first one.

    If the rules keep no state of proposals, every proposal that nobody judged is undecided.
    """
    return undecided_in(view.world, (entry.body for entry in view.entries()))


def undecided_in(world: World, events: Iterable[e.Event]) -> list[int]:
    """Return the numbers of the undecided proposals in *world*.

    *events* are those of the game; only created entities and judged proposals count.
    """
    first: dict[str, Any] = {}
    judged = set()
    for event in events:
        if isinstance(event, e.EntityCreated) and event.kind == "proposal":
            first[event.entity] = event.attributes.get("state")
        elif isinstance(event, e.ProposalJudged):
            judged.add(event.proposal)
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


def open_things(
    world: World,
    proposals: Iterable[int],
    limits: Limits = SOON,
    sandbox: QuestionSandbox | None = None,
) -> list[OpenThing]:
    """Return what requests can answer in *world*, the undecided *proposals* included.

    The rules are asked in *sandbox*, or in one of their own with *limits*. The result is empty if
    the rules fail.
    """
    if world.head < 0 or world.game["ended"] is not None:
        return []
    acts = found_acts(limits, open_acts, world, tuple(proposals), sandbox=sandbox)
    grouped: dict[Any, list[PossibleAct]] = {}
    for act in acts:
        grouped.setdefault(act.about or act.arguments["proposal"], []).append(act)
    return [_thing(world, about, found) for about, found in grouped.items()]


class OpenQuestion(msgspec.Struct, frozen=True):
    """The open question of a game.

    Attributes:
        text: the question in words.
        to: who is asked, by name.
        player: the id of the player who is asked; None for the admin and for dice.
        options: the possible answers as people write them; none if they are free.
        answer: the request that answers.
        explained: what the words in capitals of the request stand for; "" if it has none.
    """

    text: str
    to: str
    player: str | None
    options: tuple[str, ...]
    answer: Answer
    explained: str


def open_question(world: World) -> OpenQuestion | None:
    """Return the open question of *world*; None if there is none."""
    question = world.waiting
    if question is None:
        return None
    teller, to = Teller(world), str(world.label(question.to))
    is_dice = question.asks == "dice"
    options = () if is_dice else tuple(label_options(teller, question))
    by = to if world.entities.get(question.to) == "player" else "admin"
    if is_dice:
        words, explained = _dice_words(question.options)
        answer = Answer(by, "roll", words, "enter the dice")
    else:
        value = quote(options[0]) if len(options) == 1 else "VALUE"
        verb, words = {
            "draw": ("roll", value),
            "choice": ("answer", f"{value} --by {quote(to)}"),
        }.get(question.asks, ("ruling", f"TEXT --value {value}"))
        answer = Answer(by, verb, words, "answer it")
        listed = "one of these" if options else "any answer"
        needed = {"TEXT": "the reason", "VALUE": listed}
        explained = ", ".join(f"{x}: {said}" for x, said in needed.items() if x in words.split())
    return OpenQuestion(
        text=ask_in_words(teller, question),
        to=to,
        player=question.to if by != "admin" else None,
        options=options,
        answer=answer,
        explained=explained,
    )


def _dice_words(sides: Sequence[int]) -> tuple[str, str]:
    """Return the words for dice with these *sides*, and what they stand for."""
    words = ["1" if side == 1 else "N" for side in sides]
    if "N" not in words:
        return " ".join(words), ""
    ranges = list(dict.fromkeys(f"1 to {side}" for side in sides))
    each = "each N" if words.count("N") > 1 else "N"
    order = ", in this order" if len(ranges) > 1 else ""
    return " ".join(words), f"{each}: {', '.join(ranges)}{order}"


def falling_due(world: World, besides: Iterable[OpenThing] = ()) -> list[OpenThing]:
    """Return what timers of *world* will do, what falls due first; no request answers that.

    Timers of the things that *besides* names are left out.
    """
    if world.head < 0 or world.game["ended"] is not None:
        return []
    teller, things = Teller(world), []
    named = {other.thing for other in besides if other.thing is not None}
    for timer in sorted(world.timers.values(), key=lambda timer: timer.order):
        attempt = timer.attempt
        thing = next((x for x in attempt.arguments if x in world.entities), None)
        if thing in named:
            continue
        players = tuple(dict.fromkeys(_players_in(world, attempt.arguments)))
        things.append(
            OpenThing(
                what=timer_in_words(teller, timer),
                who=tuple(str(world.label(player)) for player in players),
                until=attempt.at,
                answers=(),
                thing=thing,
                players=players,
            )
        )
    return things


def timer_in_words(names: Names, timer: Timer) -> str:
    """Return what *timer* will do, after the things that it is about, if any: `Ann: wake`."""
    about = "; ".join(map(names.phrase, timer.attempt.arguments))
    what = plain(timer.attempt.operation.lstrip("@"))
    return f"{about}: {what}" if about else what


def _players_in(world: World, values: Iterable[object]) -> Iterator[str]:
    """Yield the players among *values*, and those whom the things among them name."""
    for value in values:
        if not isinstance(value, str):
            continue
        if world.entities.get(value) == "player":
            yield value
        elif value in world.entities:
            for named in world.attributes.get(value, {}).values():
                if isinstance(named, str) and world.entities.get(named) == "player":
                    yield named


def _thing(world: World, about: Any, acts: list[PossibleAct]) -> OpenThing:
    is_proposal = isinstance(about, int)
    who = dict.fromkeys(act.by for act in acts if act.by)
    ends = [act.until for act in acts]
    return OpenThing(
        what=f"proposal {about}" if is_proposal else Teller(world).phrase(about),
        who=tuple(str(world.label(by)) for by in who),
        until=None if None in ends else max(end for end in ends if end is not None),
        answers=tuple(_merged(request_for(world, act) for act in acts)),
        thing=None if is_proposal else about,
        proposal=about if is_proposal else None,
        players=tuple(by for by in who if by in world.entities),
    )


def _merged(answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield *answers*; those that many players may give alike are one."""
    by_words: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        rest = answer.words.removeprefix(quote(answer.by)) if answer.by else answer.words
        by_words.setdefault((answer.verb, rest), []).append(answer)
    for (_, rest), alike in by_words.items():
        if len(alike) <= _NAMED_APART:
            yield from alike
        else:
            yield msgspec.structs.replace(alike[0], by=None, words=f"{ANYBODY}{rest}")
