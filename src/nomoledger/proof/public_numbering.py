"""Public numbers: consecutive numbers of public things, so that nobody can count sealed ones."""

from array import array
from bisect import bisect_left

#: The public number of anything sealed.
SEALED = -1


class PublicNumbers:
    """The public numbers of the things of one kind, by their numbers in the ledger.

    Sealed things have none. Public things keep their order, except those moved by `place`. Memory
    grows with the number of sealed things only.

    Attributes:
        sealed: the ledger numbers of sealed things, in order.
        placed: the public numbers of things that were moved, by ledger number.
    """

    def __init__(self) -> None:
        """Begin with nothing sealed."""
        self.sealed = array("q")
        self.placed: dict[int, int] = {}

    @property
    def is_plain(self) -> bool:
        """Whether every public number so far equals the ledger number."""
        return not self.sealed and not self.placed

    def seal(self, number: int) -> None:
        """Mark *number*, the highest so far, as sealed."""
        self.sealed.append(number)

    def place(self, number: int, public: int) -> None:
        """Give *number* the public number *public*, even out of order."""
        if (number if self.is_plain else self.of(number)) != public:
            self.placed[number] = public

    def of(self, number: int) -> int:
        """Return the public number of *number*, or SEALED.

        >>> numbers = PublicNumbers(); numbers.seal(1)
        >>> [numbers.of(number) for number in range(4)]
        [0, -1, 1, 2]
        """
        if number in self.placed:
            return self.placed[number]
        before = bisect_left(self.sealed, number)
        is_sealed = before < len(self.sealed) and self.sealed[before] == number
        return SEALED if is_sealed else number - before
