"""The names that people choose for themselves."""

import unicodedata
from collections.abc import Iterable

from nomoledger.errors import UsageError
from nomoledger.intake.characters import normal, unfit_in_name

NAME_CHARACTERS_MAX = 60
#: Words that mean something else wherever a name is written: in statements, on the command line.
RESERVED = {
    *("admin", "engine", "everybody", "game", "mint", "nobody", "public"),
    *("false", "no", "none", "null", "true", "yes"),
}


def new_name(text: str, what: str = "a player's name") -> str:
    r"""Return *text* as the name of somebody new: in normal form C, without spaces around it.

    *what* says in messages what the name is for.

    Raises:
        UsageError: nothing is left, the name is too long, holds a character that cannot be seen, or
            is a word that means something else.

    >>> new_name("  Zoe\u0308  ") == "Zo\u00eb"
    True
    """
    name = normal(text).strip()
    if not any(character.isalnum() for character in name):
        raise UsageError(f"{what} has a letter or a digit, and {text!r:.60} has none")
    if len(name) > NAME_CHARACTERS_MAX:
        raise UsageError(
            f"{what} has at most {NAME_CHARACTERS_MAX} characters, not {len(name)}: {name!r:.40}"
        )
    if unfit := unfit_in_name(name):
        raise UsageError(f"{what} cannot hold {unfit}: {name!r:.100}")
    if look(name) in RESERVED:
        raise UsageError(f"{what} cannot be {name!r}, which means something else: choose another")
    return name


def look(name: str) -> str:
    r"""Return what is left of *name* for a reader in a hurry: names with one look collide.

    Capital letters, spaces, and other forms of the same letters (full width, ligatures) make no
    difference (Unicode normal form KC with case folding).

    >>> look("Ann Lee") == look("\uff21NN  lee")
    True
    """
    if name.isascii():
        return "".join(name.casefold().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(c for c in folded if not c.isspace() and unicodedata.category(c) != "Cf")


def like(name: str, others: Iterable[str]) -> str | None:
    """Return the first of *others* that looks like *name*; None if there is none."""
    wanted = look(name)
    return next((other for other in others if look(other) == wanted), None)
