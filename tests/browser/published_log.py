"""The published log of a served game, which is published anew every few seconds."""

from playwright.sync_api import Page, expect

from browser.served_ledger import ServedLedger


def open_log_with(server: ServedLedger, game: str, reader: Page, text: str) -> None:
    """Open the log of the first period again and again, until it has *text*."""
    for _ in range(120):
        reader.goto(f"{server.address}/games/{game}/site/period-1/log.html")
        if text in reader.locator("main").inner_text():
            return
        reader.wait_for_timeout(1000)
    expect(reader.locator("main")).to_contain_text(text)
