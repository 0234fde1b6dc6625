"""Campaign: threads make requests of many games, while the servers of the ledger are lost.

python tests/campaigns/server_campaign.py --accidents 100

A primary is killed and its standby promoted; a primary is killed and started again; a standby is
killed or frozen for some time; and these at once. Every request that was acknowledged must be
recorded once, in games that verify and replay exactly.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from keeper_campaign import Campaign
from postgres_pair import PostgresPair

from nomoledger.errors import StoreError, UnconfirmedError
from nomoledger.game.keepers import Keepers
from nomoledger.ledger.ledger import Ledger

#: A request that fails is repeated after so many seconds, for at most so many.
PAUSE, PATIENCE = 0.2, 120
#: How long a standby is away at most; longer than anybody waits for it.
AWAY_MAX = 8


class ServerCampaign(Campaign):
    """The games are in a database with a standby; accidents happen to both servers."""

    def __init__(self, pair: PostgresPair, options: argparse.Namespace) -> None:
        super().__init__("", options)
        self.pair = pair
        self.longest = 0.0
        self.last = time.monotonic()

    def run(self) -> None:
        self.accidents: list[Callable[[], None]] = [
            self.lose_primary, self.restart_primary, self.lose_standby, self.freeze_standby,
            self.lose_primary_without_standby, self.restart_primary_without_standby,
        ]  # fmt: skip
        super().run()

    def request(self, keepers: Keepers, number: int, place: int, begin: float) -> None:
        """Make a request until it is acknowledged."""
        first = time.monotonic()
        game, id = self.games[number % len(self.games)], f"r{number}"
        while True:
            try:
                self.make(keepers, game, number, id)
                break
            except StoreError as error:
                self.seen[type(error).__name__] += 1
                if time.monotonic() - first > PATIENCE:
                    raise
                if not isinstance(error, UnconfirmedError):
                    time.sleep(PAUSE)
        self.took.append(time.monotonic() - first)
        self.acknowledged.append((game, id))
        now = time.monotonic()
        self.longest, self.last = max(self.longest, now - self.last), now

    def kill(self) -> None:
        """Let accidents happen until there were enough, one after the other."""
        try:
            for number in range(self.options.accidents):
                time.sleep(self.chance.uniform(0, 3))
                accident = self.accidents[number % len(self.accidents)]
                accident()
                self.seen[accident.__name__.replace("_", " ")] += 1
                self.check_acknowledged()
        finally:
            self.stop.set()

    def make_requests(self, keepers: Keepers, numbers: range) -> float:
        """Make requests until the accidents are over, whatever *numbers* there are."""
        begin, number = time.monotonic(), 1_000_000 * (numbers[0] + 1)
        while not self.stop.is_set():
            super().make_requests(keepers, range(number, number + self.options.threads * 5))
            number += self.options.threads * 5
        return time.monotonic() - begin

    def check(self) -> None:
        """Check that all accidents happened, and that the games are sound."""
        happened = sum(self.seen[each.__name__.replace("_", " ")] for each in self.accidents)
        assert happened == self.options.accidents, "the campaign itself failed"
        super().check()

    def check_acknowledged(self) -> None:
        """Check that the new primary has what was acknowledged by now; `check` looks closely."""
        acknowledged = list(self.acknowledged)
        with Ledger.open(self.location) as ledger:
            for game, id in acknowledged[-len(self.games) * 5 :]:
                assert ledger.find_input(game, id) is not None, f"{game}: lost {id}"

    # --- accidents

    def lose_primary(self) -> None:
        self.pair.primary.lose()
        time.sleep(self.chance.choice([0, self.chance.uniform(0, AWAY_MAX)]))
        self.pair.standby.promote()
        self.replace()

    def restart_primary(self) -> None:
        self.pair.primary.lose()
        time.sleep(self.chance.choice([0, self.chance.uniform(0, AWAY_MAX)]))
        self.pair.primary.start()
        self.pair.wait_for_standby()

    def lose_standby(self) -> None:
        self.pair.standby.lose()
        time.sleep(self.chance.uniform(0, AWAY_MAX))
        self.pair.standby.start()
        self.pair.wait_for_standby()

    def freeze_standby(self) -> None:
        self.pair.standby.freeze()
        time.sleep(self.chance.uniform(0, AWAY_MAX))
        self.pair.standby.freeze(thaw=True)
        self.pair.wait_for_standby()

    def lose_primary_without_standby(self) -> None:
        """What the primary recorded while the standby was frozen is lost; nobody was told of it."""
        self.pair.standby.freeze()
        time.sleep(self.chance.uniform(0, AWAY_MAX))
        self.pair.primary.lose()
        self.pair.standby.freeze(thaw=True)
        self.pair.standby.promote()
        self.replace()

    def restart_primary_without_standby(self) -> None:
        """What the primary recorded while the standby was frozen is seen again, and then lost."""
        self.pair.standby.freeze()
        time.sleep(self.chance.uniform(0, AWAY_MAX))
        self.pair.primary.lose()
        self.pair.primary.start()
        time.sleep(self.chance.uniform(0, 1))
        self.lose_primary_without_standby()

    def replace(self) -> None:
        """Make a new standby in place of the lost server."""
        time.sleep(self.chance.uniform(0, 1))
        self.pair.replace_lost()


def main() -> None:
    """Run the campaign that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--accidents", type=int, default=100)
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--threads", type=int, default=6)
    parser.add_argument("--rulebook", default="mail-opening")
    parser.add_argument("--seed", type=int, default=1)
    options: Any = parser.parse_args()
    pair = PostgresPair()
    options.store, options.requests, options.rate = pair.url("postgres"), 4, 0
    try:
        campaign = ServerCampaign(pair, options)
        campaign.run()
        print(f"  the longest time without an answer {campaign.longest:.1f} s")
    finally:
        pair.remove()


if __name__ == "__main__":
    main()
