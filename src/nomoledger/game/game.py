"""The admin's desk: what can be asked of a game; what makes no sense is turned down here.

How a request is carried out and stored is in `nomoledger.game.commit`.
"""

import secrets as random
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast

from nomoledger import events as e
from nomoledger.engine.settlement import ruling_validity
from nomoledger.engine.settlement.audiences import Audience, intersect
from nomoledger.engine.statements import Statement
from nomoledger.errors import RuleFault, UnknownError, UsageError
from nomoledger.game import evidence
from nomoledger.game.writer import GameWriter, Outcome
from nomoledger.language.host import Refused
from nomoledger.language.linker import analyze_rules
from nomoledger.language.program import link
from nomoledger.language.resolve import named_arguments
from nomoledger.state import disputes
from nomoledger.state.reducer import belongs_to_input

__all__ = ["Game", "Outcome"]

Request = TypeVar("Request", bound=Callable[..., Outcome])


def once(request: Request) -> Request:
    """A *request* that, asked for again with the same `id`, gives what came of it before.

    That comes first: what was asked for may make no sense any more.
    """

    @wraps(request)
    def asked(desk: "Game", *given: Any, **fields: Any) -> Outcome:
        before = desk.again(fields.get("id"))
        return request(desk, *given, **fields) if before is None else before

    return cast(Request, asked)


