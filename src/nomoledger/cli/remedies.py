"""What is wrong with a game, in words, with the command that mends it."""

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING, Any

import msgspec

from nomoledger.cli.arguments import command_line
from nomoledger.errors import NomoledgerError, RulebookError, RuleFault
from nomoledger.game.command_lines import game_if_ambiguous

if TYPE_CHECKING:
    from nomoledger.game.read_models import LedgerView
    from nomoledger.ledger.ledger import Ledger
    from nomoledger.state.world import World

#: The time for a look at the rules: `status` must answer soon.
PROBE_SECONDS = 2.0


class Problem(msgspec.Struct, frozen=True):
    """Something that is wrong: what it is, and the command that mends it."""

    what: str
    command: str


def repeal_command(ledger: "Ledger", game: str, number: str) -> str:
    """Return the command that repeals rule *number*, whatever the rules do."""
    text = quote(f"Rule {number} is repealed: it cannot be carried out")
    words = f"{text} --repeal {quote(number)} --urgent"
    return command_line("ruling", ledger.store.location, words, game_if_ambiguous(ledger, game))


def repeal_newest_command(ledger: "Ledger", game: str) -> str:
    """Return the command that repeals the rules that were enacted last, all of one source."""
    from nomoledger import events as e
    from nomoledger.ledger.as_of import world_of

    in_force = {rule.number for rule in world_of(ledger, game).rules}
    source = ""
    for entry in ledger.read(game):
        body = entry.body
        if isinstance(body, e.RuleEnacted) and body.rule.number in in_force:
            source = body.source
    text = quote(f"What {source} enacted is repealed: it cannot be carried out")
    words = f"{text} --repeal-of {quote(source)} --urgent"
    return command_line("ruling", ledger.store.location, words, game_if_ambiguous(ledger, game))


def void_command(ledger: "Ledger", game: str, kind: str, name: str) -> str:
    """Return the command that rules that the thing of that *kind* and *name* is void."""
    words, called = f"{kind} {quote(name)} {quote('It cannot be carried out')}", ""
    if game_if_ambiguous(ledger, game):
        called = f"--game {quote(game)} "
    if name.startswith("-"):  # as ids of older versions can
        called += "-- "
    return command_line("void", ledger.store.location, called + words)


@contextmanager
def naming_the_remedy(ledger: "Ledger", game: str) -> Iterator[None]:
    """Add the command that mends it to an error that rules in force cause."""
    try:
        yield
    except RuleFault as fault:
        command = _remedy(ledger, game, fault)
        if command:
            raise fault.restated(f"{fault}; to mend it: {command}") from None
        raise
    except RulebookError as error:
        from nomoledger.ledger.as_of import world_of

        problem = _probed(ledger, game, world_of(ledger, game))
        if problem is not None:
            raise RulebookError(f"{error}; to mend it: {problem.command}") from None
        raise


def _remedy(ledger: "Ledger", game: str, fault: RuleFault) -> str:
    from nomoledger.ledger.as_of import world_of

    world = world_of(ledger, game)
    kind, _, name = fault.step.partition(" ")
    if kind == "order" and name in world.orders:
        return void_command(ledger, game, kind, name)
    if kind == "linking" and world.rules:
        return repeal_newest_command(ledger, game)
    rule = fault.rule if fault.rule and world.rule(fault.rule) else None
    return repeal_command(ledger, game, rule) if rule else ""


# --- what is wrong in a game --------------------------------------------------------------------


def problems_of(view: "LedgerView") -> list[Problem]:
    """Return everything that is wrong in the game of *view*."""
    found = [_probed(view.ledger, view.game, view.world), *_suspended(view), *_recorded(view)]
    return [problem for problem in found if problem is not None]


