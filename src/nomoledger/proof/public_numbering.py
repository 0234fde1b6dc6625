"""Numbers without gaps for what is public, so that nobody can count what is sealed."""

from array import array
from bisect import bisect_left

#: Stands where something public speaks of something that is sealed.
SEALED = -1


class PublicNumbers:
    """The public number of each thing of one kind, by its number in the ledger.

    What is sealed has none; what is public keeps its order, but for those that `place` puts
    elsewhere. Memory grows with what is sealed, not with what is public.

    Attributes:
        sealed: what has no public number, in order. placed: those that stand elsewhere.
    """

    def __init__(self) -> None:
        self.sealed = array("q")
        self.placed: dict[int, int] = {}

    @property
    def is_plain(self) -> bool:
        """Whether every number so far is the same in public."""
        return not self.sealed and not self.placed

    def seal(self, number: int) -> None:
        """*number*, the highest so far, is not public."""
        self.sealed.append(number)

    def place(self, number: int, public: int) -> None:
        """*number* comes as *public*, which is noted where that is not its place in the order."""
        if self.of(number) != public:
            self.placed[number] = public

    def of(self, number: int) -> int:
        """The public number; SEALED where there is none.

        >>> numbers = Gapless(); numbers.seal(1)
        >>> [numbers.of(each) for each in range(4)]
        [0, -1, 1, 2]
        """
        if number in self.placed:
            return self.placed[number]
        before = bisect_left(self.sealed, number)
        is_sealed = before < len(self.sealed) and self.sealed[before] == number
        return SEALED if is_sealed else number - before
