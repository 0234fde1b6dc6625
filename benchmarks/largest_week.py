"""How long the largest week of `mail` takes: `python benchmarks/largest_week.py [PLAYERS] [WEEKS]`.

Bots play a season of `mail`, the rulebook with the most rules, into a ledger on disk. The week with
the most events is then computed again from its inputs: by `replay`, as an admin would, and in this
process under a profiler, to see where the time goes. The alternative is to fold the recorded events
of that week without any rules, which is what a projection does.
"""

import cProfile
import pstats
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from nomoledger.game.period_start import period_start
from nomoledger.game.replay import _PeriodRun, replay
from nomoledger.game.simulation.season import Plan, simulate
from nomoledger.ledger.event_history import History
from nomoledger.ledger.ledger import Ledger
from nomoledger.state.reducer import apply

LIMIT = 15
#: What a function of Python belongs to, by a part of its file's path; the first that fits counts.
SHARES = {
    "/nomoledger/language/": "host of the rules: reads, changes, hooks",
    "/nomoledger/state/": "state: looking up, folding, taking back",
    "/nomoledger/engine/": "engine: attempts, dice, agenda",
    "/nomoledger/events/": "events",
}
RULES, REST = "rule code (Starlark), with what it calls natively", "the rest"


def main(players: int = 20, weeks: int = 30) -> None:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "season.db", create=True) as ledger,
    ):
        season = simulate(ledger, "mail", Plan(players=players, periods=weeks))
        counts = Counter(entry.body.period for entry in ledger.read(season.game))
        week, events = counts.most_common(1)[0]
        print(f"{players} players, {season.periods} weeks, {season.events} events")
        print(f"the largest week is {week}: {events} events")
        begin = time.perf_counter()
        report = replay(ledger, season.game, week)
        replayed = time.perf_counter() - begin
        folded = _fold(ledger, season.game, week)
        exact = "exactly" if report.exact else "NOT exactly"
        print(f"  replayed {exact}   {replayed:6.2f} s (at most {LIMIT} s on one core)")
        ratio = f"{replayed / folded:.0f} times less"
        print(f"  folded, without rules {folded * 1000:6.1f} ms, {ratio}")
        _print_shares(_profile(ledger, season.game, week))


def _fold(ledger: Ledger, game: str, week: int) -> float:
    start = period_start(History(ledger, game), week)
    begin = time.perf_counter()
    for body in start.bodies:
        apply(start.world, body)
    return time.perf_counter() - begin


def _profile(ledger: Ledger, game: str, week: int) -> pstats.Stats:
    history = History(ledger, game)
    start = period_start(history, week)
    engine = start.engine(history)
    engine.link(start.world.ruleset).compile(start.world)  # Linking has been done before a week.
    run = _PeriodRun(engine, start.first, start.bodies)
    profile = cProfile.Profile()
    profile.enable()
    for _ in run.run():
        pass
    profile.disable()
    return pstats.Stats(profile)


def _print_shares(stats: pstats.Stats) -> None:
    shares: Counter[str] = Counter()
    for (file, _, name), (_, _, own, _, callers) in stats.stats.items():  # type: ignore[attr-defined]
        if file == "~" and not _is_rule_code(name):  # A function in C counts for its callers.
            for (caller, _, _), (_, _, part, _) in callers.items():
                shares[_share_of(caller)] += part
        else:
            shares[RULES if _is_rule_code(name) else _share_of(file)] += own
    total = sum(shares.values())
    print("where the time goes, under a profiler:")
    for share, seconds in shares.most_common():
        print(f"  {seconds / total:4.0%}  {share}")


def _is_rule_code(name: str) -> bool:
    return "starlark" in name or "FrozenModule" in name


def _share_of(file: str) -> str:
    return next((share for part, share in SHARES.items() if part in file), REST)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
