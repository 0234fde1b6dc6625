"""Reading games: what everybody may see, or the reader of a token."""

from typing import Annotated
from urllib.parse import quote

from litestar import Response
from litestar.params import FromPath, QueryParameter

from nomoledger.errors import UnknownError
from nomoledger.game.desk.dispute_desk import SeenDisputes, disputes_for
from nomoledger.game.desk.proposal_desk import (
    ProposalLines,
    SeenProposal,
    proposal_for,
    proposal_lines,
)
from nomoledger.game.desk.seen_state import (
    GameSummary,
    SeenBalances,
    SeenBoard,
    SeenRule,
    SeenRules,
    SeenStandings,
    SeenState,
    game_summary,
    seen_balances,
    seen_board,
    seen_rule,
    seen_rules,
    seen_standings,
    seen_state,
)
from nomoledger.views.past.index import PastIndex, past_index
from nomoledger.views.past.scene import Scene, scene_at
from nomoledger.views.past.trail import Trail, event_trail
from nomoledger.web.api.callers import ApiRequest, caller_of, host_behind
from nomoledger.web.api.conditional_reading import has_it, headers_of, show
from nomoledger.web.api.endpoints import GAME, PREFIX, reads
from nomoledger.web.api.made_answers import EventPage, ExplainedEvent, GameNames, PlayerNames

#: How many events an answer has, at most, and how many consequences of one event.
EVENTS_MAX, CONSEQUENCES_MAX = 1000, 200
After = Annotated[
    int, QueryParameter(ge=-1, le=2**31, description="Only events with greater numbers.")
]
Limit = Annotated[int, QueryParameter(ge=1, le=EVENTS_MAX, description="How many events at most.")]


@reads(f"{PREFIX}/games")
def list_games(request: ApiRequest) -> Response[GameNames]:
    """List the games; with a token, the game of the token."""
    token = caller_of(request).token
    games = host_behind(request).games() if token is None else [token.game]
    return Response(GameNames(tuple(games)))


@reads(GAME)
def read_game(request: ApiRequest, game: FromPath[str]) -> Response[GameSummary]:
    """How far a game has gone: period, time, players, last event."""
    return show(request, game_summary, _reader(request), kind=GameSummary)


@reads(f"{GAME}/state")
def read_state(request: ApiRequest, game: FromPath[str]) -> Response[SeenState]:
    """The whole state: attributes of players, squares, and all other things."""
    return show(request, seen_state, _reader(request), kind=SeenState)


@reads(f"{GAME}/players")
def read_players(request: ApiRequest, game: FromPath[str]) -> Response[PlayerNames]:
    """The players, in the order of joining."""
    given = _reader(request)
    return show(
        request, game_summary, given, kind=GameSummary, shown=lambda its: PlayerNames(its.players)
    )


@reads(f"{GAME}/standings")
def read_standings(request: ApiRequest, game: FromPath[str]) -> Response[SeenStandings]:
    """The standings, the richest player first."""
    return show(request, seen_standings, _reader(request), kind=SeenStandings)


@reads(f"{GAME}/balances")
def read_balances(request: ApiRequest, game: FromPath[str]) -> Response[SeenBalances]:
    """The balance of every account, by commodity."""
    return show(request, seen_balances, _reader(request), kind=SeenBalances)


@reads(f"{GAME}/board")
def read_board(request: ApiRequest, game: FromPath[str]) -> Response[SeenBoard]:
    """The board: squares, their owners, and who stands there."""
    return show(request, seen_board, _reader(request), kind=SeenBoard, takes_long=True)


@reads(f"{GAME}/rules")
def read_rules(request: ApiRequest, game: FromPath[str]) -> Response[SeenRules]:
    """The rules in force, as text and as code."""
    return show(request, seen_rules, _reader(request), kind=SeenRules)


@reads(f"{GAME}/rules/{{number:str}}")
def read_rule(
    request: ApiRequest, game: FromPath[str], number: FromPath[str]
) -> Response[SeenRule]:
    """One rule in force."""
    return show(request, seen_rule, _reader(request), number, kind=SeenRule)


@reads(f"{GAME}/proposals")
def list_proposals(request: ApiRequest, game: FromPath[str]) -> Response[ProposalLines]:
    """List the proposals, the newest first."""
    return show(request, proposal_lines, _reader(request), kind=ProposalLines)


@reads(f"{GAME}/proposals/{{number:int}}")
def read_proposal(
    request: ApiRequest, game: FromPath[str], number: FromPath[int]
) -> Response[SeenProposal]:
    """One proposal: text, changes as differences, the votes that the reader may see."""
    return show(request, proposal_for, _reader(request), number, kind=SeenProposal)


@reads(f"{GAME}/disputes")
def list_disputes(request: ApiRequest, game: FromPath[str]) -> Response[SeenDisputes]:
    """List the disputes with their arguments, the newest first."""
    return show(request, disputes_for, _reader(request), kind=SeenDisputes)


@reads(f"{GAME}/events")
def list_events(
    request: ApiRequest, game: FromPath[str], after: After = -1, limit: Limit = 100
) -> Response[EventPage]:
    """List events in order, by the numbers that the reader knows."""
    address = f"{PREFIX}/games/{quote(game, safe='')}/events"

    def shown(index: PastIndex) -> EventPage:
        found, last = index.events[after + 1 : after + 1 + limit], len(index.events) - 1
        is_all = not found or found[-1].number == last
        following = f"{address}?after={found[-1].number if found else last}&limit={limit}"
        return EventPage(found, last, None if is_all else following)

    given = _reader(request)
    return show(request, past_index, given, kind=PastIndex, takes_long=True, shown=shown)


@reads(f"{GAME}/events/{{number:int}}")
def read_event(
    request: ApiRequest, game: FromPath[str], number: FromPath[int]
) -> Response[ExplainedEvent]:
    """One event: its causes, what came of it, and how the rules led to it."""
    host, reader, headers = host_behind(request), _reader(request), headers_of(request)
    if has_it(request, headers["etag"]):
        return Response(None, status_code=304, headers=headers)  # type: ignore[arg-type]
    index = host.read(game, past_index, reader, kind=PastIndex)
    event = index.event(number)
    if event is None:
        raise UnknownError(f"{game}: there is no event #{number} that you may see")
    trail = host.study(game, event_trail, reader, number, kind=Trail)
    explained = ExplainedEvent(
        event=event,
        causes=tuple(index.causes(number)),
        consequences=tuple(index.consequences(number))[:CONSEQUENCES_MAX],
        trail=trail,
    )
    return Response(explained, headers=headers)


@reads(f"{GAME}/past/{{number:int}}")
def read_past(request: ApiRequest, game: FromPath[str], number: FromPath[int]) -> Response[Scene]:
    """The board and the players right after an event, with the event behind each figure."""
    return show(request, scene_at, _reader(request), number, kind=Scene, takes_long=True)


def _reader(request: ApiRequest) -> str | None:
    return caller_of(request).reader


ENDPOINTS = [
    list_games, read_game, read_state, read_players, read_standings, read_balances, read_board,
    read_rules, read_rule, list_proposals, read_proposal, list_disputes, list_events, read_event,
    read_past,
]  # fmt: skip
