"""The keys by which programs name their requests, so that a repeated request is made once.

A program chooses a key (the header `Idempotency-Key` of draft-ietf-httpapi-idempotency-key-header).
The ledger gets an id that is made from the game, the reader and the key: nobody can name, or ask
about, the request of somebody else.
"""

import hashlib
import time

from nomoledger.errors import UsageError
from nomoledger.people.database import PeopleDatabase

#: What the ids of such requests begin with. Forms cannot have such ids.
API_PREFIX = "api-"
#: How many characters a key may have.
KEY_MAX = 255


class ReusedKeyError(UsageError):
    """The key is that of another request."""


class RequestKeys:
    """What was asked for under which key, kept in *database*."""

    def __init__(self, database: PeopleDatabase) -> None:
        """Keep keys in *database*."""
        self._database = database

    def claim(self, game: str, reader: str, key: str, asked: bytes) -> str:
        """Return the id in the ledger of the request *asked* of *reader* in *game* under *key*.

        Raises:
            ReusedKeyError: something else was asked for under that key.
        """
        id = API_PREFIX + _hash(game, reader, key)[:32]
        fingerprint = hashlib.sha256(asked).hexdigest()
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO request_keys VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (id, fingerprint, int(time.time())),
            )
            known = connection.execute(
                "SELECT fingerprint FROM request_keys WHERE id = ?", (id,)
            ).fetchone()[0]
        if known != fingerprint:
            raise ReusedKeyError("another request was made under this key: choose a new key")
        return id


def _hash(*parts: str) -> str:
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256("\n".join((lengths, *parts)).encode()).hexdigest()
