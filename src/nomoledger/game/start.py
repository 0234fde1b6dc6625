"""Opening of a game: its rulebook comes into force, and the initial state is set."""

import secrets as random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.batches import stream_batches
from nomoledger.errors import UsageError
from nomoledger.events.levels import NEWEST
from nomoledger.game.commit import Commit
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.language.host import ask_people
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook
from nomoledger.sandbox.child import Limits
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


def open_game(
    ledger: Ledger,
    game: str,
    rulebook: Rulebook,
    *,
    settings: dict[str, Any] | None = None,
    given: dict[str, Any] | None = None,
    dice_from: str = "seeded",
    period: int = 1,
    at: datetime | None = None,
    recorded_at: datetime | None = None,
    secret: bytes | None = None,
    limits: Limits | None = None,
    then: Callable[[Engine], Iterator[Batch]] | None = None,
) -> Game:
    """Create a game in *ledger* under *rulebook*, with the initial state *given*.

    *given* holds the fields of `StateGiven`. *then* returns further batches, which are stored in
    the same transaction as the opening.

    Raises:
        UsageError: the game exists, a setting is unknown, or the rules refuse such a start.
    """
    rulebook = rulebook.with_settings(settings or {})
    now = recorded_at or datetime.now(UTC).replace(microsecond=0)
    secret = secret or random.token_bytes(32)
    common: dict[str, Any] = {"period": period, "received_at": at or now, "recorded_at": now}
    opened = e.GameOpened(
        id="opening",
        game=game,
        rulebook=rulebook.name,
        dice=dice_from,
        commitment=dice.commitment(dice.period_seed(secret, period)),
        settings=settings or {},
        level=NEWEST,
        versions=_versions(),
        **common,
    )
    enacted = [
        e.RuleEnacted(rule=rule, source="rulebook", cause=0, rules=("engine",), **common)
        for rule in rulebook.rules
    ]
    initial_state = None if given is None else e.StateGiven(id="given", **common, **given)

    def follow(engine: Engine) -> Iterator[Batch]:
        for event in (opened, *enacted):
            apply(engine.world, event)
        yield _checked([opened, *enacted, *engine.step()])
        for batch in () if initial_state is None else engine.process(initial_state):
            yield _checked(batch)
        if then is not None:
            yield from then(engine)

    world = World()
    commit = Commit(ledger, game, world)
    with commit.together(secret):
        for batch in stream_batches(follow, new_engine(world, ask_people, secret), limits):
            commit.append(batch)
    return Game(ledger, game, limits=limits)


def _checked(batch: Batch) -> Batch:
    for event in batch:
        if isinstance(event, e.AttemptRefused):
            reason = event.reasons[0]
            raise UsageError(f"the game cannot start like this: {reason.text} ({reason.rule})")
        if isinstance(event, e.QuestionRaised):
            raise UsageError(f"the game cannot start with a question open: {event.text}")
    return batch


def _versions() -> dict[str, str]:
    """Return the versions of nomoledger and of the interpreter of the rule language."""
    return {name: version(name) for name in ("nomoledger", "starlark-pyo3")}