def _probed(ledger: "Ledger", game: str, world: "World") -> Problem | None:
    from nomoledger.engine.probing import RuleProblem, probe_rules
    from nomoledger.sandbox.limits import Limits
    from nomoledger.sandbox.sandbox import call_in_sandbox

    if world.head < 0:  # a game that was never opened has no rules yet
        return None
    limits = Limits(cpu_seconds=PROBE_SECONDS, wall_seconds=2 * PROBE_SECONDS)
    try:
        probe = call_in_sandbox(probe_rules, world, kind=RuleProblem, limits=limits)
    except RuleFault as fault:
        what = f"the rules take more than {PROBE_SECONDS:g} s, or fail: {fault}"
        if fault.step == "linking":
            return Problem(what, repeal_newest_command(ledger, game))
        probe = RuleProblem(fault.rule or "", what)
    except NomoledgerError as error:
        probe = RuleProblem(world.rules[-1].number if world.rules else "", str(error))
    if not probe.why:
        return None
    rule = probe.rule if world.rule(probe.rule) else world.rules[-1].number
    return Problem(probe.why, repeal_command(ledger, game, rule))


def _suspended(view: "LedgerView") -> Iterator[Problem]:
    names = {rule.name: rule.number for rule in view.world.rules}
    for check in view.world.game.get("suspended", ()):
        name, _, hook = check.partition(" ")
        if name in names:
            command = repeal_command(view.ledger, view.game, names[name])
            yield Problem(f"{hook} of rule {names[name]} failed and is suspended", command)


def _recorded(view: "LedgerView") -> Iterator[Problem]:
    """Yield the close of the open period that was refused, and the steps that failed in it."""
    from nomoledger import events as e

    refused: e.AttemptRefused | None = None
    failed: dict[str, e.StepFailed] = {}
    for entry in view.entries():
        body: Any = entry.body
        if isinstance(body, e.PeriodClosed):
            refused, failed = None, {}
        elif isinstance(body, e.AttemptRefused) and body.operation == "@close":
            refused = body
        elif isinstance(body, e.StepFailed) and body.kind != "check":
            failed[body.rule] = body
    if refused is not None and (problem := refused_close(view, refused)) is not None:
        yield problem
    for rule, step in failed.items():
        if view.world.rule(rule) is not None:
            what = f"the code of rule {rule} failed, and what it was to do is dropped: {step.why}"
            yield Problem(what, repeal_command(view.ledger, view.game, rule))


def refused_close(view: "LedgerView", refused: Any) -> Problem | None:
    """Return that the close was *refused*, if a rule in force did so."""
    for reason in refused.reasons:
        number = reason.rule.partition("@")[0]
        if view.world.rule(number) is not None:
            what = f"rule {number} refuses to close the period: {reason.text}"
            return Problem(what, repeal_command(view.ledger, view.game, number))
    closing = _rule_of_close(view.world)
    if closing is None:
        return None
    what = "; ".join(reason.text for reason in refused.reasons)
    what = f"the close is refused; rule {closing} is the newest that says what it does: {what}"
    return Problem(what, repeal_command(view.ledger, view.game, closing))


def _rule_of_close(world: "World") -> str | None:
    """Return the number of the newest rule whose code says what closing a period does, or None."""
    return next((rule.number for rule in world.rules[::-1] if "close_period(" in rule.code), None)


def remedy_lines(ledger: "Ledger", game: str, world: "World", event: Any) -> Iterator[str]:
    """Yield the line that says how to mend what *event*, which has just been recorded, shows."""
    from nomoledger import events as e
    from nomoledger.events.display import CHECK_REFUSED, CODE_FAILED

    rules: list[str] = []
    if isinstance(event, e.StepFailed):
        rules = [event.rule]
    elif isinstance(event, e.CheckSuspended):
        rules = [event.check]
    elif isinstance(event, e.AttemptRefused):
        texts = CHECK_REFUSED, CODE_FAILED
        is_ill = event.operation == "@close"
        rules = [x.rule for x in event.reasons if is_ill or x.text.startswith(texts)]
        closing = _rule_of_close(world) if is_ill and rules == ["engine"] else None
        rules += [closing] if closing else []
    numbers = [rule.partition("@")[0] for rule in rules]
    for number in dict.fromkeys(numbers):
        if world.rule(number) is not None:
            yield f"  to repeal rule {number}: {repeal_command(ledger, game, number)}"
