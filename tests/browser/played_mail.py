"""What the people of a game of `mail-opening` do on the pages, step by step."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from browser.served_ledger import ServedLedger, nomoledger

GAME = "mail-opening"
RENT = """- enact:
    number: X.1
    title: Rent
    prose: Whoever lands on the square of another pays its owner 25 dollars.
    parameters: {rent: 25}
    code: |
      def after_land(player, square):
          owner = get(square, "owner")
          if owner == None or owner == player:
              return
          asked = "Does %s pay rent for %s?" % (label(player), label(square))
          if ask(owner, asked, ["take the rent", "waive it"], "take the rent") == "take the rent":
              hand_over(player, owner, rent, "rent")
"""


def begun_in(folder: Path) -> Path:
    """Return the ledger of a new game of 16 squares in *folder*, with dice that people enter."""
    ledger = folder / "game.db"
    options = "--rulebook", "mail-opening", "--set", "squares=16", "--dice", "entered"
    nomoledger("init", ledger, *options)
    return ledger


def main_of(page: Page) -> Locator:
    """Return the main part of *page*."""
    return page.get_by_role("main")


def sees(page: Page, *texts: str) -> None:
    """Wait until *page* shows all *texts*."""
    for text in texts:
        expect(main_of(page)).to_contain_text(text)


def goes_to(page: Page, server: ServedLedger, place: str) -> None:
    """Let *page* show the page of the game at *place*, such as "play"."""
    page.goto(f"{server.address}/games/{GAME}/{place}")


def presses(page: Page, button: str) -> None:
    """Press the *button* of *page* that has exactly that label."""
    main_of(page).get_by_role("button", name=button, exact=True).first.click()


def brings_in(admin: Page, name: str) -> None:
    """Let the *admin* bring the player *name* into the game."""
    admin.get_by_role("navigation", name="Pages").get_by_role("link", name="People").click()
    admin.get_by_label("Name", exact=True).fill(name)
    admin.get_by_label("E-mail address (if").fill(f"{name.lower()}@example.org")
    presses(admin, "Join")
    sees(admin, name)


def proposes(player: Page, server: ServedLedger, text: str) -> None:
    """Let *player* propose something in words."""
    goes_to(player, server, "proposals/new")
    player.get_by_label("In words").fill(text)
    presses(player, "Propose it")
    expect(player.get_by_role("heading", level=1, name="Done")).to_be_visible()


def judges(admin: Page, server: ServedLedger, verdict: str) -> None:
    """Let the *admin* press the button *verdict* at the proposal that waits."""
    goes_to(admin, server, "admin")
    presses(admin, verdict)
    sees(admin, "Two dice of six sides")


def enters_dice(admin: Page, first: int, second: int, *, then: str) -> None:
    """Let the *admin* enter two dice, for which play waits, until the desk shows *then*."""
    admin.get_by_label("Die 1 of").fill(str(first))
    admin.get_by_label("Die 2 of").fill(str(second))
    presses(admin, "Enter the dice")
    sees(admin, then)


def closes(admin: Page, server: ServedLedger, period: int) -> None:
    """Let the *admin* close the *period* after a look at what the close would do."""
    goes_to(admin, server, "admin/close")
    sees(admin, "What would happen", "This was a trial. Nothing is recorded.")
    presses(admin, f"Close period {period}, and begin period {period + 1}")
    sees(admin, f"period {period + 1}")
