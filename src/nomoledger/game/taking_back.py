"""Taking back the last request: as a whole, or not at all."""

from collections.abc import Sequence
from datetime import datetime
from shlex import quote
from typing import Any

from nomoledger import events as e
from nomoledger.engine.settlement.audiences import Audience
from nomoledger.engine.undone import undone_inputs
from nomoledger.errors import CarriedOutError
from nomoledger.events.levels import LEVELS
from nomoledger.game.repeated_requests import idempotent
from nomoledger.game.writer import GameWriter, Outcome
from nomoledger.state.clock import from_seconds

#: Requests that do nothing before they are carried out.
_PATIENT = (
    e.ClockAdvanced, e.CloseAsked, e.JoinRequested, e.LeaveRequested, e.OrderGiven,
    e.ProposalJudged, e.ProposalMade, e.SubmissionReceived, e.VoteCast,
)  # fmt: skip
#: The text of a ruling, in a command that corrects what a request did.
_TEXT = quote("It was a mistake")
_CARRIED_OUT = "nothing to take back: the last request is carried out"


class TakingBack(GameWriter):
    """A game whose last request can be taken back as long as it has done nothing."""

    #: The request that `undo` takes back; None for whichever is the last.
    _wanted: str | None = None

    @idempotent
    def undo(
        self, request: str | None = None, *, at: datetime | None = None, id: str | None = None
    ) -> Outcome:
        """Take back the last request, as if it had never been made.

        With *request*, the id of a request, nothing else is taken back: it must be the last one.

        Until now the request may have moved the clock, set off a standing order of its own, and
        asked a question, but nothing else. The clock goes back to the request before, or to *at*.
        In games up to level 3 the clock stays. What the request used of the limits stays used.

        Raises:
            CarriedOutError: the request did something else, or is not the last one. The error names
                the command that corrects that, if there is one.
        """
        self.catch_up()
        self.resume()
        self._wanted = request
        try:
            return self._undo(at, id)
        finally:
            self._wanted = None

    def _undo(self, at: datetime | None, id: str | None) -> Outcome:
        request, before = self._request_to_undo()
        fields: dict[str, Any] = {"withdrawn": request.id, "audience": request.audience}
        if LEVELS[self.world.level].undoes_wholly:
            fields["undoes"] = True
            at = at or _time_before(before, request.audience)
        at = at or from_seconds(self.world.game["now"])
        return self.receive(e.InputWithdrawn, at=at, id=id, **fields)

    def _request_to_undo(self) -> tuple[e.Input, list[e.Event]]:
        """Return the last request, and all events before it.

        Raises:
            CarriedOutError: it cannot be taken back.
        """
        entries = self.history.entries()
        place = request_to_undo(self.name, entries)
        request = entries[place].body
        assert isinstance(request, e.Input)
        if self._wanted not in (None, request.id):
            raise CarriedOutError(f"{self.name}: it is too late to take this back", "", "")
        return request, [other.body for other in entries[:place]]

    def _earliest(self, kind: type[e.Input], fields: dict[str, Any]) -> datetime:
        """Return when an input may have been received; the clock goes back to what is undone."""
        if not fields.get("undoes"):
            return super()._earliest(kind, fields)
        request, before = self._request_to_undo()  # others may have made a request meanwhile
        fields |= {"withdrawn": request.id, "audience": request.audience}
        return _time_before(before, request.audience)


def request_to_undo(game: str, entries: Sequence[e.Entry]) -> int:
    """Return the place of the last request among *entries*, which are events of *game*.

    Raises:
        CarriedOutError: the request cannot be taken back.
    """
    undone = undone_inputs(entry.body for entry in entries)
    places = range(len(entries) - 1, -1, -1)
    place = next(place for place in places if _is_kept(entries[place].body, undone))
    request = entries[place].body
    assert isinstance(request, e.Input)
    later = [other.body for other in entries[place + 1 :]]
    why = "" if isinstance(request, _PATIENT) else _CARRIED_OUT
    if why := why or _effect(later, undone | {request.id}):
        raise CarriedOutError(f"{game}: {why}", *_remedy(entries[place], later))
    return place


def _is_kept(body: e.Event, undone: frozenset[str]) -> bool:
    return isinstance(body, e.Input) and body.id not in undone


def _effect(later: Sequence[e.Event], requests: frozenset[str]) -> str:
    """Return why *later* events are effects of *requests*, which cannot be undone; "" if not."""
    for body in later:
        if isinstance(body, e.Input | e.QuestionRaised):
            continue
        if isinstance(body, e.OrderFired) and body.order in requests and body.question is None:
            continue
        if isinstance(body, e.DrawRecorded):
            return "too late to take it back: a die or an answer was seen"
        if isinstance(body, e.TimerFired):
            return "too late to take it back: something fell due with it"
        return _CARRIED_OUT
    return ""


def _time_before(before: Sequence[e.Event], audience: Audience) -> datetime:
    """Return when the last request of *before* was received that *audience* may see.

    So the time of a secret request stays secret.
    """
    undone = undone_inputs(before)
    readers = (None,) if audience is None else audience
    requests = (body for body in reversed(before) if _is_kept(body, undone))
    seen = (x for x in requests if all(e.may_see(reader, x.audience) for reader in readers))
    return next(seen).received_at


def _remedy(entry: e.Entry, later: Sequence[e.Event]) -> tuple[str, str]:
    """Return the command that corrects what a request did, and its words; "" if there is none."""
    request: Any = entry.body
    if isinstance(request, e.GameOpened | e.StateGiven | e.SeedCommitted | e.SeedRevealed):
        return "", ""
    if isinstance(request, e.FinalitySet):
        return "finality", "DAYS"
    if isinstance(request, e.KeyPassed):
        return "handover give", "REQUEST --key FILE"
    if isinstance(request, e.DisputeOpened):
        return "void", f"dispute {request.number} {_TEXT}"
    if isinstance(request, e.DisputeArgued):
        return "void", f"dispute {request.dispute} {_TEXT}"
    if isinstance(request, e.ClockAdvanced) or any(isinstance(x, e.PeriodClosed) for x in later):
        return "ruling", f"{_TEXT} --changes FILE"
    if getattr(request, "question", None) is not None:
        return "ruling", f"{_TEXT} --replace {entry.number}=VALUE"
    if getattr(request, "effective", None) is not None:
        return "ruling", f"{_TEXT} --overrule {request.number}"
    return "ruling", f"{_TEXT} --reject {entry.number}"
