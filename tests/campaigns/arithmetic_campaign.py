"""Compare thousands of generated programs with and without the rewriting of numbers.

Run as `python tests/campaigns/arithmetic_campaign.py --programs 50000`. The result is committed in
`arithmetic.txt`. Each seed gives one program of whole numbers and one with decimals. With
`--level 2`, the rewriting of older games is used, whose mistakes the comparison finds.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from language.generated_programs import by_fractions, by_rule_code, generate

from nomoledger.events.levels import NEWEST


def main() -> int:
    """Run the campaign and print its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=5_000, help="how many seeds to try")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--level", type=int, default=NEWEST, help="the level of the rewriting")
    options = parser.parse_args()
    began = time.perf_counter()
    seeds = range(options.first, options.first + options.programs)
    for decimals in (False, True):
        wrong = [seed for seed in seeds if _differs(seed, decimals, options.level)]
        kind = "with decimals" if decimals else "of whole numbers"
        found = f"{len(wrong)} differ: seeds {wrong[:5]}" if wrong else "none differs"
        print(f"{len(seeds)} programs {kind}, seeds {seeds[0]} to {seeds[-1]}: {found}")
    print(f"level {options.level}, {time.perf_counter() - began:.0f} s")
    return 0


def _differs(seed: int, decimals: bool, level: int) -> bool:
    code, arguments = generate(seed, decimals=decimals)
    exact = by_fractions(code, arguments)
    plain = exact if decimals else by_rule_code(code, arguments, rewritten=False)
    return not plain == exact == _rewritten(code, arguments, level)


def _rewritten(code: str, arguments: tuple[Any, ...], level: int) -> Any:
    try:
        return by_rule_code(code, arguments, level=level)
    except Exception as error:  # whatever the interpreter says of wrong code
        return repr(error)


if __name__ == "__main__":
    sys.exit(main())
