"""Programs whose rules are all noticed when they run."""

import starlark

from nomoledger.language.program import Program
from nomoledger.sandbox import inside


class WatchedProgram(Program):
    """A linked ruleset in which every operation reports to the host when it begins.

    Its results are those of the program in play. To be compiled does not count as running.
    """

    calls_plainly = False

    def _compile(self) -> starlark.FrozenModule:
        before, inside.notice = inside.notice, lambda rule: None
        try:
            return super()._compile()
        finally:
            inside.notice = before
