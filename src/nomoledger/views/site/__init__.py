"""The published site: a game as pages that anybody may read, week by week."""

from pathlib import Path

from nomoledger.ledger.ledger import Ledger
from nomoledger.views.site.folder import put_in_place
from nomoledger.views.site.history_page import gather
from nomoledger.views.site.pages import pages_of

__all__ = ["publish"]


def publish(ledger: Ledger, game: str, folder: str | Path) -> int:
    """Make *folder* the site of *game*, and say how many pages it has.

    Only what is public is on it. What was published there before is replaced as a whole.

    Raises:
        UsageError: *folder* holds something else. UnknownError: there is no such game.
    """
    pages = pages_of(gather(ledger, game))
    put_in_place(Path(folder), pages)
    return sum(path.endswith(".html") for path in pages)
