"""The desk of a player: what waits for the player, what is possible, and what happened."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from nomoledger import events as e
from nomoledger.game.desk.form_fields import Choice
from nomoledger.game.desk.happenings import Happening, happenings_of
from nomoledger.game.desk.kept_fact import KeptFact, kept_fact
from nomoledger.game.desk.seen_game import seen_world
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.game.read_models import LedgerView
from nomoledger.prose.choices import ask_in_words, label_options
from nomoledger.prose.descriptions import describe_act, describe_order, keys_of_change
from nomoledger.prose.labels import amount_held
from nomoledger.prose.names import Names, plain
from nomoledger.prose.statement_words import statement_words
from nomoledger.prose.teller import Teller
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import ALWAYS, World


class AskedQuestion(msgspec.Struct, frozen=True):
    """The question that play waits for, as the reader may see it.

    Attributes:
        to: the player who is asked, or "admin".
        asks: "dice", "draw", "choice", "ruling" or "conflict".
        text: the question in words. options: the answers. default: that of the rules, or "".
        sides: the number of sides of each die.
        id: the address of the question.
    """

    to: str
    asks: str
    text: str
    options: tuple[Choice, ...] = ()
    default: str = ""
    sides: tuple[int, ...] = ()
    id: str = ""


class UndecidedProposal(msgspec.Struct, frozen=True):
    """An undecided proposal.

    Attributes:
        number: its number. by: who made it. text: what it says.
        vote: the vote of the reader; "" if there is none.
        tally: how many votes of each choice there are, as far as the reader may see votes.
    """

    number: int
    by: str
    text: str
    vote: str = ""
    tally: dict[str, int] = {}


class StandingOrder(msgspec.Struct, frozen=True):
    """A standing order of the reader.

    Attributes:
        id: its id. says: the order as it is written.
        when, holds: its statements in words; *holds* is "" if it has no guard.
        does: what it asks for or answers, in words. is_answer: whether it answers.
    """

    id: str
    says: str
    when: str
    holds: str
    does: tuple[str, ...]
    is_answer: bool


class PlayerDesk(msgspec.Struct, frozen=True):
    """What one player sees and may do.

    Attributes:
        last: the number of the last event that the player may see.
        state: what the rules tell of the game as it is, such as that it is paused.
        place: where the player stands in words; "" if nowhere.
        holds: what the player has, as amount and commodity.
        facts: what else the rules keep of the player, in words, by name.
        question: what play waits for, if the player may see it.
        sealed: the requests of this period that only the player and the admin know of.
        happened: what happened to the player after event *since*; *happened_count* is how much.
    """

    game: str
    player: str
    period: int
    last: int
    ended: str | None
    state: tuple[str, ...]
    place: str
    holds: tuple[tuple[str, str], ...]
    facts: dict[str, KeptFact]
    question: AskedQuestion | None
    proposals: tuple[UndecidedProposal, ...]
    orders: tuple[StandingOrder, ...]
    sealed: tuple[Happening, ...]
    since: int
    happened: tuple[Happening, ...]
    happened_count: int


def player_desk(game: Game, player: str, since: int = -1) -> PlayerDesk:
    """Return the desk of *player*, computed only from what the player may see.

    Raises:
        UnknownError: there is no such player.
    """
    view, world, id = seen_world(game, player)
    undecided = tuple(undecided_proposals(view))
    names = Names(world)
    happened, sealed = happenings_of(view, player, since, world.period)
    return PlayerDesk(
        game=game.name,
        player=player,
        period=world.period,
        last=world.head,
        ended=world.game["ended"],
        state=tuple(_state(world)),
        place=_place(names, id),
        holds=tuple(_holdings(world, id)),
        facts=_facts(names, id),
        question=question_of(world),
        proposals=tuple(_proposals(world, undecided, view)),
        orders=tuple(_standing(order) for order, _ in world.orders.values() if order.by == player),
        sealed=sealed.latest,
        since=since,
        happened=happened.latest,
        happened_count=happened.count,
    )


def _state(world: World) -> Iterator[str]:
    """Yield what the rules tell of the attributes of the game that are set."""
    teller, now = Teller(world), from_seconds(world.game["now"])
    for attribute, value in world.attributes.get("game", {}).items():
        change = e.AttributeSet(
            period=world.period,
            received_at=now,
            recorded_at=now,
            entity="game",
            attribute=attribute,
            value=value,
        )
        is_set = value not in (None, False, "", [], ())
        if is_set and teller.template(f"game.{attribute}", *keys_of_change(change), ALWAYS):
            yield teller.tell(change)


def _standing(order: e.OrderGiven) -> StandingOrder:
    when, holds = (statement_words(x) if x else "" for x in (order.when, order.holds))
    answered = (f"answer {order.answer}",)
    does = tuple(describe_act(act) for act in order.acts) or answered
    says = describe_order(order)
    return StandingOrder(order.id, says, when, holds, does, is_answer=not order.acts)


def _place(names: Names, player: str) -> str:
    square = names.world.get(player, "square")
    return "" if square is None else names.phrase(square)


def _holdings(world: World, player: str) -> Iterator[tuple[str, str]]:
    for commodity in world.commodities():
        amount = amount_held(world, player, commodity)
        if amount:
            yield str(amount), commodity


def _facts(names: Names, player: str) -> dict[str, KeptFact]:
    shown = {}
    for attribute, value in names.world.attributes.get(player, {}).items():
        is_address = isinstance(value, str) and "@" in value
        if attribute in ("square", "name") or value in (None, False, "", [], ()) or is_address:
            continue
        shown[plain(attribute)] = kept_fact(names, "player", attribute, value)
    return shown


def question_of(world: World) -> AskedQuestion | None:
    """Return the question that play waits for in *world*; None if there is none."""
    question = world.waiting
    if question is None:
        return None
    teller = Teller(world)
    options: tuple[Choice, ...] = ()
    if question.asks != "dice":
        options = tuple(Choice(label, label) for label in label_options(teller, question))
    default = "" if question.default is None else str(teller.label(question.default))
    sides = tuple(question.options) if question.asks == "dice" else ()
    to = str(world.label(question.to))
    text = ask_in_words(teller, question)
    return AskedQuestion(to, question.asks, text, options, default, sides, question.question)


def _proposals(
    world: World, undecided: tuple[int, ...], view: LedgerView
) -> Iterator[UndecidedProposal]:
    votes = votes_seen(view)
    for number in undecided:
        made, cast = world.proposals[number], votes.get(number, {})
        tally = dict(Counter(cast.values()))
        is_alone = set(cast) <= {str(view.reader)}
        vote = cast.get(str(view.reader), "")
        yield UndecidedProposal(number, made.by, made.text, vote, {} if is_alone else tally)


def votes_seen(view: LedgerView) -> dict[int, dict[str, str]]:
    """Return the votes that the reader may see: by proposal, the choice of each voter."""
    votes: dict[int, dict[str, str]] = {}
    before: dict[str, tuple[int, dict[str, str]]] = {}
    for entry in view.entries():
        body = entry.body
        if isinstance(body, e.VoteCast):
            known = votes.get(body.proposal, {})
            before[body.id] = body.proposal, known
            votes[body.proposal] = known | {body.by: body.choice}
        elif isinstance(body, e.AttemptRefused) and body.attempt in before:
            proposal, known = before[body.attempt]
            votes[proposal] = known
        elif isinstance(body, e.InputWithdrawn) and body.withdrawn in before:
            proposal, known = before[body.withdrawn]
            votes[proposal] = known
    return votes
