"""Counts of what people do that all servers of a ledger in PostgreSQL share.

The table `allowances` is no part of the journal of the database: a crash or a fail-over may empty
it, and nobody waits for the disk or the standby. Times are those of the database server.
"""

import hashlib
import time

from nomoledger.people.database import PeopleDatabase

#: How often the allowances that are whole again are forgotten, in seconds.
_FORGET_SECONDS = 60.0
_NOW = "extract(epoch FROM statement_timestamp())"
#: For how long the allowance would be used up after one more use, in seconds.
_AFTER = f"greatest(allowances.whole, {_NOW}) - {_NOW} + ?"
_TAKE = f"""INSERT INTO allowances VALUES (?, {_NOW} + ?) ON CONFLICT (key) DO UPDATE
    SET whole = {_NOW} + {_AFTER} WHERE {_AFTER} <= ? RETURNING key"""
_WAIT = f"SELECT ceil({_AFTER} - ?) FROM allowances WHERE key = ?"
#: Rounding makes nobody wait.
_ROUNDING = 1e-6


class SharedCounts:
    """Counts in *database*, which is PostgreSQL. Several threads may use them.

    Each key has one number: when its allowance is whole again (the generic cell rate algorithm of
    ITU-T I.371). A statement looks at the number and changes it, so that of two servers that count
    at once, the second sees the count of the first.
    """

    def __init__(self, database: PeopleDatabase) -> None:
        """Count in *database*."""
        self._database = database
        self._forgot = 0.0

    def take(self, key: str, times: int, seconds: float) -> int:
        """Count one use by *key*, and return 0; if it is one too many, after how many seconds.

        *times* are allowed at once, then one more whenever *seconds* / *times* have passed. What is
        refused does not count. Only a hash of *key* is stored, until its allowance is whole.
        """
        stored, step = hashlib.sha256(key.encode()).hexdigest(), seconds / times
        with self._database.unconfirmed() as connection:
            if time.monotonic() - self._forgot > _FORGET_SECONDS:
                self._forgot = time.monotonic()
                connection.execute(f"DELETE FROM allowances WHERE whole < {_NOW}")
            most = seconds + _ROUNDING
            taken = connection.execute(_TAKE, (stored, step, step, step, most)).fetchone()
            if taken is not None:
                return 0
            row = connection.execute(_WAIT, (step, seconds, stored)).fetchone()
        return 0 if row is None else max(1, int(row[0]))
