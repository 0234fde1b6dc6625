"""Limits of a sandbox, which protect the machine: they never decide an outcome of the game."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """What a sandbox may use: memory beyond what it starts with, and time for each piece of work.

    Attributes:
        memory_bytes: the memory for all work of one sandbox.
        cpu_seconds: the processor time until the next piece of a result, or the next attempt.
        wall_seconds: the time until the next piece of a result, or the next attempt.
    """

    memory_bytes: int = 768 << 20
    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0


#: The limits where recorded play is computed again: more than play had for the same attempts, since
#: the machine may be slower or busier, or the attempts traced.
AGAIN = Limits(cpu_seconds=60.0, wall_seconds=180.0)
