"""Copies of a game to try things in: made from what everybody may see, with dice of their own.

A copy is a game of its own in another ledger. Its secret is new, so its dice tell nothing of those
of the game, and nothing sealed is in it. Time stands still in it until somebody lets time pass.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.errors import UnknownError, UsageError
from nomoledger.game.commit import Commit
from nomoledger.game.desk.acts import OfferedAct, acts_for
from nomoledger.game.desk.admin_requests import enter_values
from nomoledger.game.desk.copied_line import LineOfPlay, line_in
from nomoledger.game.desk.drafts import propose_draft
from nomoledger.game.desk.hand_draw import draw_by_computer
from nomoledger.game.desk.player_desk import AskedQuestion, question_of
from nomoledger.game.desk.player_requests import submit_given
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.open_things import undecided_proposals
from nomoledger.game.possible_requests import SOON
from nomoledger.game.read_models import LedgerView
from nomoledger.game.timekeeper import next_due
from nomoledger.game.writer import Outcome
from nomoledger.ledger.chain import Head
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import apply_public, ends_something_secret
from nomoledger.state.clock import from_seconds
from nomoledger.state.world import World

#: The requests that can be made in a copy: methods of `Game`.
REQUESTS = ("vote", "judge", "answer", "answer_by_default", "close")


class CopyState(msgspec.Struct, frozen=True):
    """Where a copy stands.

    Attributes:
        last: the number of its last event. now: its time, in seconds since 1970.
        due: when the next timer is due; None if none is set.
        question: what play waits for. proposals: those that are undecided, by number.
        line: what happened since it was made.
    """

    period: int
    last: int
    now: int
    due: int | None
    ended: str | None
    players: tuple[str, ...]
    question: AskedQuestion | None
    proposals: dict[int, str]
    line: tuple[LineOfPlay, ...]


def copy_game(game: Game, location: str, upto: int | None, secret: bytes) -> Head:
    """Copy *game* as everybody may see it into a new ledger at *location*.

    The copy ends with public event *upto*, or now if that is None. Its dice follow from *secret*,
    which has at least 16 random bytes. The same *upto* and *secret* make the same copy, also when
    the game has gone on. Returns the head of the copy.

    Raises:
        UnknownError: there is no such public event.
    """
    entries = list(LedgerView(game.ledger, game.name, reader=None).entries())
    if upto is not None and not 0 <= upto < len(entries):
        raise UnknownError(f"{game.name}: there is no event #{upto}")
    bodies = [entry.body for entry in entries[: None if upto is None else upto + 1]]
    copied = _with_own_dice(list(_complete(bodies)), secret)
    with Ledger.open(location, create=True) as target:
        commit = Commit(target, game.name, World())
        with commit.together(secret):
            commit.append(copied)
        return target.head(game.name)


def _complete(bodies: Sequence[e.Event]) -> Iterator[e.Event]:
    """Yield *bodies*; what ends something whose beginning is sealed becomes an empty event."""
    world = World()
    for body in bodies:
        if ends_something_secret(world, body):
            at = {"received_at": body.received_at, "recorded_at": body.recorded_at}
            fields: dict[str, Any] = {"period": body.period, "cause": body.cause, **at}
            yield e.CasesCopied(texts={}, rules=body.rules, **fields)
        else:
            yield body
        apply_public(world, body)


def _with_own_dice(bodies: list[e.Event], secret: bytes) -> list[e.Event]:
    """Return *bodies* with a commitment to *secret* for the open period, so that it is played."""
    opened = bodies[0]
    assert isinstance(opened, e.GameOpened)
    kind = opened.dice
    last = max((n for n, body in enumerate(bodies) if isinstance(body, e.PeriodClosed)), default=0)
    closed = bodies[last]
    if isinstance(closed, e.PeriodClosed):
        seed = dice.period_seed(secret, dice.committed_at_close(closed.period, kind))
        bodies[last] = msgspec.structs.replace(closed, commitment=dice.commitment(seed))
    else:
        committed = dice.commitments_ahead(secret, opened.period, kind)
        bodies[0] = msgspec.structs.replace(opened, commitment=committed)
    return bodies


def copy_state(game: Game, since: int) -> CopyState:
    """Return where the copy *game* stands, and what happened in it after event *since*."""
    world = game.world
    view = LedgerView(game.ledger, game.name, reader="admin")
    return CopyState(
        period=world.period,
        last=world.head,
        now=world.game["now"],
        due=next_due(world),
        ended=world.game["ended"],
        players=tuple(str(world.label(player)) for player in world.kinds.get("player", ())),
        question=question_of(world),
        proposals={number: world.proposals[number].text for number in undecided_proposals(view)},
        line=tuple(line_in(game, since)),
    )


def ask_in_copy(game: Game, request: str, *arguments: Any, id: str) -> Outcome:
    """Make *request*, one of `REQUESTS`, in the copy *game*, at the time at which the copy stands.

    Raises:
        UsageError: the request makes no sense.
    """
    if request not in REQUESTS:
        raise UsageError(f"there is no request {request!r:.40} in a copy")
    game.catch_up()
    outcome: Outcome = getattr(game, request)(*arguments, at=_now(game), id=id)
    return outcome


def submit_in_copy(
    game: Game, player: str, action: str, given: dict[str, list[str]], *, id: str
) -> Outcome:
    """Ask for *action* in the copy *game* for *player*, with the texts *given* in a form."""
    game.catch_up()
    return submit_given(game, player, action, given, at=_now(game), id=id)


def propose_in_copy(game: Game, player: str, text: str, changes: str, *, id: str) -> Outcome:
    """Propose *text* with the *changes*, in YAML, in the copy *game* for *player*."""
    return propose_draft(game, player, text, changes, at=_now(game), id=id)


def acts_in_copy(game: Game, player: str) -> list[OfferedAct]:
    """Return what *player*, or "admin", may do in the copy *game*, but for verdicts.

    Raises:
        UnknownError: there is no such player.
    """
    view = SeenView(game, "admin")
    by = player if player == "admin" else game.player(player)
    acts = acts_for(view.world, by, tuple(undecided_proposals(view)), view.seen.sandbox(SOON))
    return [act for act in acts if act.action != "judge" and not act.refused]


def answer_in_copy(game: Game, value: str, *, id: str) -> Outcome:
    """Answer the open question of the copy with the option called *value*; "" is the default."""
    if not value:
        return ask_in_copy(game, "answer_by_default", id=id)
    return ask_in_copy(game, "answer", game.option_called(value), id=id)


def draw_in_copy(game: Game, values: list[str], *, id: str) -> Outcome:
    """Enter *values* for the dice or the draw that the copy waits for; throw if there are none."""
    if not values:
        return draw_by_computer(game, _now(game), id=id)
    return enter_values(game, values, at=_now(game), id=id)


def rule_in_copy(game: Game, value: str, *, id: str) -> Outcome:
    """Answer the question of the rules to the admin in the copy with the option called *value*."""
    option = game.option_called(value)
    return game.rule("tried in a copy", value=option, at=_now(game), id=id)


def let_time_pass_in_copy(game: Game, until: int | None, *, id: str) -> Outcome:
    """Let time pass in the copy *until* a time in seconds since 1970; None is until the next timer.

    Raises:
        UsageError: no timer is set, or the time is over in the copy.
    """
    before = game.again(id)
    if before is not None:
        return game.finished(before)
    due = next_due(game.world) if until is None else until
    if due is None:
        raise UsageError("nothing is due: no timer is set, or play waits for an answer")
    return game.advance(at=from_seconds(due), id=id)


def _now(game: Game) -> Any:
    return from_seconds(game.world.game["now"])
