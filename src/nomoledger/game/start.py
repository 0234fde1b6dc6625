"""Opening of a game: its rulebook comes into force, and the initial state is set."""

import secrets as random
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.batches import decode_batch, encode_batch
from nomoledger.engine.oracles import first_option
from nomoledger.errors import UsageError
from nomoledger.events.levels import NEWEST
from nomoledger.game.commit import Commit
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.intake.bounds import FILE, admitted
from nomoledger.language.host import ask_people
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import Rulebook
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import stream_from_sandbox
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
    cases: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    then: Callable[[Engine], Iterator[Batch]] | None = None,
) -> Game:
    """Create a game in *ledger* under *rulebook*, with the initial state *given*.

    *given* holds the fields of `StateGiven`. *cases* are the texts of the rulebook's cases by file
    (see `nomoledger.rulebook.cases.texts_beside`), with which proposals will be tried. *then*
    returns further batches, which are stored in the same transaction as the opening; it runs in the
    sandbox, so it is a function at the top level of a module, or a partial of one.

    Raises:
        UsageError: the game exists, a setting is unknown, or the rules refuse such a start.
    """
    settings = admitted(settings or {}, "the settings")
    given = None if given is None else admitted(given, "the initial state", FILE)
    rulebook = rulebook.with_settings(settings)
    now = recorded_at or datetime.now(UTC).replace(microsecond=0)
    secret = random.token_bytes(32) if secret is None else secret
    common: dict[str, Any] = {"period": period, "received_at": at or now, "recorded_at": now}
    opened = e.GameOpened(
        id="opening",
        game=game,
        rulebook=rulebook.name,
        dice=dice_from,
        commitment=dice.commitments_ahead(secret, period, dice_from),
        settings=settings,
        level=NEWEST,
        versions=_versions(),
        **common,
    )
    initial_state = None if given is None else e.StateGiven(id="given", **common, **given)
    common |= {"cause": 0, "rules": ("engine",)}
    enacted = [e.RuleEnacted(rule=rule, source="rulebook", **common) for rule in rulebook.rules]
    copied = [e.CasesCopied(texts=_compressed(cases), **common)] if cases else []
    commit = Commit(ledger, game, World())
    arguments = (secret, [opened, *enacted, *copied], initial_state, then)
    with commit.together(secret):
        for piece in stream_from_sandbox(_open, *arguments, limits=limits):
            commit.append(decode_batch(piece))
    return Game(ledger, game, limits=limits)


def _compressed(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {file: zlib.compress(text.encode(), 9) for file, text in texts.items()}


def _open(
    secret: bytes,
    opening: Batch,
    initial_state: e.StateGiven | None,
    then: Callable[[Engine], Iterator[Batch]] | None,
) -> Iterator[bytes]:
    """Yield the batches of an opening, encoded. This runs in a sandbox."""
    engine = new_engine(World(), ask_people, secret)
    for event in opening:
        apply(engine.world, event)
    yield encode_batch(_checked([*opening, *engine.step()]))
    oracle, engine.oracle = engine.oracle, first_option
    for batch in () if initial_state is None else engine.process(initial_state):
        yield encode_batch(_checked(batch))
    engine.oracle = oracle
    for batch in () if then is None else then(engine):
        yield encode_batch(batch)


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
