"""Rules linked so that each of them is noticed whenever it acts."""

from collections import OrderedDict

import msgspec

from nomoledger.rules.link import Links, fingerprint
from nomoledger.rules.program import Program
from nomoledger.rules.rule import Rule

#: How many rulesets are kept linked at a time.
PROGRAMS_MAX = 4


class WatchedProgram(Program):
    """A ruleset in which no operation is plain: each tells the host that it begins.

    It does what the program in play does, and counts more operations against the limit of an
    attempt.
    """

    def _surveyed(self, rules: tuple[Rule, ...]) -> Links:
        return msgspec.structs.replace(super()._surveyed(rules), plain=frozenset())


class Watched:
    """Links rules so that they are noticed, and keeps the latest. For `Engine(link=…)`."""

    def __init__(self) -> None:
        self._programs: OrderedDict[str, WatchedProgram] = OrderedDict()

    def link(self, rules: tuple[Rule, ...]) -> Program:
        """The watched program of *rules*."""
        recent = next(reversed(self._programs.values()), None)
        if recent is not None and recent.rules is rules:
            return recent
        key = fingerprint(rules)
        program = self._programs.pop(key, None) or WatchedProgram(rules)
        program.rules = rules
        self._programs[key] = program
        while len(self._programs) > PROGRAMS_MAX:
            _, oldest = self._programs.popitem(last=False)
            oldest.let_go()
        return program
