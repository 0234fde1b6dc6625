"""Holds dice against what was published of their seeds, and draws against what the seeds give."""

from nomoledger import events as e
from nomoledger.engine import dice


class DiceAudit:
    """Takes events in order. With the game's *secret* sealed draws are checked, too.

    A draw of a period whose seed is not revealed yet is kept until it is.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret
        self._is_seeded = False
        self._commitment = ""
        self._open: list[e.DrawRecorded] = []
        self._seeds: dict[int, bytes] = {}

    def take(self, body: e.Event) -> str | None:
        """What is wrong with *body*, in words; None where nothing is."""
        if isinstance(body, e.GameOpened):
            self._is_seeded, self._commitment = body.dice == "seeded", body.commitment
        elif isinstance(body, e.DrawRecorded) and self._is_seeded:
            return self._drawn(body)
        elif isinstance(body, e.PeriodClosed):
            return self._closed(body)
        return None

    def _drawn(self, body: e.DrawRecorded) -> str | None:
        if not (body.sides or body.options):  # recorded before draws said from what they are
            return None
        if self._secret is not None:
            period = body.period if body.effective is None else body.effective
            seed = dice.seed_for(self._secret, period, body.audience)
            return None if fits(body, seed) else _told(body)
        if body.effective is None:
            self._open.append(body)
            return None
        revealed = self._seeds.get(body.effective)
        return None if revealed is None or fits(body, revealed) else _told(body)

    def _closed(self, body: e.PeriodClosed) -> str | None:
        if not body.seed:
            return None
        seed = bytes.fromhex(body.seed)
        if self._commitment and dice.commitment(seed) != self._commitment:
            return "the seed of its dice is not the one committed to when the period opened"
        self._commitment, self._seeds[body.period] = body.commitment, seed
        made, self._open = self._open, []
        wrong = next((each for each in made if not fits(each, seed)), None)
        return None if wrong is None else _told(wrong)


def fits(body: e.DrawRecorded, seed: bytes) -> bool:
    """Whether *seed* gives what was drawn."""
    if body.sides:
        return list(body.values) == dice.roll(seed, body.address, body.sides)
    return list(body.values) == [dice.draw(seed, body.address, body.options)]


def _told(body: e.DrawRecorded) -> str:
    drawn = ", ".join(map(str, body.values))
    return f"the draw {drawn} at {body.address} is not what the seed of its period gives"
