"""The names under which a database server lists the programs that serve a game."""

#: Kinds of programs: the process that owns a busy game, and the clock of a live game.
KEEPER, CLOCK = "keeper", "clock"
#: PostgreSQL cuts longer names off.
_LENGTH_MAX = 63


def program_name(kind: str, game: str) -> str:
    """Return the name of the program of this *kind* that serves *game*.

    >>> program_name(KEEPER, "chess")
    'nomoledger keeper of chess'
    """
    name = f"nomoledger {kind} of {game}".encode("ascii", "replace")
    return name[:_LENGTH_MAX].decode()
