"""Campaign: every rule, parameter, chapter and number of a rulebook is changed in mid-game.

python tests/campaigns/repeal_campaign.py
python tests/campaigns/repeal_campaign.py --rulebook origon --seeds 1 2 3

Each seed plays other games, so that the changes come at other moments. What is stuck is printed
as `rules check NAME --repeal` prints it. The exit code is 1 if anything is stuck.
"""

import argparse
import sys
import time

from nomoledger.game.simulation.repeal_testing import changes_of, find_stuck
from nomoledger.parallel import open_pool

RULEBOOKS = ("mail-opening", "origon", "nomopoly-iii", "weekly-vote", "mail")


def try_all(rulebook: str, seed: int) -> int:
    """Try all changes of *rulebook*, print the result, and return how many are stuck."""
    begin = time.monotonic()
    with open_pool() as pool:
        report = find_stuck(rulebook, changes_of(rulebook), seed=seed, pool=pool)
    print(f"{rulebook}, seed {seed}: {time.monotonic() - begin:.0f} s")
    for sort, tally in report.tallies().items():
        essential = f", essential: {', '.join(tally.essential)}" if tally.essential else ""
        print(f"  {sort} changed: {tally.playable} of {tally.tried} playable{essential}")
        for one in tally.stuck:
            print(f"    stuck after {one.change}: {one.reason}")
    sys.stdout.flush()
    return sum(len(tally.stuck) for tally in report.tallies().values())


def main() -> None:
    """Run the campaign that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rulebook", choices=RULEBOOKS, action="append")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    options = parser.parse_args()
    rulebooks = options.rulebook or RULEBOOKS
    stuck = sum(try_all(name, seed) for name in rulebooks for seed in options.seeds)
    sys.exit(int(stuck > 0))


if __name__ == "__main__":
    main()
