"""The audit of dice: seeds against their published commitments, draws against their seeds."""

from nomoledger import events as e
from nomoledger.engine import dice


class DiceAudit:
    """Checks events in order; with the game's *secret*, sealed draws too.

    Without the secret, a draw is checked when the seed of its period is revealed.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        """Begin before the first event."""
        self._secret = secret
        self._is_seeded = False
        self._commitment = ""
        self._open: list[e.DrawRecorded] = []
        self._seeds: dict[int, bytes] = {}

    def check(self, body: e.Event) -> str | None:
        """Return what is wrong with the dice of *body* in words, or None."""
        if isinstance(body, e.GameOpened):
            self._is_seeded, self._commitment = body.dice == "seeded", body.commitment
        elif isinstance(body, e.DrawRecorded) and self._is_seeded:
            return self._check_draw(body)
        elif isinstance(body, e.PeriodClosed):
            return self._check_close(body)
        return None

    def _check_draw(self, body: e.DrawRecorded) -> str | None:
        if not (body.sides or body.options):  # recorded before draws had sides or options
            return None
        if self._secret is not None:
            period = body.period if body.effective is None else body.effective
            seed = dice.seed_for(self._secret, period, body.audience)
            return None if follows_from_seed(body, seed) else _describe(body)
        if body.effective is None:
            self._open.append(body)
            return None
        revealed = self._seeds.get(body.effective)
        return None if revealed is None or follows_from_seed(body, revealed) else _describe(body)

    def _check_close(self, body: e.PeriodClosed) -> str | None:
        if not body.seed:
            return None
        seed = bytes.fromhex(body.seed)
        if self._commitment and dice.commitment(seed) != self._commitment:
            return "the seed of its dice does not fit the commitment from when the period opened"
        self._commitment, self._seeds[body.period] = body.commitment, seed
        draws, self._open = self._open, []
        wrong = next((draw for draw in draws if not follows_from_seed(draw, seed)), None)
        return None if wrong is None else _describe(wrong)


def follows_from_seed(body: e.DrawRecorded, seed: bytes) -> bool:
    """Return whether the draw of *body* follows from *seed*."""
    if body.sides:
        return list(body.values) == dice.roll(seed, body.address, body.sides)
    return list(body.values) == [dice.draw(seed, body.address, body.options)]


def _describe(body: e.DrawRecorded) -> str:
    drawn = ", ".join(map(str, body.values))
    return f"the draw {drawn} at {body.address} is not what the seed of its period gives"
