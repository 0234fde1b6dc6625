"""Campaign: play and check seasons of a rulebook by bots, for many seeds; print a line for each.

python tests/campaigns/season_campaign.py --seeds 45 46 47 >> weekly-vote-seasons.jsonl
"""

import argparse
import json
import subprocess
import sys
import tempfile

#: The fields of a line, by their names in the report of `nomoledger simulate --json`.
FIELDS = {"periods": "played", "events": "events", "requests": "asked", "refused": "refused",
          "ended": "ended", "silent": "silent"}  # fmt: skip


def season(
    rulebook: str, seed: int, periods: int, requests: int, players: int
) -> dict[str, object]:
    """Return the line of one season, which has been replayed in full."""
    with tempfile.TemporaryDirectory() as folder:
        words = f"simulate {folder}/sim.db --rulebook {rulebook} --players {players}"
        words += f" --periods {periods} --requests {requests} --seed {seed} --ends --check --json"
        code = "from nomoledger.cli import main; main()"
        command = [sys.executable, "-c", code, *words.split()]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    report = json.loads(done.stdout)
    plan = {"seed": seed, "players": players, "periods": periods, "requests": requests}
    return plan | {name: report[field] for field, name in FIELDS.items()}


def main() -> None:
    """Play the seeds asked for; stop at the first that fails."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rulebook", default="weekly-vote")
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--periods", type=int, default=2)
    parser.add_argument("--requests", type=int, default=8)
    parser.add_argument("--players", type=int, default=8)
    options = parser.parse_args()
    for seed in options.seeds:
        line = season(options.rulebook, seed, options.periods, options.requests, options.players)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
