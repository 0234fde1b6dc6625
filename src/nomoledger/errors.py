"""Every exception that nomoledger raises on purpose.

    NomoledgerError
    ├── UsageError            the request makes no sense
    │   ├── UnknownError      the request names a game, player, rule … that does not exist
    │   ├── MisfitError       the changes of a proposal or ruling do not fit the rules
    │   └── CarriedOutError   a request cannot be taken back, but a ruling may do so
    ├── RulebookError         a rulebook, proposal or case file is malformed
    ├── RuleFault             rule code failed: an error, or too many steps, too much memory or time
    ├── SandboxError          no sandbox and no keeper can be started on this machine
    ├── PoolError             the workers that share out the work keep dying, or are out of reach
    ├── StoreError            the database cannot be read or written
    │   ├── ConflictError     another writer appended first; retry on the new head
    │   ├── LostError         the connection to the database broke; repeating the request is safe
    │   ├── UnconfirmedError  recorded on the primary server, not yet on the standby; repeat it
    │   ├── MovedError        the game has moved: another place holds it now
    │   └── CorruptError      a record is altered, missing, inserted, swapped or unreadable
    └── RecordError           a hand-kept record or an export cannot be read

A request that the rules refuse is no exception: a refusal is a value (see
`nomoledger.events.AttemptRefused`). Messages are one line: what is wrong, where, and what to do.
"""


class NomoledgerError(Exception):
    """The base of all errors raised on purpose; its text is one line for the user."""

    def __str__(self) -> str:
        """Return the text on one line, whatever it quotes."""
        return " ".join(super().__str__().splitlines())


class UsageError(NomoledgerError):
    """The request makes no sense."""


class UnknownError(UsageError):
    """The request names something that does not exist."""


class MisfitError(UsageError):
    """Changes do not fit the rules, so nothing is recorded; *errors* says why, a line each."""

    def __init__(self, *errors: str) -> None:
        """Describe what is wrong in *errors*."""
        super().__init__("; ".join(errors))
        self.errors = errors


class CarriedOutError(UsageError):
    """A request cannot be taken back any more.

    *why* says so. *verb* and *words* are the command that corrects what it did, such as `ruling`
    and `'Taken back' --reject 17`; both are "" if there is none.
    """

    def __init__(self, why: str, verb: str = "", words: str = "") -> None:
        """Say *why* it cannot be taken back, and which command corrects what it did."""
        remedy = f": to correct what it did (nomoledger {verb} {words})" if verb else ""
        super().__init__(why + remedy)
        self.why = why
        self.verb = verb
        self.words = words


class RulebookError(NomoledgerError):
    """A rulebook, a rule of a proposal, or a case is malformed."""


class RuleFault(NomoledgerError):
    """Rule code failed; this is not an outcome of the game.

    *rule* is the number of the rule that was running, or None if it is unknown. *is_certain* says
    whether the same code fails in the same way each time; time and memory are not certain. *step*
    is the step of play that was under way in a sandbox (see `nomoledger.engine.steps`), or "".
    """

    def __init__(self, message: str, *, rule: str | None = None, is_certain: bool = False) -> None:
        """Describe the fault in *message*, and name the *rule*, if known."""
        super().__init__(message)
        self.rule = rule
        self.is_certain = is_certain
        self.step = ""

    def restated(self, message: str) -> "RuleFault":
        """Return the same fault with another *message*."""
        fault = RuleFault(message, rule=self.rule, is_certain=self.is_certain)
        fault.step = self.step
        return fault


class SandboxError(NomoledgerError):
    """No sandbox and no keeper can be started; rule code runs nowhere else."""


class PoolError(NomoledgerError):
    """Workers that share out work keep dying, or cannot be reached any more."""


class StoreError(NomoledgerError):
    """The database cannot be opened, read or written."""


class ConflictError(StoreError):
    """Another writer appended to this game first."""


class LostError(StoreError):
    """The connection to the database broke: a change under way is stored whole or not at all."""


class UnconfirmedError(StoreError):
    """A change is recorded on the primary server, but its standby has not confirmed that."""


class MovedError(StoreError):
    """The game has moved to another place: this one keeps its old records, and takes no more."""


class CorruptError(StoreError):
    """A stored record is not what was written."""


class RecordError(NomoledgerError):
    """A hand-kept record or an exported ledger cannot be read."""
