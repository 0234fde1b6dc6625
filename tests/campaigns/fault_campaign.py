"""Campaign: play random games on a store that fails at random, for many seeds.

python tests/campaigns/fault_campaign.py 4711              # this one seed
python tests/campaigns/fault_campaign.py --seeds 500       # seeds 0 to 499
python tests/campaigns/fault_campaign.py --seeds 50 --store postgresql://…
"""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults.simulation import simulated


def main() -> None:
    """Play the seeds asked for; stop at the first that fails, and name it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("seed", nargs="?", type=int)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--store", help="where ledgers are made; by default a new file per seed")
    options = parser.parse_args()
    seen: Counter[str] = Counter()
    for seed in range(options.seeds) if options.seed is None else [options.seed]:
        with tempfile.TemporaryDirectory() as folder:
            seen += simulated(seed, options.store or f"{folder}/game.db").seen
        print(f"seed {seed}: all holds")
    print(", ".join(f"{fault or 'no fault'} {count}" for fault, count in sorted(seen.items())))


if __name__ == "__main__":
    main()
