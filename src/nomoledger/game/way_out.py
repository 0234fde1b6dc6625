"""The way out: rulings that work whatever is in the ledger, and whether or not rules can be run."""

from datetime import datetime
from typing import Any

from nomoledger import events as e
from nomoledger.engine import voiding
from nomoledger.engine.settlement.audiences import intersect
from nomoledger.errors import RulebookError, RuleFault, UsageError
from nomoledger.game.repeated_requests import idempotent
from nomoledger.game.writer import GameWriter, Outcome
from nomoledger.state import disputes


class WayOut(GameWriter):
    """A game whose rules can be repealed, and in which anything can be void, whatever they do."""

    def _correct(self, fields: dict[str, Any], urgent: bool) -> Outcome:
        """Record a correction, as urgent if rule code fails before its turn comes.

        If the rules cannot even be linked, they are not.
        """
        number = self.world.game.get("rulings", 0)
        ways: tuple[dict[str, Any], ...]
        ways = ({"urgent": urgent}, {"urgent": True}, {"urgent": True, "unlinked": True})
        for way in ways:
            try:
                return self.receive(e.RulingMade, **way, **fields)
            except (RuleFault, RulebookError):
                if "unlinked" in way or self.world.game.get("rulings", 0) > number:
                    raise
        raise AssertionError("the last way returns or raises")

    @idempotent
    def void(
        self,
        text: str,
        items: tuple[str, ...] = (),
        *,
        cites: tuple[str, ...] = (),
        dispute: int | None = None,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Rule that *items* are void, because of *text*: they end, and no rule code runs.

        Each item is a kind and a name: `order ID`, `timer ID`, `question ADDRESS`, `request ID` (of
        one that waits) or `proposal N`. *dispute* is the number of a dispute that is void.

        Raises:
            UnknownError: there is no such item.
        """
        self.catch_up()
        audience = disputes.audience(self.world, dispute)
        if dispute is not None:
            disputes.find_open_dispute(self.world, dispute)
        for item in items:
            voiding.check_void(self.world, item)
            audience = intersect(audience, voiding.audience_of(self.world, item))
        if not items and dispute is None:
            raise UsageError("say what is void: an order, a timer, a question, a request …")
        fields: dict[str, Any] = {"kind": "void", "text": text, "voids": items, "cites": cites}
        fields |= {"closes": dispute, "audience": audience, "urgent": True}
        return self.receive(e.RulingMade, at=at, id=id, **fields)
