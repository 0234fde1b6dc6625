"""State-based checks, one by one: a check that fails is suspended, and blocks nothing.

A check fails if its code fails, if it alone uses up what an attempt may use, or if it changes
something every time, without end. What it did is undone. It does not run again until its rule is
amended. A check that refuses does what the rules say: it refuses the attempt.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.language import host as limits
from nomoledger.language.host import Frame, Host, Refused
from nomoledger.sandbox import inside

if TYPE_CHECKING:
    from nomoledger.language.program import Program

#: How the reason begins for refusing an attempt because of a check.
CHECK_REFUSED = "a check after every request refuses"
_Check = tuple[str, str]  # the rule and the hook


def run_checks(program: "Program") -> None:
    """Run the checks until none of them changes anything; suspend those that fail.

    Raises:
        Refused: a check refuses the attempt.
    """
    host = program.host
    while True:
        mark, staged = host.world.mark(), len(host.staged)
        try:
            endless = _run_passes(program)
        except BaseException:
            host.world.release(mark)
            raise
        if endless is None:
            host.world.release(mark)
            return
        host.world.rollback(mark)
        del host.staged[staged:]
        _suspend(program, endless, f"it never settles ({limits.PASSES_MAX}x)")


def _run_passes(program: "Program") -> _Check | None:
    """Run the checks until none changes anything; return the last one that does, without end."""
    host = program.host
    last: _Check | None = None
    for _ in range(limits.PASSES_MAX):
        last = None
        for check in _checks(program):
            before = host.world.head
            if why := _failure(program, check):
                _suspend(program, check, why)
            if host.world.head != before:
                last = check
        if last is None:
            return None
    return last


def _checks(program: "Program") -> Iterator[_Check]:
    """Yield the checks that are not suspended, in the order of their rules."""
    for rule in program.rules:
        for hook in program.links.codes[rule.number].hooks:
            if hook.kind == "check":
                suspended = program.host.world.game.get("suspended", ())
                if name_of_check(program, (rule.number, hook.name)) not in suspended:
                    yield rule.number, hook.name


def name_of_check(program: "Program", check: _Check) -> str:
    """Return the name of *check* in events: `X.1@2 check_debts`."""
    return f"{program.name(check[0])} {check[1]}"


def _suspend(program: "Program", check: _Check, why: str) -> None:
    host = program.host
    host.frames = [Frame("", (), check[0])]
    host.emit(e.CheckSuspended, check=name_of_check(program, check), why=why)
    host.frames = host.frames[:1]


def _failure(program: "Program", check: _Check) -> str:
    """Run *check*; return why it fails, with everything undone, or "".

    Raises:
        Refused: the check refuses, or the attempt as a whole uses up what it may use.
    """
    inside.notice_step(f"check {name_of_check(program, check)}")
    try:
        why = undone_failure(program.host, *check)
    except Refused as error:
        host = program.host
        if _is_used_up(host):
            alone = _failure_alone(program, check)
            if alone:
                return alone
            raise
        if all(reason.rule == "engine" for reason in error.reasons):
            raise
        texts = (e.Reason(x.rule, f"{CHECK_REFUSED}: {x.text}") for x in error.reasons)
        host.stop(Refused(tuple(texts)))
    inside.notice_step("attempt")
    return why


def undone_failure(host: Host, number: str, name: str) -> str:
    """Run the hook *name* of rule *number*; undo it if its code fails, and return why; else "".

    Raises:
        Refused, Suspended: the hook refuses or asks; what it did is undone.
        RuleFault: it fails for a reason that need not happen again.
    """
    mark, staged = host.world.mark(), len(host.staged)
    state = host.frames, dict(host.reads), host.pure, host.audience
    host.frames = list(host.frames)
    try:
        host.program.hook(number, name)
    except BaseException as error:
        host.world.rollback(mark)
        del host.staged[staged:]
        host.frames, host.reads, host.pure, host.audience = state
        if not (isinstance(error, RuleFault) and error.is_certain):
            raise
        host.pending = None
        return str(error).removeprefix(f"rule {error.rule}: ")
    host.frames = state[0]
    host.world.release(mark)
    return ""


def _is_used_up(host: Host) -> bool:
    """Return whether the attempt has used up its operations, its changes or its depth."""
    return host.operations > limits.OPERATIONS_MAX or len(host.staged) >= limits.CHANGES_MAX


def _failure_alone(program: "Program", check: _Check) -> str:
    """Return why *check* fails even if it is all that the attempt does, or ""."""
    host = program.host
    operations, staged = host.operations, host.staged
    host.operations, host.staged, host.pending = 0, [], None
    mark = host.world.mark()
    try:
        why = undone_failure(program.host, *check)
    except Refused as error:
        why = "; ".join(reason.text for reason in error.reasons) if _is_used_up(host) else ""
    finally:
        host.world.rollback(mark)
        host.operations, host.staged, host.pending = operations, staged, None
    return why
