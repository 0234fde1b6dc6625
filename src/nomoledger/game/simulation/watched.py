"""Programs whose rules are all noticed when they run."""

from nomoledger.language.program import Program


class WatchedProgram(Program):
    """A linked ruleset in which every operation reports to the host when it begins.

    Its results are those of the program in play, but it counts more operations against the limit of
    an attempt.
    """

    calls_plainly = False
