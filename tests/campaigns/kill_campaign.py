"""Campaign: commands are killed at random moments, and must leave the old state or the new one.

python tests/campaigns/kill_campaign.py --kills 60                  # 60 trials of each command
python tests/campaigns/kill_campaign.py --kills 20 --postgres       # on PostgreSQL
python tests/campaigns/kill_campaign.py --command copy --seed 7     # one trial again

Each trial kills a command once or twice (SIGKILL) at moments within the time that the command
takes. After each kill the ledger must be as before or as after the command, and `verify` must be
content; then the same command must succeed, or say in one line that it was carried out.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from command_kills import COMMANDS, ON_POSTGRES, Trials
from postgres_server import PostgresServer


def tried(trials: Trials, name: str, seeds: range, *, on_postgres: bool) -> int:
    """Kill the command *name* once per seed, print what was left, and return the failures."""
    counts: Counter[str] = Counter()
    begun = time.monotonic()
    where = "postgres" if on_postgres else "sqlite"
    for seed in seeds:
        try:
            chance = random.Random(f"{name} {where} {seed}")
            counts[trials.kill(name, chance, on_postgres=on_postgres)] += 1
        except Exception as error:
            counts["failed"] += 1
            print(f"  {name} {where} {seed}: {error!r:.500}", flush=True)
    left = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    print(f"{name}, {where}: {left} ({time.monotonic() - begun:.0f} s)", flush=True)
    return counts["failed"]


def main() -> None:
    """Try what was asked for; exit with 1 if a trial failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1, help="trials of each command")
    parser.add_argument("--command", action="append", choices=COMMANDS, help="only this command")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--postgres", action="store_true", help="try PostgreSQL, not SQLite")
    options = parser.parse_args()
    names = options.command or (ON_POSTGRES if options.postgres else COMMANDS)
    server = PostgresServer() if options.postgres else None
    seeds = range(options.seed, options.seed + options.kills)
    with tempfile.TemporaryDirectory() as folder:
        trials = Trials(Path(folder), server)
        try:
            failed = sum(tried(trials, x, seeds, on_postgres=options.postgres) for x in names)
        finally:
            trials.close()
            if server is not None:
                server.remove()
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
