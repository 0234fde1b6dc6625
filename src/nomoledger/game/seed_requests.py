"""Requests about seeds of the players for the dice."""

from datetime import datetime

from nomoledger import events as e
from nomoledger.errors import UsageError
from nomoledger.game.repeated_requests import idempotent
from nomoledger.game.writer import GameWriter, Outcome
from nomoledger.state import player_seeds


class SeedRequests(GameWriter):
    """The requests by which players commit to seeds for the dice, and reveal them."""

    @idempotent
    def commit_seed(
        self,
        player: str,
        commitment: str,
        period: int | None = None,
        *,
        by_admin: bool = False,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Commit *player* to the seed whose SHA-256 is *commitment*, for the dice of *period*.

        *period* is the earliest that is possible if None. *by_admin* marks a seed that the admin
        chose on behalf of the player.

        Raises:
            UsageError: the game takes no such commitment.
        """
        self.catch_up()
        drawn_in = self.world.period + player_seeds.COMMITTED_BEFORE if period is None else period
        fields = {"by": player, "drawn_in": drawn_in, "commitment": commitment.lower()}
        body = self._input(e.SeedCommitted, at, "checked", {**fields, "by_admin": by_admin})
        assert isinstance(body, e.SeedCommitted)
        self._refuse(player_seeds.reason_against_commitment(self.world, body))
        return self.receive(e.SeedCommitted, at=at, id=id, by_admin=by_admin, **fields)

    @idempotent
    def reveal_seed(
        self,
        player: str,
        seed: str,
        period: int | None = None,
        *,
        at: datetime | None = None,
        id: str | None = None,
    ) -> Outcome:
        """Reveal the *seed* to which *player* committed for the dice of *period*.

        *period* is the next if None.

        Raises:
            UsageError: the seed does not fit the commitment, or it is not the time to reveal it.
        """
        self.catch_up()
        drawn_in = self.world.period + player_seeds.REVEALED_BEFORE if period is None else period
        fields = {"by": player, "drawn_in": drawn_in, "seed": seed}
        body = self._input(e.SeedRevealed, at, "checked", dict(fields))
        assert isinstance(body, e.SeedRevealed)
        self._refuse(player_seeds.reason_against_reveal(self.world, body))
        return self.receive(e.SeedRevealed, at=at, id=id, **fields)

    def _refuse(self, reason: str | None) -> None:
        if reason is not None:
            raise UsageError(f"{self.name}: {reason}")
