"""The audit of a league: every game is verified, and all its periods are replayed."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from nomoledger.errors import NomoledgerError
from nomoledger.game.ledger_audit import AuditedPeriod, RecordedPeriod, audit_period
from nomoledger.ledger.as_of import world_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.ledger.stores.last_audit import LastAudit
from nomoledger.ledger.stores.location import safe_location
from nomoledger.parallel import Pool


class RecordedGame(msgspec.Struct, frozen=True):
    """A *game* in the *ledger* at a location, all of whose records are verified."""

    ledger: str
    game: str


class AuditedGame(msgspec.Struct, kw_only=True):
    """What the audit of a game found.

    Attributes:
        ledger: the location of the ledger, without a password.
        game: the name of the game; None if the ledger cannot be read.
        events: the number of events audited.
        periods: the number of periods replayed.
        compared: how many consequences or facts were compared.
        findings: the periods with findings.
        error: why the game is not as written, or cannot be read; None if it is and can.
        unkept: why the result could not be kept with the game; None if it is kept.
    """

    ledger: str
    game: str | None = None
    events: int = 0
    periods: int = 0
    compared: int = 0
    findings: list[int] = []
    error: str | None = None
    unkept: str | None = None

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return self.error is None and not self.findings

    def add(self, result: "str | AuditedPeriod | None") -> None:
        """Add the *result* of one task: what a replay found, or what is wrong with the records."""
        if not isinstance(result, AuditedPeriod):
            self.error = result or self.error
            return
        self.periods += 1
        self.compared += 0 if result.report is None else result.report.compared
        if not result.is_clean:
            self.findings = sorted([*self.findings, result.of.period])
        self.error = self.error or result.error


_Task = RecordedGame | RecordedPeriod


def audit_games(
    locations: Iterable[str], pool: Pool, *, dry_run: bool = False
) -> Iterator[AuditedGame]:
    """Audit all games at *locations* on the workers of *pool*; yield each when it is done.

    The workers open the ledgers themselves, so each must be able to reach them. Unless *dry_run*,
    the result is kept beside the game.
    """
    tasks: list[_Task] = []
    audited: dict[tuple[str, str], AuditedGame] = {}
    for location in locations:
        yield from _games_at(location, audited, tasks)
    left = Counter((task.ledger, task.game) for task in tasks)
    for place, result in pool.map(_auditor, (), tasks):
        key = tasks[place].ledger, tasks[place].game
        audited[key].add(result)
        left[key] -= 1
        if not left[key]:
            if not dry_run:
                _keep(*key, audited[key])
            yield audited[key]


def _games_at(
    location: str, audited: dict[tuple[str, str], AuditedGame], tasks: list[_Task]
) -> Iterator[AuditedGame]:
    """Add the games at *location* to *audited*, and their *tasks*; yield what cannot be read."""
    shown = safe_location(location)
    try:
        with Ledger.open(location) as ledger:
            for game in [*ledger.games(), *ledger.unlisted()]:
                result = AuditedGame(ledger=shown, game=game)
                audited[location, game] = result
                tasks.append(RecordedGame(location, game))
                try:
                    world = world_of(ledger, game)
                except Exception as error:  # the records may hold anything
                    result.error = str(error) or repr(error)
                    continue
                result.events = world.head + 1
                periods = range(1, world.period + 1)
                tasks += [RecordedPeriod(location, game, period) for period in periods]
    except (NomoledgerError, OSError) as error:
        yield AuditedGame(ledger=shown, error=str(error))


def _auditor() -> Callable[[_Task], "str | AuditedPeriod | None"]:
    return _audit


def _audit(task: _Task) -> "str | AuditedPeriod | None":
    if isinstance(task, RecordedPeriod):
        return audit_period(task)
    try:
        with Ledger.open(task.ledger) as ledger:
            verdict = ledger.verify(task.game)
    except NomoledgerError as error:
        return str(error)
    return None if verdict.ok else f"not as written: {verdict.detail}"


def _keep(location: str, game: str, result: AuditedGame) -> None:
    """Keep the *result* beside the game, where a list of the league finds it."""
    audit = LastAudit(game, result.events - 1, datetime.now(UTC), result.is_sound)
    try:
        with Ledger.open(location) as ledger, ledger.side_tables(game) as writer:
            writer.set_audit(audit)
    except (NomoledgerError, OSError) as error:
        result.unkept = str(error)
