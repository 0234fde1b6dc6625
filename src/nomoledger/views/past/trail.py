"""How an event came about: what the rules did, step by step, as far as a reader may know."""

from collections.abc import Iterator, Sequence

import msgspec

from nomoledger import events as e
from nomoledger.errors import NomoledgerError, UnknownError
from nomoledger.events.rules import Rule
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.possible_requests import SOON
from nomoledger.proof.public_stream import apply_public
from nomoledger.prose.names import Names
from nomoledger.sandbox.question_sandbox import QuestionSandbox
from nomoledger.state.world import World
from nomoledger.views.site.explanations import SECRET, UNTOLD
from nomoledger.views.site.public_run import AttemptTrace, PublicTraces
from nomoledger.views.site.public_view import with_apartness


class TrailLine(msgspec.Struct, frozen=True):
    """A step on the way to the event: how *deep* it lies, its *text*, and the rule it *cites*.

    *event* is the number of the event that the step made, if it made one.
    """

    depth: int
    text: str
    cited: str = ""
    rest: str = ""
    event: int | None = None


class RuleThen(msgspec.Struct, frozen=True):
    """A rule behind an event, in the version that was in force then."""

    name: str
    title: str
    prose: str


class Trail(msgspec.Struct, frozen=True):
    """How an event came about.

    Attributes:
        lines: the steps. note: why there are none, if there are none.
        rules: the rules behind the event.
    """

    lines: tuple[TrailLine, ...] = ()
    note: str = ""
    rules: tuple[RuleThen, ...] = ()


def event_trail(game: Game, reader: str | None, number: int) -> Trail:
    """Return how event *number* of *game* came about, as far as *reader* may know.

    The admin sees the run as it was. For others, the rules run again on what they may see: if the
    result is another one, something that they may not see had a part in it, and nothing is shown.

    Raises:
        UnknownError: *reader* knows no such event.
    """
    seen = SeenView(game, reader).seen
    entries = seen.entries
    if not 0 <= number < len(entries):
        raise UnknownError(f"{game.name}: there is no event #{number}")
    body = entries[number].body
    rules = tuple(_rules_then(entries[: number + 1], body.rules))
    if isinstance(body, e.Input):
        return Trail(rules=rules)
    if reader == "admin":
        return _recorded(game, number, rules)
    return _run_again(entries, number, rules, seen.sandbox(SOON))


def _recorded(game: Game, number: int, rules: tuple[RuleThen, ...]) -> Trail:
    try:
        explained = game.explain(number)
    except NomoledgerError as error:
        return Trail(note=f"{UNTOLD} {error}", rules=rules)
    steps: Sequence[str] = getattr(explained, "trail", ())
    lines = (TrailLine((len(line) - len(line.lstrip())) // 2, line.strip()) for line in steps)
    return Trail(tuple(lines), "" if steps else UNTOLD, rules)


def _run_again(
    entries: Sequence[e.Entry], number: int, rules: tuple[RuleThen, ...], sandbox: QuestionSandbox
) -> Trail:
    start = max((n for n in range(number + 1) if isinstance(entries[n].body, e.Input)), default=0)
    world = World()
    names = Names(world)
    for entry in entries[:start]:
        names.follow(entry.body)
        apply_public(world, entry.body)
    end = next(
        (n for n in range(number + 1, len(entries)) if isinstance(entries[n].body, e.Input)),
        len(entries),
    )
    public = list(with_apartness(entries[start:end]))
    may_be_secret = any(rule.secret for rule in world.rules)
    was_warm = sandbox.is_warm
    traces = PublicTraces(public, 0, world, names, sandbox=sandbox)
    traces.all()
    if traces.is_broken and was_warm:  # Only what a fresh sandbox shows counts as broken.
        traces = PublicTraces(public, 0, world, names, sandbox=sandbox)
    trace = traces.all().get(number)
    if trace is None:
        return Trail(note=SECRET if may_be_secret else UNTOLD, rules=rules)
    return Trail(tuple(_lines_to(trace, number)), "", rules)


def _lines_to(trace: AttemptTrace, number: int) -> Iterator[TrailLine]:
    """Yield the lines of *trace* up to that of event *number*; all of them if it has none."""
    for line in trace.lines:
        yield TrailLine(line.depth, line.text, line.cited, line.rest, line.event)
        if line.event == number:
            return


def _rules_then(entries: Sequence[e.Entry], names: Sequence[str]) -> Iterator[RuleThen]:
    """Yield the rules called *names* (number@version), as they were in *entries*."""
    known: dict[str, Rule] = {}
    for entry in entries:
        body = entry.body
        if isinstance(body, e.RuleEnacted | e.RuleAmended):
            known[body.rule.name] = body.rule
        elif isinstance(body, e.RuleRenumbered):
            for rule in [rule for rule in known.values() if rule.number == body.number]:
                renumbered = msgspec.structs.replace(rule, number=body.to)
                known[renumbered.name] = renumbered
    for name in dict.fromkeys(names):
        if name in known:
            yield RuleThen(name, known[name].title, known[name].prose)
