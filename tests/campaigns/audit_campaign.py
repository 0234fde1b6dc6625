"""Campaign: records with one line removed, doubled, moved or altered at random, and audited.

python tests/campaigns/audit_campaign.py --each 100             # 100 alterations of each period
python tests/campaigns/audit_campaign.py --each 20 --show possible   # with those of this group

An alteration is *found* if the audit reports something that it does not report of the record as it
is. If it reports nothing, the alteration is *equivalent* if the period ends in the same state, and
*possible* if it ends in another one: the rules allow what the altered record says. A finding is
*early* if it stands on a line before the altered one, from which it cannot follow.

Then single dice, owners and squares are altered. Of those that are found, it is counted how often
`explained_if` names the fact as it was, names another fact that explains it as well, or names none.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from altered_records import GROUPS, HOWS, Alteration, AlteredPeriod, Finding, all_periods

RECORDS = ("weekly-vote-season", "origon-week1")


def main() -> int:
    """Run the campaign and print its result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=20, help="alterations of each period")
    parser.add_argument("--single", type=int, default=5, help="single facts of each period")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--show", default="", help="show the alterations of this group")
    options = parser.parse_args()
    began = time.perf_counter()
    counts, sizes, explained = (
        Counter[tuple[str, ...]](),
        Counter[int](),
        Counter[tuple[str, str]](),
    )
    for period in periods_of_records():
        for altered in period.alterations(options.seed + period.period, options.each):
            group, new = period.judge(altered)
            early = is_early(altered, new)
            counts[altered.how, group] += 1
            counts[altered.how, altered.kind, group] += 1
            counts["early",] += early
            sizes[len(new)] += 1
            if options.show in (group, "early" if early else "-"):
                print(f"{period.path.stem} {period.period}: {altered} [{group}]")
                print(*(f"    {each}" for each in new), sep="\n")
        for altered, was in period.single_facts(options.seed + period.period, options.single):
            explained[altered.kind, explanation(period, altered, was)] += 1
    print_counts(counts, sizes, explained)
    print(f"{time.perf_counter() - began:.0f} s")
    return 0


def is_early(altered: Alteration, new: list[Finding]) -> bool:
    """Return whether a finding stands before the altered line."""
    if altered.how == "moved":
        return False
    return any(each.line is not None and each.line < altered.line for each in new)


def explanation(period: AlteredPeriod, altered: Alteration, was: str) -> str:
    """Return what the first finding of an altered single fact says would explain it."""
    group, new = period.judge(altered)
    if group != "found" or not new:
        return group
    said = [each.explained_if for each in new if each.explained_if is not None]
    if was in said:
        return "as it was"
    return "another" if said else "none"


def periods_of_records() -> Iterator[AlteredPeriod]:
    """Yield the periods of all records."""
    with tempfile.TemporaryDirectory() as folder:
        for name in RECORDS:
            yield from all_periods(name, Path(folder))


def print_counts(
    counts: Counter[tuple[str, ...]],
    sizes: Counter[int],
    explained: Counter[tuple[str, str]],
) -> None:
    """Print what has been counted."""
    for how in HOWS:
        print(f"{how}:", ", ".join(f"{counts[how, group]} {group}" for group in GROUPS))
    for key, count in sorted(counts.items()):
        if len(key) == 3 and key[2] != "found":
            print(f"    {key[0]} {key[1]}: {count} {key[2]}")
    print(f"findings before the altered line: {counts['early',]}")
    print("findings of one alteration:", ", ".join(f"{n}: {c}" for n, c in sorted(sizes.items())))
    for (kind, said), count in sorted(explained.items()):
        print(f"altered {kind}, explained_if: {count} {said}")


if __name__ == "__main__":
    sys.exit(main())
