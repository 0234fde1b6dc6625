"""The cases that pass under the rules of a game, and would fail under other rules."""

import re
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import msgspec

from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events.rules import Rule
from nomoledger.language.code import parse_code
from nomoledger.rulebook.cases import Case
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.loading import Rulebook
from nomoledger.rulebook.reach import failure_of
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.declared_rules import Ruleset


class CaseComparison(msgspec.Struct, frozen=True):
    """What came of the cases.

    Attributes:
        failing: why each case fails that passed before, with its file and line.
        tried: how many cases were tried.
        not_tried: how many were not, because time was up.
    """

    failing: tuple[str, ...] = ()
    tried: int = 0
    not_tried: int = 0


class _Step(msgspec.Struct):
    """A piece of the result: a case begins, or *has_ended* with *failure*.

    Attributes:
        total: how many cases there are.
        name: the name of the case, with its file and line.
    """

    total: int
    name: str
    has_ended: bool = False
    failure: str | None = None


def compare_cases(
    texts: Mapping[str, bytes],
    name: str,
    before: Ruleset,
    after: Ruleset,
    numbers: Collection[str],
    *,
    seconds: float,
    done: Callable[[int], Any] = lambda count: None,
) -> CaseComparison:
    """Try the cases in *texts* under the rules *after*, for at most *seconds*.

    *texts* are compressed YAML, by file; *name* is that of the rulebook. Cases that cite the rules
    *numbers*, or name what they define, come first. *done* is called after each case.

    Raises:
        RulebookError: the cases cannot be read.
    """
    until = time.monotonic() + seconds
    failing: list[str] = []
    tried = total = 0
    while texts:
        step = None
        pieces = stream_from_sandbox(_run, dict(texts), name, before, after, list(numbers), tried)
        try:
            for piece in pieces:
                step = msgspec.msgpack.decode(piece, type=_Step)
                total = step.total
                if step.has_ended:
                    tried += 1
                    failing += [] if step.failure is None else [step.failure]
                    done(1)
                if time.monotonic() >= until:
                    break
            break
        except RuleFault as fault:  # The case died of the changed rules; go on with the next one.
            if step is None:
                raise
            tried += 1
            failing.append(f"{step.name}: {fault}")
    return CaseComparison(tuple(failing), tried, total - tried)


# --- in the sandbox -----------------------------------------------------------------------------


def _run(
    texts: dict[str, bytes],
    name: str,
    before: Ruleset,
    after: Ruleset,
    numbers: list[str],
    skipped: int,
) -> Iterator[bytes]:
    """Yield a step before and after each case but the first *skipped*."""
    try:
        read = {file: zlib.decompress(text).decode() for file, text in texts.items()}
    except (zlib.error, UnicodeDecodeError) as error:
        raise RulebookError(f"the copied cases cannot be read: {error}") from None
    books = [Rulebook(name, rules.rules, game=rules) for rules in (before, after)]
    cases = in_order(parse_cases(read), numbers, (*before.rules, *after.rules))
    for case in cases[skipped:]:
        yield msgspec.msgpack.encode(_Step(len(cases), case.place))
        failure = _new_failure(case, *books)
        step = _Step(len(cases), case.place, has_ended=True, failure=failure)
        yield msgspec.msgpack.encode(step)


def _new_failure(case: Case, before: Rulebook, after: Rulebook) -> str | None:
    """Return why *case* fails under the rules *after*, if it passes under those *before*."""
    failure = failure_of(case, after)
    return failure if failure is None or failure_of(case, before) is None else None


def in_order(cases: list[Case], numbers: Collection[str], rules: tuple[Rule, ...]) -> list[Case]:
    """Return *cases*: those that cite rules *numbers*, those that name what they define, the rest.

    *rules* are all versions of the rules.
    """
    names = set(numbers)
    for rule in rules:
        if rule.number in numbers:
            names |= {hook.operation for hook in parse_code(rule).hooks} | set(rule.parameters)
    mention = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)")

    def rank(case: Case) -> int:
        if not names.isdisjoint(case.body.cites):
            return 0
        return 1 if names and mention.search(case.source) else 2

    return sorted(cases, key=rank)
