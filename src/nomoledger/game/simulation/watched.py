"""Rules linked so that each of them is noticed whenever it acts."""

from nomoledger.language.program import Program


class WatchedProgram(Program):
    """A ruleset in which no operation is plain: each tells the host that it begins.

    It does what the program in play does, and counts more operations against the limit of an
    attempt.
    """

    calls_plainly = False
