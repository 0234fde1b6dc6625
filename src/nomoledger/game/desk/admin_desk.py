"""The desk of the admin: what waits, for whom and until when, and what the admin may do."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.errors import NomoledgerError
from nomoledger.game.command_lines import game_if_ambiguous, written_command
from nomoledger.game.desk.acts import OfferedAct, ask_for_acts
from nomoledger.game.desk.player_desk import AskedQuestion, question_of
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.evidence import describe_evidence
from nomoledger.game.game import Game
from nomoledger.game.open_things import (
    OpenThing,
    open_question,
    open_things,
    undecided_proposals,
)
from nomoledger.game.possible_requests import SOON
from nomoledger.prose.teller import Teller
from nomoledger.state.disputes import open_disputes
from nomoledger.state.world import World


class ArgumentLine(msgspec.Struct, frozen=True):
    """An argument in a dispute: who said it ("engine" for evidence), what, and what it *shows*."""

    by: str
    text: str
    shows: tuple[str, ...] = ()


class WaitingItem(msgspec.Struct, frozen=True):
    """Something that waits.

    Attributes:
        kind: "question", "proposal", "dispute" or "thing".
        what: what waits, in words.
        whom: for whom. An empty list is anybody.
        since: since when, in seconds since 1970. event: the event with which it began to wait.
        until: until when, in seconds since 1970; None if no timer ends that.
        commands: the command lines that answer.
        number: the number of the proposal or dispute. by, text: who made it, and its words.
        arguments: the arguments of the dispute. about: the event that is disputed, if it is one.
        can_judge: whether a verdict of the admin may decide the proposal now. It is also true if
            the rules cannot be asked: their code fails, or play waits for an answer.
    """

    kind: str
    what: str
    whom: tuple[str, ...]
    since: int
    event: int
    until: int | None = None
    commands: tuple[str, ...] = ()
    number: int = 0
    by: str = ""
    text: str = ""
    arguments: tuple[ArgumentLine, ...] = ()
    about: int | None = None
    can_judge: bool = True


class DueTimer(msgspec.Struct, frozen=True):
    """A timer: the time *at* which it is due in seconds since 1970, *what* it does, its *rule*."""

    at: int
    what: str
    rule: str


class AdminDesk(msgspec.Struct, frozen=True):
    """All that the admin has to look at.

    Attributes:
        now: the time of the game, in seconds since 1970.
        question: what play waits for.
        waiting: what is open, that which waits longest first.
        acts: what the rules let the admin ask for.
        interrupted: whether something is on the agenda that an interrupted process left.
        commands: the command lines behind the other buttons, by what they do.
    """

    game: str
    rulebook: str
    period: int
    now: int
    ended: str | None
    question: AskedQuestion | None
    waiting: tuple[WaitingItem, ...]
    timers: tuple[DueTimer, ...]
    acts: tuple[OfferedAct, ...]
    players: tuple[str, ...]
    interrupted: bool
    commands: dict[str, str]


def admin_desk(game: Game) -> AdminDesk:
    """Return the desk of the admin of *game*."""
    view = SeenView(game, "admin")
    world = view.world
    undecided = tuple(undecided_proposals(view))
    acts = _acts(view, undecided)
    desk = _Desk(game, view, acts)
    return AdminDesk(
        game=game.name,
        rulebook=world.game["rulebook"],
        period=world.period,
        now=world.game["now"],
        ended=world.game["ended"],
        question=question_of(world),
        waiting=tuple(sorted(desk.waiting(undecided), key=lambda item: item.event)),
        timers=tuple(desk.timers()),
        acts=tuple(act for act in acts or () if act.action != "judge" and not act.refused),
        players=tuple(str(world.label(player)) for player in world.kinds.get("player", ())),
        interrupted=world.waiting is None and bool(world.agenda),
        commands={
            "undo": desk.command("undo"),
            "ruling": desk.command("ruling", "TEXT"),
            "submit": desk.command("submit", "admin ACTION"),
        },
    )


def _acts(view: SeenView, undecided: tuple[int, ...]) -> list[OfferedAct] | None:
    """Return what the admin may ask for, with verdicts; None if the rules cannot be asked."""
    try:
        return ask_for_acts(view.world, "admin", undecided, view.seen.sandbox(SOON))
    except NomoledgerError:
        return None


class _Desk:
    """What waits in the game of a *view*, with the commands that answer."""

    def __init__(self, game: Game, view: SeenView, acts: list[OfferedAct] | None) -> None:
        #: The proposals that the admin may judge now; None if that is not known.
        self._judged: set[str] | None = None
        if acts is not None and view.world.waiting is None:
            self._judged = {act.about for act in acts if act.action == "judge"}
        self._location = game.ledger.store.location
        self._name = game_if_ambiguous(game.ledger, game.name)
        self._world: World = view.world
        self._sandbox = view.seen.sandbox(SOON)
        self._teller = Teller(view.world)
        #: The events with which things began to wait, by what they are called here.
        self._begun: dict[Any, e.Entry] = {}
        self._arguments: dict[int, list[ArgumentLine]] = {}
        for entry in view.entries():
            self._note(entry)

    def _note(self, entry: e.Entry) -> None:
        body = entry.body
        if isinstance(body, e.QuestionRaised):
            self._begun["question", body.question] = entry
        elif isinstance(body, e.ProposalMade):
            self._begun["proposal", body.number] = entry
        elif isinstance(body, e.DisputeOpened):
            self._begun["dispute", body.number] = entry
        elif isinstance(body, e.EntityCreated):
            self._begun["thing", body.entity] = entry
        elif isinstance(body, e.DisputeArgued):
            shows = tuple(describe_evidence(body.evidence))
            said = ArgumentLine(body.by, body.text, shows)
            self._arguments.setdefault(body.dispute, []).append(said)

    def command(self, verb: str, words: str = "") -> str:
        """Return a command line on the ledger of the game."""
        return written_command(verb, self._location, words, self._name)

    def waiting(self, undecided: tuple[int, ...]) -> Iterator[WaitingItem]:
        """Yield what waits, in any order."""
        if self._world.waiting is not None:
            yield self._question(self._world.waiting)
        things = open_things(self._world, undecided, sandbox=self._sandbox)
        yield from map(self._thing, things)
        listed = {thing.proposal for thing in things}
        for number in undecided:
            if number not in listed:  # Nobody may vote or judge yet, or the rules fail.
                yield self._thing(OpenThing(f"proposal {number}", (), None, (), proposal=number))
        for dispute in open_disputes(self._world):
            about, number = dispute["about"], dispute["number"]
            subject = f"period {dispute['period']}" if about is None else f"#{about}"
            yield WaitingItem(
                "dispute",
                f"dispute {number} of {subject}",
                ("admin",),
                *self._since("dispute", number),
                commands=(self.command("dispute close", f"{number} TEXT"),),
                number=number,
                by=str(dispute["by"]),
                text=str(dispute["text"]),
                arguments=tuple(self._arguments.get(number, ())),
                about=about,
            )

    def _since(self, kind: str, key: Any) -> tuple[int, int]:
        """Return when something began to wait, and its event."""
        entry = self._begun.get((kind, key))
        if entry is None:
            return self._world.game["now"], self._world.head
        return int(entry.body.received_at.timestamp()), entry.number

    def _question(self, question: e.QuestionRaised) -> WaitingItem:
        asked = open_question(self._world)
        assert asked is not None
        commands = [self.command(asked.answer.verb, asked.answer.words)]
        if question.asks == "choice" and question.default is not None:
            commands.append(self.command("answer", "--default"))
        since = self._since("question", question.question)
        return WaitingItem("question", asked.text, (asked.to,), *since, commands=tuple(commands))

    def _thing(self, thing: OpenThing) -> WaitingItem:
        commands = tuple(self.command(answer.verb, answer.words) for answer in thing.answers)
        if thing.proposal is None:
            since = self._since("thing", thing.thing)
            return WaitingItem("thing", thing.what, thing.who, *since, thing.until, commands)
        made = self._world.proposals[thing.proposal]
        return WaitingItem(
            "proposal",
            thing.what,
            thing.who,
            *self._since("proposal", thing.proposal),
            thing.until,
            commands,
            thing.proposal,
            str(self._world.label(made.by)),
            made.text,
            can_judge=self._judged is None or str(thing.proposal) in self._judged,
        )

    def timers(self) -> Iterator[DueTimer]:
        """Yield the timers, the next first."""
        for timer in sorted(self._world.timers.values(), key=lambda timer: timer.order):
            what = self._teller.scheduled(timer.attempt.id)
            yield DueTimer(timer.attempt.at, what, timer.rule)
