"""The audit of whole ledgers: every period of every game is replayed, each by itself."""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from nomoledger.errors import NomoledgerError, UnknownError
from nomoledger.game.replay import Report, replay
from nomoledger.ledger.as_of import check_not_all_elsewhere, world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.parallel import Pool


class RecordedPeriod(msgspec.Struct, frozen=True, order=True):
    """A period of a game in a ledger.

    Attributes:
        ledger: the location of the ledger.
        game: the name of the game.
        period: the number of the period.
    """

    ledger: str
    game: str
    period: int


class AuditedPeriod(msgspec.Struct, frozen=True):
    """What the replay of a period found.

    Attributes:
        of: the period.
        report: the result of the replay; None if there is none.
        error: why the period cannot be replayed; None if it was.
    """

    of: RecordedPeriod
    report: Report | None
    error: str | None = None

    @property
    def is_clean(self) -> bool:
        """Whether the period was replayed, and nothing is wrong with it."""
        return self.report is not None and self.report.is_clean


def periods_of(location: str, game: str | None = None) -> list[RecordedPeriod]:
    """Return the periods of the ledger at *location*, or of one *game* in it, with the open one.

    Raises:
        UnknownError: there is no such game.
        MovedError: the game, or all games of the ledger, are elsewhere.
        StoreError: the ledger cannot be read.
    """
    with Ledger.open(location) as ledger:
        check_not_all_elsewhere(ledger)
        games = ledger.games() if game is None else [game]
        if not games:
            raise UnknownError(f"there is no game in {ledger.store.location}")
        return [
            RecordedPeriod(location, name, period)
            for name in games
            for period in range(1, world_of(ledger, name).period + 1)
        ]


def audit_periods(
    periods: Iterable[RecordedPeriod], pool: Pool
) -> Iterator[tuple[int, AuditedPeriod]]:
    """Replay *periods* on the workers of *pool*; yield each with its place, as they finish.

    The workers open the ledgers themselves, so each must be able to reach them.
    """
    return pool.map(_auditor, (), periods)


def _auditor() -> Callable[[RecordedPeriod], AuditedPeriod]:
    return audit_period


def audit_period(of: RecordedPeriod) -> AuditedPeriod:
    """Replay the period *of* a game."""
    try:
        with Ledger.open(of.ledger) as ledger:
            return AuditedPeriod(of, replay(ledger, of.game, of.period))
    except NomoledgerError as error:
        return AuditedPeriod(of, None, str(error))
