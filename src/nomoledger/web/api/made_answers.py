"""What programs are told of requests and trials."""

import msgspec

from nomoledger.game.desk.acts import OfferedAct
from nomoledger.game.desk.player_desk import AskedQuestion, StandingOrder
from nomoledger.game.desk.request_outcome import RequestOutcome
from nomoledger.game.desk.request_trial import RequestTrial
from nomoledger.views.past.index import PastEvent
from nomoledger.views.past.trail import Trail
from nomoledger.web.api.problem_details import RefusalReason


class RequestAnswer(msgspec.Struct, frozen=True):
    """What became of a request.

    Attributes:
        id: the id of the request in the ledger.
        request: the request in words.
        told: what happened because of it, as far as its maker may see, in words.
        reasons: why the rules refused it; empty if they did not.
        can_undo: whether it can be taken back.
        proposal: the number of the proposal that it made; null if it made none.
        dispute: the number of the dispute that it opened; null if it opened none.
    """

    id: str
    request: str
    told: tuple[str, ...]
    reasons: tuple[RefusalReason, ...]
    can_undo: bool
    proposal: int | None
    dispute: int | None


class ChangedHolding(msgspec.Struct, frozen=True):
    """By how much a holding would change.

    Attributes:
        amount: the difference, with its sign.
        commodity: what is held.
    """

    amount: str
    commodity: str


class TrialAnswer(msgspec.Struct, frozen=True):
    """What a request would do, by what its player may see. Dice of a trial are thrown away.

    Attributes:
        reasons: why the rules would refuse it; empty if they would not.
        told: what would happen, in words.
        changes: how the holdings of the player would change.
        question: what would be asked before play goes on.
        is_drawn: whether dice or cards decide.
    """

    reasons: tuple[RefusalReason, ...]
    told: tuple[str, ...]
    changes: tuple[ChangedHolding, ...]
    question: AskedQuestion | None
    is_drawn: bool


class GameNames(msgspec.Struct, frozen=True):
    """The games here.

    Attributes:
        games: their names.
    """

    games: tuple[str, ...]


class PlayerNames(msgspec.Struct, frozen=True):
    """The players of a game.

    Attributes:
        players: their names, in the order of joining.
    """

    players: tuple[str, ...]


class EventPage(msgspec.Struct, frozen=True):
    """Some of the events that the reader may see, by the numbers that the reader knows.

    Attributes:
        events: the events, in order.
        last: the number of the last event of all.
        next: the address of the events that follow; null if none do.
    """

    events: tuple[PastEvent, ...]
    last: int
    next: str | None


class ExplainedEvent(msgspec.Struct, frozen=True):
    """An event with its explanation.

    Attributes:
        event: the event.
        causes: the events that led to it, the nearest first.
        consequences: what came of it.
        trail: how the rules led to it, step by step, as far as the reader may know.
    """

    event: PastEvent
    causes: tuple[PastEvent, ...]
    consequences: tuple[PastEvent, ...]
    trail: Trail


class OpenQuestions(msgspec.Struct, frozen=True):
    """What waits for the player.

    Attributes:
        question: the question that play waits for, if it is put to the player.
        open: votes, offers and other things that wait for an answer of the player.
    """

    question: AskedQuestion | None
    open: tuple[OfferedAct, ...]


class StandingOrders(msgspec.Struct, frozen=True):
    """The standing orders of the player.

    Attributes:
        orders: the orders.
    """

    orders: tuple[StandingOrder, ...]


def reasons_in(refused: tuple[tuple[str, str], ...]) -> tuple[RefusalReason, ...]:
    """Return the reasons of a refusal, each with its rule."""
    return tuple(RefusalReason(text, rule) for text, rule in refused)


def request_answer(id: str, outcome: RequestOutcome) -> RequestAnswer:
    """Return what a program is told of the request with that *id*."""
    return RequestAnswer(
        id=id,
        request=outcome.request,
        told=outcome.told,
        reasons=reasons_in(outcome.refused),
        can_undo=outcome.can_undo,
        proposal=outcome.proposal,
        dispute=outcome.dispute,
    )


def trial_answer(trial: RequestTrial) -> TrialAnswer:
    """Return what a program is told of a trial."""
    return TrialAnswer(
        reasons=reasons_in(trial.refused),
        told=trial.told,
        changes=tuple(ChangedHolding(*change) for change in trial.changes),
        question=trial.question,
        is_drawn=trial.is_drawn,
    )
