"""Every exception that nomoledger raises on purpose.

    NomoledgerError
    ├── UsageError            the caller asked for something that makes no sense
    │   └── UnknownError      it names a game, player, action, rule or file that is not there
    ├── RulebookError         a rulebook, proposal or case file is not well formed
    ├── RuleFault             rule code failed: raised, looped, or used up memory or time
    ├── StoreError            the database cannot be read or written
    │   ├── ConflictError     somebody else appended first; retry on the new head
    │   ├── LostError         the connection to the database broke; asking again is harmless
    │   └── CorruptError      a record is altered, missing, inserted, swapped or unreadable
    └── RecordError           a hand-kept record or an export cannot be read

The game saying no is not here: a refusal is a value (see `nomoledger.events.AttemptRefused`).
Messages are one line: what is wrong, where, and what to do about it.
"""


class NomoledgerError(Exception):
    """The base of all errors raised on purpose; its text is one line fit to show to a person."""


class UsageError(NomoledgerError):
    """The request makes no sense as it stands."""


class UnknownError(UsageError):
    """The request names something that does not exist."""


class RulebookError(NomoledgerError):
    """A rulebook, a proposal's rule or a case is not well formed."""


class RuleFault(NomoledgerError):
    """Rule code failed in a way that is no outcome of the game.

    *rule* is the number of the rule that was running, or None when it cannot be told.
    """

    def __init__(self, message: str, *, rule: str | None = None) -> None:
        super().__init__(message)
        self.rule = rule


class StoreError(NomoledgerError):
    """The database cannot be opened, read or written."""


class ConflictError(StoreError):
    """Another writer appended to this game first."""


class LostError(StoreError):
    """The connection to the database broke: a change under way is stored whole or not at all."""


class CorruptError(StoreError):
    """A stored record cannot be what was written."""


class RecordError(NomoledgerError):
    """A hand-kept record or an exported ledger cannot be read."""