class Game(GameWriter):
    """One game in one ledger, and what can be asked of it.

    Every request takes `at` (when it was received; now where None) and `id` (a retry with the
    same one is harmless), and gives an `Outcome`. All of them raise UsageError for a request that
    makes no sense, RuleFault where rule code fails, and StoreError where the database does.
    """

    # --- requests

    @once
    def join(self, name: str, details: dict[str, Any] | None = None, **when: Any) -> Outcome:
        """Somebody asks to join as *name*."""
        self._check_arguments("join", (), {"name": name, **(details or {})})
        return self.receive(e.JoinRequested, name=name, details=details or {}, **when)

    @once
    def leave(self, player: str, **when: Any) -> Outcome:
        """*player* asks to leave."""
        return self.receive(e.LeaveRequested, by=self.player(player), **when)

    @once
    def submit(
        self, player: str, action: str, arguments: dict[str, Any] | None = None, **when: Any
    ) -> Outcome:
        """*player* (or "admin") asks for *action*."""
        player = self._player_or_admin(player)
        audience = self._check_action(player, action)
        self._check_arguments(action, (player,), arguments or {})
        fields: dict[str, Any] = {"by": player, "action": action, "arguments": arguments or {}}
        return self.receive(e.SubmissionReceived, audience=audience, **fields, **when)

    @once
    def propose(self, player: str, text: str, changes: tuple[Any, ...], **when: Any) -> Outcome:
        """*player* (or "admin", where the rules allow it) proposes *text*, with *changes*."""
        player = self._player_or_admin(player)
        return self.receive(e.ProposalMade, by=player, text=text, changes=changes, **when)

    @once
    def vote(self, player: str, proposal: int, choice: str, **when: Any) -> Outcome:
        """*player* (or "admin", where the rules allow it) votes on *proposal*."""
        self._check_proposal(proposal)
        by = self._player_or_admin(player)
        fields: dict[str, Any] = {"by": by, "proposal": proposal, "choice": choice}
        fields["audience"] = self._audience(by, "vote")
        return self.receive(e.VoteCast, **fields, **when)

    @once
    def judge(self, proposal: int, verdict: str, **when: Any) -> Outcome:
        """The admin's *verdict*, "accepted" or "rejected"."""
        self._check_proposal(proposal)
        if verdict not in ("accepted", "rejected"):
            raise UsageError(f"a verdict is accepted or rejected, not {verdict!r}")
        return self.receive(e.ProposalJudged, proposal=proposal, verdict=verdict, **when)

    @once
    def enter_dice(self, values: list[Any], **when: Any) -> Outcome:
        """Real dice (or another draw made by hand), for the question that waits for them."""
        question = self.waiting("dice", "draw")
        if question.asks == "dice":
            _check_dice(question, values)
        elif len(values) != 1 or values[0] not in question.options:
            raise UsageError(f"draw one of {_listed(question.options)}")
        fields = {"values": tuple(values), **_about(question)}
        return self.receive(e.DrawEntered, **fields, **when)

    @once
    def answer(self, value: Any, by: str = "admin", **when: Any) -> Outcome:
        """A player's answer to the question that waits for it."""
        question = self.waiting("choice")
        if by not in ("admin", question.to):
            raise UsageError(f"the question is put to {question.to}, not to {by}")
        _check_option(question, value)
        fields = {"value": value, "by": by, **_about(question)}
        return self.receive(e.ChoiceAnswered, **fields, **when)

    @once
    def rule(
        self,
        text: str,
        *,
        value: Any = None,
        changes: tuple[Any, ...] = (),
        cites: tuple[str, ...] = (),
        basis: str = "ruling",
        urgent: bool = False,
        scope: str = "attempt",
        closes: int | None = None,
        **when: Any,
    ) -> Outcome:
        """A ruling: with *value* the answer to what waits for one, else a correction.

        An *urgent* correction of the rules goes before all that is due or waiting.
        """
        if closes is not None:
            disputes.the_open(self.world, closes)
        fields: dict[str, Any] = {"text": text, "cites": cites, "basis": basis}
        fields |= {"scope": scope, "closes": closes}
        if value is None:
            fields |= {"kind": "correct", "changes": changes}
            return self._correct(fields | when, urgent)
        question = self.waiting("ruling", "conflict")
        _check_option(question, value)
        fields |= {"kind": "answer", "value": value, **_about(question)}
        return self.receive(e.RulingMade, **fields, **when)

    @once
    def order(
        self,
        player: str,
        when: str,
        acts: tuple[e.Act, ...] = (),
        *,
        holds: str = "",
        answer: Any = None,
        **times: Any,
    ) -> Outcome:
        """*player* says what to do (or to *answer*) once *when* is so, while it *holds*."""
        player = self.player(player)
        if bool(acts) == (answer is not None):
            raise UsageError(
                "a standing order says what to ask for, or what to answer: one of them"
            )
        for statement in filter(None, (when, holds)):
            Statement(statement).check_names(self.world, link(self.world.rules))
        for act in acts:
            self._check_action(player, act.action)
            self._check_arguments(act.action, (player,), act.arguments)
        fields: dict[str, Any] = {"by": player, "when": when, "holds": holds, "acts": acts}
        return self.receive(e.OrderGiven, answer=answer, audience=(player,), **fields, **times)

    @once
    def cancel_order(self, player: str, order: str, **when: Any) -> Outcome:
        """*player* takes back the standing order of that id."""
        player = self.player(player)
        mine = [each for each, (given, _) in self.world.orders.items() if given.by == player]
        if order not in mine:
            known = ", ".join(mine) or "none"
            raise UnknownError(f"{self.name}: {player} has no standing order {order!r}; {known}")
        return self.receive(e.InputWithdrawn, withdrawn=order, audience=(player,), **when)

    @once
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
        """A ruling of that *kind* on what is recorded: uphold, ratify, reject or replace.

        One that reaches back brings the present to what it would have been; *settle* says how much
        of it ("all", "money" or "none"), and has to be given where later play does not fit. To
        reject event *about* leaves it out.
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
        fields["audience"] = ruling_validity.audience(self.history.entries(), edits)
        return self.receive(e.RulingMade, urgent=True, **fields)

    def _audience_of(self, number: int | None) -> Audience:
        """Who may know of event *number*."""
        if number is None:
            return None
        return self.history.entries()[number].body.audience

    def check_ruling(self, fields: dict[str, Any]) -> int | None:
        """The period that a ruling with *fields* reaches back to, if it makes sense."""
        self.catch_up()
        entries = self.history.entries()
        if fields.get("closes") is not None:
            disputes.the_open(self.world, fields["closes"])
        ruling_validity.check(self.world, entries, fields)
        return ruling_validity.reaches_back(self.world, entries, fields)

    def _input(
        self, kind: type[e.Input], at: datetime | None, id: str, fields: dict[str, Any]
    ) -> e.Input:
        if (
            fields.get("kind") in ruling_validity.ON_THE_PAST
        ):  # also against what others ruled meanwhile
            self.check_ruling(fields)
        return super()._input(kind, at, id, fields)

    def dispute(
        self,
        by: str,
        text: str,
        *,
        period: int | None = None,
        about: int | None = None,
        id: str | None = None,
        **when: Any,
    ) -> Outcome:
        """*by* (a player, or "admin") disputes all of *period*, or event *about*.

        A replay of that period is attached to it.
        """
        id = id or random.token_hex(6)
        opened = self.again(id) or self._opened(by, text, period, about, id, when)
        made = opened.events[0]
        assert isinstance(made, e.DisputeOpened)
        fields: dict[str, Any] = {"dispute": made.number, "by": "engine"}
        fields["audience"] = made.audience
        fields |= evidence.replayed(self.history, made.disputed, self.limits)
        when["id"] = f"{id}-replay"
        attached = self.again(when["id"]) or self.receive(e.DisputeArgued, **fields, **when)
        return Outcome((*opened.events, *attached.events))

    def _opened(
        self,
        by: str,
        text: str,
        period: int | None,
        about: int | None,
        id: str,
        when: dict[str, Any],
    ) -> Outcome:
        disputes.check_words(text)
        entries = self.history.entries()
        fields = disputes.opening(self.world, entries, self._player_or_admin(by), period, about)
        return self.receive(e.DisputeOpened, text=text, id=id, **fields, **when)

    @once
    def argue(
        self, dispute: int, by: str, text: str, shown: dict[str, Any] | None = None, **when: Any
    ) -> Outcome:
        """*by* says *text* on an open *dispute*; *shown* is a what-if, as its JSON."""
        by = self._player_or_admin(by)
        disputes.check_words(text)
        audience = disputes.the_open(self.world, dispute, by)["audience"]
        fields: dict[str, Any] = {"dispute": dispute, "by": by, "text": text}
        fields |= {"evidence": shown or {}, "audience": audience}
        return self.receive(e.DisputeArgued, **fields, **when)

    @once
    def close_dispute(
        self, dispute: int, text: str, *, cites: tuple[str, ...] = (), **fields: Any
    ) -> Outcome:
        """The ruling that closes *dispute* and leaves everything as it is."""
        about = disputes.the_open(self.world, dispute)["about"]
        if about is not None and ruling_validity.on_event(self.world, about) is not None:
            about, cites = None, (*cites, f"#{about}")
        fields |= {"closes": dispute, "cites": cites}
        return self.rule_on("uphold", text, about=about, **fields)

    @once
    def set_finality(self, days: int, **when: Any) -> Outcome:
        """Standings turn final when *days* have gone by after their close without a dispute."""
        disputes.check_days(days)
        return self.receive(e.FinalitySet, days=days, **when)

    def _correct(self, fields: dict[str, Any], urgent: bool) -> Outcome:
        """A correction; ahead of everything else where rule code fails before its turn comes."""
        number = self.world.game.get("rulings", 0)
        try:
            return self.receive(e.RulingMade, urgent=urgent, **fields)
        except RuleFault:
            if self.world.game.get("rulings", 0) > number:
                raise
            return self.receive(e.RulingMade, urgent=True, **fields)

    @once
    def undo(self, **when: Any) -> Outcome:
        """Take back the last input, while it is not carried out and no die of it was seen."""
        entries = reversed(self.history.entries())
        last = next(entry.body for entry in entries if isinstance(entry.body, e.Input))
        attempts = [each.id for each in self.world.agenda if belongs_to_input(each.id, last.id)]
        if not attempts and last.id not in self.world.orders:
            raise UsageError(f"{self.name}: nothing to take back: the last input is carried out")
        if any(self.world.answers.get(attempt) for attempt in attempts):
            raise UsageError(f"{self.name}: too late to take it back: a die or an answer was seen")
        return self.receive(e.InputWithdrawn, withdrawn=last.id, audience=last.audience, **when)

    @once
    def close(self, **when: Any) -> Outcome:
        """Carry the period out and close it."""
        return self.receive(e.CloseAsked, **when)

    @once
    def advance(self, **when: Any) -> Outcome:
        """Time has come this far: what is due falls due."""
        return self.receive(e.ClockAdvanced, **when)

    # --- what is so

    def player(self, name: str) -> str:
        """*name*, if there is such a player; UnknownError where not."""
        found = self.world.find("player", name)
        if found is None:
            players = ", ".join(self.world.kinds.get("player", ())) or "nobody"
            raise UnknownError(f"{self.name}: there is no player {name!r}; playing: {players}")
        return found

    def _player_or_admin(self, name: str) -> str:
        return name if name == "admin" else self.player(name)

    def waiting(self, *asks: str) -> e.QuestionRaised:
        """The question that play waits for, which must ask for one of *asks*."""
        question = self.world.waiting
        if question is None:
            raise UsageError(f"{self.name}: no question is open")
        if question.asks not in asks:
            raise UsageError(
                f"{self.name}: what is open is a {question.asks} for {question.to}: {question.text}"
            )
        return question

    def _check_action(self, player: str, action: str) -> tuple[str, ...] | None:
        actions = analyze_rules(self.world.rules).operations
        if action not in actions or not actions[action].is_action:
            known = ", ".join(sorted(n for n, each in actions.items() if each.is_action))
            raise UnknownError(f"{self.name}: nobody can {action!r}; there is: {known}")
        return self._audience(player, action)

    def _audience(self, player: str, action: str) -> tuple[str, ...] | None:
        """Who sees that *player* asks for *action*: only he, where a rule says it is secret."""
        secret = any(action in rule.secret for rule in self.world.rules)
        return (player,) if secret else None

    def _check_arguments(
        self, operation: str, given: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        """Turn down what names nothing there is, unless what is still to come may bring it."""
        found = analyze_rules(self.world.rules).operations.get(operation)
        if self.world.agenda or found is None or not found.definitions:
            return
        try:
            named_arguments(self.world, found, given, named)
        except Refused as error:
            raise UsageError(f"{self.name}: {error.reasons[0].text}") from None

    def _check_proposal(self, number: int) -> None:
        if number not in self.world.proposals:
            raise UnknownError(f"{self.name}: there is no proposal {number}")


def _about(question: e.QuestionRaised) -> dict[str, Any]:
    """What an answer takes over from its *question*: its address, and who may see it."""
    return {"question": question.question, "audience": question.audience}


def _check_dice(question: e.QuestionRaised, values: list[Any]) -> None:
    sides = question.options
    fits = len(values) == len(sides) and all(
        isinstance(value, int) and 1 <= value <= most
        for value, most in zip(values, sides, strict=False)
    )
    if not fits:
        raise UsageError(f"{question.text}: {len(sides)} dice from 1 to {max(sides)} are needed")


def _check_option(question: e.QuestionRaised, value: Any) -> None:
    if question.options and value not in question.options:
        raise UsageError(f"{question.text}: answer one of {_listed(question.options)}")


def _listed(options: tuple[Any, ...]) -> str:
    return ", ".join(map(str, options))
