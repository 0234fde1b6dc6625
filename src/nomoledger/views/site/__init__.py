"""The published site: the public pages of a game, period by period."""

from pathlib import Path

from nomoledger.ledger.ledger import Ledger
from nomoledger.views.site.folder import put_in_place
from nomoledger.views.site.history_page import read_history_page
from nomoledger.views.site.pages import render_pages

__all__ = ["publish"]


def publish(ledger: Ledger, game: str, folder: str | Path) -> int:
    """Write the site of *game* to *folder* and return the number of its pages.

    The site holds public information only. It replaces an earlier site in *folder* as a whole.

    Raises:
        UsageError: *folder* holds something other than a site.
        UnknownError: The ledger has no such game.
    """
    pages = render_pages(read_history_page(ledger, game))
    put_in_place(Path(folder), pages)
    return sum(path.endswith(".html") for path in pages)
