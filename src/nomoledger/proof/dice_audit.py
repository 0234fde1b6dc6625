"""The audit of dice: seeds against their commitments, draws against seeds and addresses."""

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.events.levels import LEVELS
from nomoledger.proof.draw_audit import AddressAudit, check_request
from nomoledger.proof.public_numbering import SEALED
from nomoledger.state.draws import is_of_ruling
from nomoledger.state.player_seeds import (
    mix_of,
    reason_against_commitment,
    reason_against_reveal,
)
from nomoledger.state.world import World

_SIDES_MAX = 10**9
_DICE_MAX = 1000
_HASH_DIGITS = 64
_NUMBER_DIGITS_MAX = 9


class DiceAudit:
    """Checks events in order; with the game's *secret*, sealed draws too.

    Without the secret, a draw is checked when the seed of its period is revealed.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        """Begin before the first event."""
        self._secret = secret
        self._is_seeded = False
        self._level = LEVELS[0]
        self._is_detailed = False
        self._is_start = False
        self._kind = ""
        self._commitments: dict[int, str] = {}
        self._open: list[e.DrawRecorded] = []
        self._seeds: dict[int, bytes] = {}
        self._addresses: AddressAudit | None = None

    def check(self, body: e.Event, world: World | None = None) -> str | None:
        """Return what is wrong with the dice of *body* in words, or None.

        *world* is the state before *body*: the public state if only public events are checked.
        Without it, the place of a draw in the game is not checked.
        """
        if isinstance(body, e.GameOpened):
            return self._check_opening(body)
        if not self._is_seeded:
            return None
        if isinstance(body, e.Input):
            self._is_start = isinstance(body, e.StateGiven)
        if isinstance(body, e.DrawRecorded):
            return self._check_draw(body, world)
        if isinstance(body, e.PeriodClosed):
            return self._check_close(body, world)
        if isinstance(body, e.SeedCommitted | e.SeedRevealed):
            return None if world is None else _check_players_seed(body, world)
        if self._addresses is not None:
            self._addresses.note(body)
        is_asked = isinstance(body, e.QuestionRaised) and body.asks in ("dice", "draw")
        if not self._level.draws_by_request and (is_asked or isinstance(body, e.DrawEntered)):
            return "dice are asked of people, or entered, in a game whose dice are drawn from seeds"
        return None

    # --- seeds

    def _check_opening(self, body: e.GameOpened) -> str | None:
        self._is_seeded, self._kind = body.dice in dice.SEEDED, body.dice
        self._level = LEVELS[body.level]
        self._is_detailed = body.level > 0
        self._addresses = None if self._level.draws_by_request else AddressAudit()
        if not self._is_seeded:
            return None
        first = dice.commitments_ahead(b"", body.period, body.dice).split(" ")
        given = [*body.commitment.split(" "), *first][: len(first)]
        given = given if body.commitment.count(" ") == len(first) - 1 else ["" for _ in first]
        if not (body.level or body.commitment):  # level 0 could be recorded without one
            self._commitments[body.period] = ""
            return None
        problems = (self._commit(each, period) for period, each in enumerate(given, body.period))
        problem = next((problem for problem in problems if problem is not None), None)
        if problem is not None or self._secret is None:
            return problem
        if dice.may_be_secret(self._secret, body.period, body.dice, body.commitment):
            return None
        return "the commitment to its dice does not derive from the secret: the secret is wrong"

    def _commit(self, commitment: str, period: int) -> str | None:
        self._commitments[period] = commitment
        if len(commitment) != _HASH_DIGITS:
            return f"the commitment to the seed of period {period} is missing"
        if commitment == dice.commitment(dice.period_seed(b"", period)):
            return f"the seed of period {period} derives from an empty secret, so anybody knows it"
        return None

    def _check_close(self, body: e.PeriodClosed, world: World | None) -> str | None:
        try:
            seed = bytes.fromhex(body.seed)
        except ValueError:
            seed = b""
        if len(seed) != dice.SEED_BYTES:
            return f"the seed of period {body.period} is missing: its dice cannot be checked"
        committed = self._commitments.pop(body.period, None)
        if committed is None or committed not in ("", dice.commitment(seed)):
            return "the seed of its dice does not fit the commitment from when the period opened"
        if self._secret is not None and seed != dice.period_seed(self._secret, body.period):
            return "the seed of its dice does not derive from the secret of the game"
        period = dice.committed_at_close(body.period, self._kind)
        if problem := self._commit(body.commitment, period):
            return problem
        mixed = dice.mixed(seed, _players_seeds(world, body.period))
        self._seeds[body.period] = mixed
        draws, self._open = self._open, []
        wrong = next((draw for draw in draws if not follows_from_seed(draw, mixed)), None)
        return None if wrong is None else _describe(wrong)

    # --- draws

    def _check_draw(self, body: e.DrawRecorded, world: World | None) -> str | None:
        if not (body.sides or body.options):
            if not self._is_detailed:  # recorded before draws had sides or options
                return None
            return f"the draw at {body.address} says neither its sides nor its options"
        self._is_detailed = True
        if not _is_possible(body):
            return f"the draw at {body.address} cannot have these values, sides and options"
        if self._is_start and body.options:  # nothing is drawn by chance while a state is set up
            is_first = list(body.values) == [body.options[0]]
            return None if is_first else f"the draw at {body.address} is not the first option"
        if world is not None and (problem := self._check_place(body, world)):
            return problem
        return self._check_values(body, world)

    def _check_place(self, body: e.DrawRecorded, world: World) -> str | None:
        if body.period != world.period:
            return f"the draw at {body.address} is not of the open period, {world.period}"
        if problem := _check_effective(body, world):
            return problem
        if self._addresses is not None:
            return self._addresses.check(body, world)
        return None if is_of_ruling(body) else check_request(body, world)

    def _check_values(self, body: e.DrawRecorded, world: World | None) -> str | None:
        if self._secret is not None:
            period = body.period if body.effective is None else body.effective
            seeds = _players_seeds(world, period)
            seed = dice.mixed(dice.seed_for(self._secret, period, body.audience), seeds)
            return None if follows_from_seed(body, seed) else _describe(body)
        if body.effective is None:
            self._open.append(body)
            return None
        revealed = self._seeds.get(body.effective)
        if revealed is None:
            return f"the draw at {body.address} is of period {body.effective}, which has no seed"
        return None if follows_from_seed(body, revealed) else _describe(body)


def follows_from_seed(body: e.DrawRecorded, seed: bytes) -> bool:
    """Return whether the draw of *body* follows from *seed*."""
    if body.sides:
        return list(body.values) == dice.roll(seed, body.address, body.sides)
    return list(body.values) == [dice.draw(seed, body.address, body.options)]


def _check_effective(body: e.DrawRecorded, world: World) -> str | None:
    """Return what is wrong with the period that the draw of *body* says it is of."""
    if not is_of_ruling(body):
        if body.effective is None:
            return None
        return f"the draw at {body.address} is of no ruling, but of period {body.effective}"
    number = body.rules[0].removeprefix("ruling:")
    if number != str(SEALED):
        ruling, _ = world.rulings.get(_number(number), (None, 0))
        if ruling is None or ruling.effective is None:
            return f"the draw at {body.address} is of a ruling that does not reach back"
    first = min(
        (other.effective for other, _ in world.rulings.values() if other.effective is not None),
        default=0,
    )
    if body.effective is not None and not first <= body.effective < world.period:
        return f"the draw at {body.address} is of period {body.effective}: no ruling reaches it"
    return None


def _check_players_seed(body: e.SeedCommitted | e.SeedRevealed, world: World) -> str | None:
    """Return what is wrong with a commitment or a reveal of a player, or None."""
    if isinstance(body, e.SeedCommitted):
        why = reason_against_commitment(world, body)
    else:
        why = reason_against_reveal(world, body)
    return None if why is None else f"a seed of {body.by} does not count: {why}"


def _number(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _NUMBER_DIGITS_MAX
    return int(text) if is_number else -1


def _is_possible(body: e.DrawRecorded) -> bool:
    if body.sides and body.options:
        return False
    if body.options:
        return len(body.values) == 1
    is_known = all(1 <= sides <= _SIDES_MAX for sides in body.sides)
    return is_known and len(body.values) == len(body.sides) <= _DICE_MAX


def _players_seeds(world: World | None, period: int) -> str:
    """Return what the seeds of players add to the seed of *period*; "" for nothing."""
    return "" if world is None else mix_of(world, period)


def _describe(body: e.DrawRecorded) -> str:
    drawn = ", ".join(map(str, body.values))
    return f"the draw {drawn} at {body.address} is not what the seed of its period gives"
