"""What can be read of a game: replays, what-ifs, explanations, standings, the published site."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nomoledger.errors import UsageError
from nomoledger.game.plugins import load_plugin, plugins
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.sandbox.limits import Limits

if TYPE_CHECKING:
    from nomoledger.events.rules import Change
    from nomoledger.game.bisection.search import TurningPoint
    from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
    from nomoledger.game.explanation.account_statement import AccountStatement
    from nomoledger.game.explanation.causes import ExplainedValue, Explanation
    from nomoledger.game.explanation.rule_values import Computed
    from nomoledger.game.explanation.why_not import Absence
    from nomoledger.game.proposal_check import ProposalCheck
    from nomoledger.game.proposal_view import Proposal
    from nomoledger.game.read_models import ReadModel
    from nomoledger.game.replay import Report
    from nomoledger.rulebook.rules_file_check import RulesFileCheck

#: For how many seconds a proposal is tried with the cases of the rulebook.
CASES_SECONDS = 20.0
#: Entry points that publish a game into a folder: function(ledger, game, folder) -> pages.
PUBLISHERS = "nomoledger.publishers"


class GameReadings:
    """The readings of one game. Nothing here changes the ledger.

    Modules are imported where they are used: a program that only plays does not pay for them.

    Attributes:
        ledger, name: the ledger, and the name of the game in it.
        history: the recorded events, each decoded at most once.
        limits: what the sandbox may use.
    """

    ledger: Ledger
    name: str
    history: History
    limits: Limits | None

    def replay(self, period: int | None = None, *, from_start: bool = False) -> "Report":
        """Replay *period* (the open one where None) under its own rules, and compare.

        Raises:
            UnknownError: that period has not begun.
            RuleFault: rule code failed.
        """
        from nomoledger.game.replay import replay

        options: dict[str, Any] = {"limits": self.limits, "history": self.history}
        return replay(self.ledger, self.name, period, from_start=from_start, **options)

    def what_if(self, changes: "WhatIfChanges", *, throwaway: bytes | None = None) -> "WhatIf":
        """Run the game again with *changes*, and compare with what is recorded.

        New dice of the open period come from the seed *throwaway*, if there is one.

        Raises:
            UnknownError: a period, event or ruling does not exist.
            UsageError: an edit does not fit its event.
        """
        from nomoledger.game.counterfactual import what_if

        options: dict[str, Any] = {"limits": self.limits, "history": self.history}
        return what_if(self.ledger, self.name, changes, throwaway=throwaway, **options)

    def check_proposal(
        self,
        changes: tuple["Change", ...],
        *,
        with_what_if: bool = False,
        seconds: float = CASES_SECONDS,
        done: Callable[[int], Any] = lambda count: None,
    ) -> "ProposalCheck":
        """Return what *changes* would do to the rules, if they were proposed and adopted now.

        The cases that were copied when the game opened are tried for at most *seconds*; *done* is
        called after each. *with_what_if* also runs the last closed period again with the changes.
        """
        from nomoledger.game.proposal_check import check_proposal

        options: dict[str, Any] = {"seconds": seconds, "with_what_if": with_what_if}
        return check_proposal(self.history, changes, self.limits, done=done, **options)

    def check_rules_file(
        self,
        file: str | Path,
        *,
        seconds: float = CASES_SECONDS,
        done: Callable[[int], Any] = lambda count: None,
    ) -> "RulesFileCheck":
        """Return what the rules of *file* (Markdown), or its changes (YAML), would do to the rules.

        They are tried on the game as it stands, as a record brings them in. Nothing is recorded.
        The cases that were copied when the game opened are tried for at most *seconds*; *done* is
        called after each.

        Raises:
            UnknownError, UsageError: there is no such file.
        """
        from nomoledger.game.rules_file_trial import check_file

        return check_file(self.history, str(file), self.limits, seconds=seconds, done=done)

    def proposal(self, number: int, *, reader: str | None = "admin") -> "Proposal":
        """Return proposal *number* as *reader* (a player, "admin", or None for all) may see it.

        Raises:
            UnknownError: there is no such proposal, or no such player.
        """
        from nomoledger.game.proposal_view import show_proposal

        return show_proposal(self.history, number, reader, self.limits)

    def event_number(self, text: str) -> int:
        """Return the number in the ledger of the event that *text* names, such as `public:264`.

        `nomoledger.game.event_numbers` lists the numberings that *text* can use.

        Raises:
            UsageError: *text* is not written as the number of an event.
            UnknownError: there is no such event.
        """
        from nomoledger.game.event_numbers import find_event

        return find_event(self.history.entries(), text)

    def explain(
        self, subject: str | int, what: str | None = None, *, period: int | None = None
    ) -> "Explanation | ExplainedValue | AccountStatement | Computed":
        """Explain an event by its number, or *what* (an attribute, a commodity) of *subject*.

        Raises:
            UnknownError: there is no such event, thing or attribute.
            RuleFault: rule code failed when it was run again.
        """
        from nomoledger.game.explanation.account_statement import commodity_of, explain_account
        from nomoledger.game.explanation.causes import explain_event, explain_value
        from nomoledger.game.explanation.recorded_past import RecordedPast
        from nomoledger.game.explanation.rule_values import explain_computed, is_computed

        past = RecordedPast(self.ledger, self.name, period)
        if isinstance(subject, int):
            return explain_event(past, subject, self.limits)
        if what is None:
            raise UsageError(f"explain what of {subject}? name an attribute or a commodity")
        if past.world.rule(subject) is None:
            commodity = commodity_of(past, past.find(subject), what)
            if commodity is not None:
                return explain_account(past, subject, commodity)
            if is_computed(past, what):
                return explain_computed(past, subject, what)
        return explain_value(past, subject, what, limits=self.limits)

    def why_not(self, operation: str, about: str, *, period: int) -> "Absence":
        """Explain why *operation* did not happen to *about* (a player, or a square by number).

        Raises:
            UnknownError: no rule defines the operation, or the period has not begun.
            RuleFault: rule code failed when it was run again.
        """
        from nomoledger.game.explanation.why_not import why_not

        return why_not(self.ledger, self.name, operation, about, period, limits=self.limits)

    def bisect(self, statement: str, *, every: bool = False) -> "TurningPoint":
        """Find the event after which *statement* became true, at closes or after *every* attempt.

        Raises:
            UsageError: *statement* cannot be read, or names something the game never had.
        """
        from nomoledger.game.bisection.bisection import bisect

        return bisect(self.ledger, self.name, statement, every=every, limits=self.limits)

    def view(
        self,
        projection: str,
        *,
        period: int | None = None,
        known: int | None = None,
        reader: str | None = "admin",
    ) -> "ReadModel":
        """Return the read model that *projection* makes of the game.

        *period* is as of its close (now where None), as known at the close of period *known* (now
        where None). *reader* is a player, "admin", or None for the public.

        Raises:
            UnknownError: there is no such projection, period or player.
        """
        from nomoledger.game import read_models

        view = read_models.LedgerView(self.ledger, self.name, period, reader, known)
        return read_models.projection(projection)(view)

    def standings(self, *, period: int | None = None, known: int | None = None) -> "ReadModel":
        """Return the standings, as of the close of *period*, as known at the close of *known*."""
        return self.view("standings", period=period, known=known)

    def publish(self, folder: str | Path, *, publisher: str = "site") -> int:
        """Publish the game into *folder* as a static site, and return the number of pages.

        Raises:
            UsageError: *folder* holds something else, or there is no such *publisher*.
        """
        target = plugins(PUBLISHERS).get(publisher)
        if target is not None:
            pages: int = load_plugin(target)(self.ledger, self.name, folder).pages
            return pages
        raise UsageError(f"no publisher {publisher!r} is installed: install nomoledger anew")
