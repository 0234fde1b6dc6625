"""Limits of a sandbox, which protect the machine: they never decide an outcome of the game."""

import msgspec


class Limits(msgspec.Struct, frozen=True):
    """What a sandbox may use: memory beyond what it starts with, and time for each piece of work.

    Attributes:
        memory_bytes: the memory for all work of one sandbox.
        cpu_seconds: the processor time until the next piece of a result.
        wall_seconds: the time until the next piece of a result.
    """

    memory_bytes: int = 768 << 20
    cpu_seconds: float = 10.0
    wall_seconds: float = 30.0
