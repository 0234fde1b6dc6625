"""Provisional state: as if the period were closed now and open questions got their defaults.

Nothing is recorded. Everything is computed from what everybody may see, so what is sealed has no
part in it: secret requests, bids, standing orders. New dice come from a throwaway seed, which is
made of public values. So no dice of the game are revealed, and everybody sees the same thing each
time, until something is recorded. A question without a default cancels the attempt that asks it.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch, Engine
from nomoledger.engine.oracles import SeededOracle
from nomoledger.engine.settlement.rerun import NewQuestion
from nomoledger.game.engines import new_engine
from nomoledger.game.read_models import Table, WorldView, projection
from nomoledger.language.queries import values_of
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_stream import apply_public, public_events
from nomoledger.sandbox.sandbox import call_in_sandbox
from nomoledger.state.clock import from_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.world import World


class Provisional(msgspec.Struct, frozen=True):
    """A read model of the provisional state.

    Attributes:
        blocks: tables and paragraphs, for people.
        model: the same as plain values, for programs.
        asked: the questions and dice, and what was assumed for each.
    """

    blocks: tuple[Table | str, ...]
    model: Any
    asked: tuple[NewQuestion, ...]


def provisional(ledger: Ledger, game: str, name: str) -> Provisional:
    """Return the projection *name* of *game* as if the open period were closed now.

    Raises:
        UnknownError: there is no such projection.
        RuleFault: rule code failed.
    """
    world = World()
    for entry in public_events(ledger.read(game)):
        apply_public(world, entry.body)
    make_model: Any = projection(name)
    return call_in_sandbox(_close_and_read, world, make_model, kind=Provisional)


def _close_and_read(world: World, make_model: Any) -> Provisional:
    oracle = _AssumedDice(_seed_of(world))
    questions = tuple(_close_period(new_engine(world, oracle)))
    model = make_model(WorldView(world, ask=values_of))
    plain = msgspec.to_builtins(model, enc_hook=str)
    return Provisional(tuple(model.show()), plain, (*questions, *oracle.made.values()))


def _seed_of(world: World) -> bytes:
    """Return the throwaway seed of the open period: everybody can compute it."""
    public = (world.game["game"], world.game.get("commitment", ""), world.period)
    return hashlib.sha256(f"provisional dice of {public}".encode()).digest()


class _AssumedDice:
    """An oracle that draws from a throwaway seed, and notes its draws.

    Attributes:
        made: the draws so far, by the address of the question.
    """

    def __init__(self, seed: bytes) -> None:
        self.made: dict[str, NewQuestion] = {}
        self._oracle = SeededOracle(seed)

    def __call__(self, question: e.QuestionRaised) -> list[Any] | None:
        """Return the dice or the draw that *question* asks for; None if a person has to answer."""
        values = self._oracle(question)
        if values is not None:
            fields = (question.question, question.text, question.to, "rolled", values)
            self.made[question.question] = NewQuestion(*fields)
        return values


def _close_period(engine: Engine) -> Iterator[NewQuestion]:
    """Close the period on the world of *engine*, and yield the questions asked."""
    yield from _run(engine, engine.run())
    yield from _run(engine, engine.process(_input(e.CloseAsked, engine.world, "close")))


def _run(engine: Engine, batches: Iterator[Batch]) -> Iterator[NewQuestion]:
    """Run *batches*, answer every question with its default, and yield the questions."""
    for _ in batches:
        pass
    while (question := engine.world.waiting) is not None:
        if question.default is None:
            attempt = engine.world.agenda[0].id
            apply(engine.world, _event(e.Unscheduled, engine.world, attempt=attempt))
            yield NewQuestion(question.question, question.text, question.to, "skipped")
            following = engine.run()
        else:
            fields = {"question": question.question, "value": question.default, "by": "admin"}
            answer = _input(e.ChoiceAnswered, engine.world, question.question, **fields)
            yield NewQuestion(
                question.question, question.text, question.to, "default", question.default
            )
            following = engine.process(answer)
        for _ in following:
            pass


def _event(kind: type[e.Event], world: World, **fields: Any) -> e.Event:
    at = from_seconds(world.game["now"])
    return kind(period=world.period, received_at=at, recorded_at=at, **fields)


def _input(kind: type[e.Input], world: World, id: str, **fields: Any) -> e.Input:
    event = _event(kind, world, id=f"provisional {id}", **fields)
    assert isinstance(event, e.Input)
    return event
