"""One game in a ledger: what the admin and the players can ask for."""

import secrets as random
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nomoledger import events as e
from nomoledger.engine.request_checks import (
    check_arguments,
    check_order,
    check_submission,
    free_name,
)
from nomoledger.engine.sealed_words import refuse_sealed
from nomoledger.engine.settlement import ruling_validity
from nomoledger.engine.settlement.audiences import Audience, intersect
from nomoledger.errors import UnknownError, UsageError
from nomoledger.events.rules import Change
from nomoledger.game.entered_answers import check_answer, check_draw
from nomoledger.game.key_requests import KeyRequests
from nomoledger.game.readings import GameReadings
from nomoledger.game.repeated_requests import check_repeated, idempotent
from nomoledger.game.ruling_words import check_ruling_words
from nomoledger.game.seed_requests import SeedRequests
from nomoledger.game.taking_back import TakingBack
from nomoledger.game.way_out import WayOut
from nomoledger.game.withheld_addresses import refuse_addresses
from nomoledger.game.writer import Outcome
from nomoledger.state import disputes

if TYPE_CHECKING:
    from nomoledger.game.counterfactual import WhatIfChanges


class Game(GameReadings, SeedRequests, KeyRequests, WayOut, TakingBack):
    """One game in one ledger.

    Every request takes *at* (when it was received; now if None) and *id* (repeating a request
    under the same id is harmless). It returns an `Outcome`; a refusal by the rules is recorded.

    Raises:
        UsageError: the request makes no sense. UnknownError: it names something unknown.
        RuleFault: rule code failed. StoreError: the database failed.
    """

    def __repr__(self) -> str:
        """Show the name, the location, the open period and the number of events."""
        open_period = f"period {self.world.period}, {self.world.head + 1} events"
        return f"<Game {self.name!r} in {self.ledger.store.location}: {open_period}>"

    # --- players

    @idempotent
    def join(
        self,
        name: str,
        details: dict[str, Any] | None = None,
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Ask to join as *name*; *details* are what the rules want to know besides.

        Raises:
            UsageError: *name* is no name (`nomoledger.intake.chosen_names`), or looks like another.
        """
        name = free_name(self.world, name)
        self._check(check_arguments, "join", (), {"name": name, **(details or {})})
        return self.receive(e.JoinRequested, name=name, details=details or {}, at=at, id=id)

    @idempotent
    def leave(self, player: str, *, at: datetime | None = None, id: str | None = None) -> Outcome:
        """Ask that *player* leaves the game."""
        return self.receive(e.LeaveRequested, by=self.player(player), at=at, id=id)

    @idempotent
    def submit(
        self,
        player: str,
        action: str,
        arguments: dict[str, Any] | None = None,
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Ask for *action* with named *arguments*, on behalf of *player* (or "admin")."""
        player = self._player_or_admin(player)
        self._check(check_submission, player, action, arguments or {})
        fields: dict[str, Any] = {"by": player, "action": action, "arguments": arguments or {}}
        fields["audience"] = self._audience(player, action)
        return self.receive(e.SubmissionReceived, at=at, id=id, **fields)

    @idempotent
    def order(
        self,
        player: str,
        when: str,
        acts: tuple[e.Act, ...] = (),
        *,
        holds: str = "",
        answer: Any = None,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Record a standing order of *player*: *acts* (or an *answer*) as soon as *when* is true.

        The order lapses as soon as the statement *holds* is false.
        """
        player = self.player(player)
        if bool(acts) == (answer is not None):
            raise UsageError(
                "a standing order says what to ask for, or what to answer: one of them"
            )
        self.check_order(player, when, holds, acts)
        given: Any = {"by": player, "when": when, "holds": holds, "acts": acts, "answer": answer}
        return self.receive(e.OrderGiven, at=at, id=id, audience=(player,), **given)

    def check_order(self, player: str, when: str, holds: str, acts: tuple[e.Act, ...]) -> None:
        """Check a standing order of *player* before it is placed; see `order`.

        Raises:
            UsageError, UnknownError: a statement or an act makes no sense.
        """
        player = self.player(player)
        statements = tuple(filter(None, (when, holds)))
        self._check(refuse_sealed, statements)
        self._check(check_order, player, statements, acts)
        refuse_addresses(self.world, statements)

    @idempotent
    def cancel_order(
        self, player: str, order: str, *, at: datetime | None = None, id: str | None = None
    ) -> Outcome:
        """Cancel the standing order of *player* with the id *order*."""
        player = self.player(player)
        own = [key for key, (given, _) in self.world.orders.items() if given.by == player]
        if order not in own:
            known = ", ".join(own) or "none"
            raise UnknownError(f"{self.name}: {player} has no standing order {order!r}; {known}")
        fields: dict[str, Any] = {"withdrawn": order, "audience": (player,)}
        return self.receive(e.InputWithdrawn, at=at, id=id, **fields)

    # --- proposals

    @idempotent
    def propose(
        self,
        player: str,
        text: str,
        changes: tuple[Change, ...] = (),
        *,
        words_only: bool = False,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Propose *text* with *changes* to the rules, on behalf of *player* (or "admin").

        With *words_only*, the changes are left out, and the proposal says so.

        Raises:
            MisfitError: the changes do not fit the rules; nothing is recorded.
        """
        player = self._player_or_admin(player)
        changes = () if words_only else changes
        self.refuse_misfits(changes, "proposal")
        given: Any = {"by": player, "text": text, "changes": changes, "words_only": words_only}
        return self.receive(e.ProposalMade, at=at, id=id, **given)

    @idempotent
    def vote(
        self,
        player: str,
        proposal: int,
        choice: str,
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Vote *choice* on *proposal*, on behalf of *player* (or "admin")."""
        self._check_proposal(proposal)
        by = self._player_or_admin(player)
        fields = {"by": by, "proposal": proposal, "choice": choice}
        return self.receive(e.VoteCast, at=at, id=id, audience=self._audience(by, "vote"), **fields)

    @idempotent
    def judge(
        self, proposal: int, verdict: str, *, at: datetime | None = None, id: str | None = None
    ) -> Outcome:
        """Judge *proposal*: the admin's *verdict* is "accepted" or "rejected"."""
        self._check_proposal(proposal)
        if verdict not in ("accepted", "rejected"):
            raise UsageError(f"a verdict is accepted or rejected, not {verdict!r}")
        return self.receive(e.ProposalJudged, proposal=proposal, verdict=verdict, at=at, id=id)

    # --- questions

    @idempotent
    def enter_dice(
        self, values: list[Any], *, at: datetime | None = None, id: str | None = None
    ) -> Outcome:
        """Enter real dice, or another draw made by hand, for the open question."""
        question = self.waiting("dice", "draw")
        check_draw(self.world, question, values)
        fields = {"values": tuple(values), **_reply_to(question)}
        return self.receive(e.DrawEntered, at=at, id=id, **fields)

    @idempotent
    def answer(
        self,
        value: Any,
        by: str = "admin",
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Answer the open question with *value*, as the player who is asked or the admin."""
        question = self.waiting("choice")
        if by not in ("admin", question.to):
            raise UsageError(f"the question is put to {question.to}, not to {by}")
        check_answer(self.world, question, value)
        fields = {"value": value, "by": by, **_reply_to(question)}
        return self.receive(e.ChoiceAnswered, at=at, id=id, **fields)

    @idempotent
    def answer_by_default(self, *, at: datetime | None = None, id: str | None = None) -> Outcome:
        """Answer the open question, as the admin, with the default that the rules state."""
        question = self.waiting("choice")
        if question.default is None:
            raise UsageError("the rules state no default for this question: give an answer")
        return self.answer(question.default, at=at, id=id)

    # --- rulings

    @idempotent
    def rule(
        self,
        text: str,
        *,
        value: Any = None,
        changes: tuple[Change, ...] = (),
        cites: tuple[str, ...] = (),
        basis: str = "ruling",
        urgent: bool = False,
        scope: str = "attempt",
        closes: int | None = None,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Rule: with *value*, answer the open question; otherwise carry out *changes* from now on.

        An *urgent* correction of the rules goes before all that is due or on the agenda. *closes*
        is the number of the dispute that the ruling settles.

        Raises:
            MisfitError: the changes do not fit the rules; nothing is recorded.
        """
        self.refuse_misfits(changes, "ruling")
        if closes is not None:
            disputes.find_open_dispute(self.world, closes)
        fields: dict[str, Any] = {"text": text, "cites": cites, "basis": basis}
        fields |= {"scope": scope, "closes": closes, "at": at, "id": id}
        if value is None:
            return self._correct(fields | {"kind": "correct", "changes": changes}, urgent)
        question = self.waiting("ruling", "conflict")
        check_answer(self.world, question, value)
        fields |= {"kind": "answer", "value": value, **_reply_to(question)}
        return self.receive(e.RulingMade, **fields)

    @idempotent
    def rule_on(
        self,
        kind: str,
        text: str,
        *,
        about: int | None = None,
        edits: tuple[e.Edit, ...] = (),
        overrules: tuple[int, ...] = (),
        settle: str | None = None,
        **fields: Any,
    ) -> Outcome:
        """Rule on recorded play; *kind* is "uphold", "ratify", "reject" or "replace".

        A ruling that reaches back settles the present: *settle* says how much ("all", "money" or
        "none"), and must be given where later play does not fit. To reject event *about* leaves it
        out. *fields* are the other fields of `RulingMade`, and *at* and *id*.
        """
        fields |= {"kind": kind, "text": text, "about": about, "overrules": overrules}
        if kind == "reject" and not edits and about is not None:
            edits = (e.LeftOut(about),)
        fields |= {"edits": edits, "settle": settle}
        effective = self.check_ruling(fields)
        if effective is None:
            audience = disputes.audience(self.world, fields.get("closes"))
            fields["audience"] = intersect(audience, self._audience_of(about))
            del fields["settle"]
            return self.receive(e.RulingMade, **fields)
        fields |= {"effective": effective, "settle": settle or "fitting"}
        fields["audience"] = ruling_validity.ruling_audience(self.history.entries(), edits)
        return self.receive(e.RulingMade, urgent=True, **fields)

    def _audience_of(self, number: int | None) -> Audience:
        """Return who may know of event *number*."""
        return None if number is None else self.history.entries()[number].body.audience

    def check_ruling(self, fields: dict[str, Any]) -> int | None:
        """Return the period that a ruling with *fields* reaches back to; None if it does not.

        Raises:
            UsageError, UnknownError: the ruling makes no sense.
        """
        self.catch_up()
        entries = self.history.entries()
        check_ruling_words(fields, entries)
        if fields.get("closes") is not None:
            disputes.find_open_dispute(self.world, fields["closes"])
        ruling_validity.check_ruling(self.world, entries, fields)
        return ruling_validity.first_changed_period(self.world, entries, fields)

    def _input(
        self, kind: type[e.Input], at: datetime | None, id: str, fields: dict[str, Any]
    ) -> e.Input:
        if fields.get("kind") in ruling_validity.ON_THE_PAST:
            self.check_ruling(fields)  # also against what others have ruled meanwhile
        elif kind is e.RulingMade:
            check_ruling_words(fields, self.history.entries())
        return super()._input(kind, at, id, fields)

    # --- disputes

    def dispute(
        self,
        by: str,
        text: str,
        *,
        period: int | None = None,
        about: int | None = None,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Open a dispute of *by* (a player, or "admin") about all of *period*, or event *about*.

        A replay of that period is attached to the dispute.
        """
        id = id or random.token_hex(6)
        opened = self.again(id)
        if opened is None:
            opened = self._open_dispute(by, text, period, about, at=at, id=id)
        else:
            given = {"by": by, "text": text, "period": period, "about": about, "at": at}
            check_repeated(self, opened, "dispute", given)
        dispute = opened.events[0]
        assert isinstance(dispute, e.DisputeOpened)
        fields: dict[str, Any] = {"dispute": dispute.number, "by": "engine"}
        fields["audience"] = dispute.audience
        # Imported late: evidence takes 0.1 s to import, and every request imports this module.
        from nomoledger.game.computed_evidence import replay_evidence

        fields |= replay_evidence(self.history, dispute.disputed, dispute.audience, self.limits)
        attached = self.again(f"{id}-replay")
        if attached is None:
            attached = self.receive(e.DisputeArgued, at=at, id=f"{id}-replay", **fields)
        return Outcome((*opened.events, *attached.events))

    def _open_dispute(
        self,
        by: str,
        text: str,
        period: int | None,
        about: int | None,
        *,
        at: datetime | None,
        id: str,
    ) -> Outcome:
        disputes.check_text(text)
        entries = self.history.entries()
        fields = disputes.new_dispute_fields(
            self.world, entries, self._player_or_admin(by), period, about
        )
        return self.receive(e.DisputeOpened, text=text, at=at, id=id, **fields)

    @idempotent
    def argue(
        self,
        dispute: int,
        by: str,
        text: str,
        changed: "WhatIfChanges | None" = None,
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Add *text* of *by* to an open *dispute*, with the what-if of what *changed*, if given.

        The what-if is computed from the events that everybody who sees the dispute may see.
        """
        by = self._player_or_admin(by)
        disputes.check_text(text)
        audience = disputes.find_open_dispute(self.world, dispute, by)["audience"]
        fields: dict[str, Any] = {"dispute": dispute, "by": by, "text": text}
        fields["audience"] = audience
        if changed is not None:
            from nomoledger.game.computed_evidence import what_if_evidence

            evidence = what_if_evidence(self.history, changed, audience, self.limits)
            fields["evidence"] = evidence
        return self.receive(e.DisputeArgued, at=at, id=id, **fields)

    @idempotent
    def close_dispute(
        self, dispute: int, text: str, *, cites: tuple[str, ...] = (), **fields: Any
    ) -> Outcome:
        """Close *dispute* by a ruling that leaves everything as it is."""
        about = disputes.find_open_dispute(self.world, dispute)["about"]
        if about is not None and ruling_validity.ruling_on_event(self.world, about) is not None:
            about, cites = None, (*cites, f"#{about}")
        fields |= {"closes": dispute, "cites": cites}
        return self.rule_on("uphold", text, about=about, **fields)

    @idempotent
    def set_finality(
        self, days: int, *, at: datetime | None = None, id: str | None = None
    ) -> Outcome:
        """Make standings final *days* after their close, if there is no dispute."""
        disputes.check_days(days)
        return self.receive(e.FinalitySet, days=days, at=at, id=id)

    # --- time

    @idempotent
    def close(self, *, at: datetime | None = None, id: str | None = None) -> Outcome:
        """Carry out what the open period still holds, and close the period."""
        return self.receive(e.CloseAsked, at=at, id=id)

    @idempotent
    def advance(self, *, at: datetime | None = None, id: str | None = None) -> Outcome:
        """Let time pass until *at*: timers that are due by then fire."""
        return self.receive(e.ClockAdvanced, at=at, id=id)

    # --- checks

    def player(self, name: str) -> str:
        """Return the player called *name*.

        Raises:
            UnknownError: there is no such player.
        """
        player = self.world.find("player", name)
        if player is None:
            players = ", ".join(self.world.kinds.get("player", ())) or "nobody"
            raise UnknownError(f"{self.name}: there is no player {name!r}; playing: {players}")
        return player

    def option_called(self, text: str, read: Callable[[str], Any] = str) -> Any:
        """Return the option of the open question that *text* names; if none, *text* as *read*."""
        from nomoledger.prose.choices import option_called
        from nomoledger.prose.teller import Teller

        self.catch_up()
        question = self.world.waiting
        option = None if question is None else option_called(Teller(self.world), question, text)
        return read(text) if option is None else option

    def _player_or_admin(self, name: str) -> str:
        return name if name == "admin" else self.player(name)

    def waiting(self, *asks: str) -> e.QuestionRaised:
        """Return the open question, which must ask for one of *asks*."""
        question = self.world.waiting
        if question is None:
            raise UsageError(f"{self.name}: no question is open")
        if question.asks not in asks:
            raise UsageError(
                f"{self.name}: what is open is a {question.asks} for {question.to}: {question.text}"
            )
        return question

    def _check(self, check: Callable[..., None], *arguments: Any) -> None:
        """Check a request by the rules, before it is recorded.

        Raises:
            UsageError, UnknownError: the request makes no sense.
        """
        try:
            self.engine.ask(check, *arguments, kind=None)
        except UsageError as error:
            raise type(error)(f"{self.name}: {error}") from None

    def _audience(self, player: str, action: str) -> Audience:
        """Return who may see that *player* asks for *action*: only the player, if it is secret."""
        return (player,) if any(action in rule.secret for rule in self.world.rules) else None

    def _check_proposal(self, number: int) -> None:
        if number not in self.world.proposals:
            raise UnknownError(f"{self.name}: there is no proposal {number}")


def _reply_to(question: e.QuestionRaised) -> dict[str, Any]:
    """Return the fields that an answer takes from its *question*: its address and audience."""
    return {"question": question.question, "audience": question.audience}
