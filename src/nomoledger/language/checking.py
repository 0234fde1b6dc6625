"""State-based checks, one by one: a check that fails is suspended, and blocks nothing.

A check fails if its code fails, if it alone uses up what an attempt may use, or if it changes
something every time, without end. What it did is undone. It does not run again until its rule is
amended. A check that refuses does what the rules say: it refuses the attempt.
"""

from collections.abc import Iterator

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.events.display import CHECK_REFUSED
from nomoledger.events.levels import LEVELS
from nomoledger.language import host as limits
from nomoledger.language.host import Frame, Host, Refused, Suspended
from nomoledger.language.kept_draws import undo_but_draws
from nomoledger.sandbox import inside

_Check = tuple[str, str]  # the rule and the hook


def run_checks(host: Host) -> None:
    """Run the checks until none of them changes anything; suspend those that fail.

    A check, or what it calls, may run the checks again, up to `SETTLING_MAX` deep.

    Raises:
        Refused: a check refuses the attempt.
        RuleFault: checks run within each other too deep.
    """
    if host.settling >= limits.SETTLING_MAX and LEVELS[host.world.level].suspends_failing_checks:
        host.fault(f"settle() within settle(), more than {limits.SETTLING_MAX} deep")
    host.settling += 1
    try:
        _settle(host)
    finally:
        host.settling -= 1


def _settle(host: Host) -> None:
    while True:
        mark, staged = host.world.mark(), len(host.staged)
        try:
            endless = _run_passes(host)
        except BaseException:
            host.world.release(mark)
            raise
        if endless is None:
            host.world.release(mark)
            return
        undo_but_draws(host, mark, staged)
        _suspend(host, endless, f"it never settles ({limits.PASSES_MAX}x)")


def _run_passes(host: Host) -> _Check | None:
    """Run the checks until none changes anything; return the last one that does, without end."""
    last: _Check | None = None
    for _ in range(limits.PASSES_MAX):
        last = None
        for check in _checks(host):
            before = host.world.head
            if why := _failure(host, check):
                _suspend(host, check, why)
            if host.world.head != before:
                last = check
        if last is None:
            return None
    return last


def _checks(host: Host) -> Iterator[_Check]:
    """Yield the checks that are not suspended, in the order of their rules."""
    for rule in host.program.ruleset.rules:
        for hook in host.program.links.codes[rule.number].hooks:
            if hook.kind == "check":
                suspended = host.world.game.get("suspended", ())
                if name_of_check(host, (rule.number, hook.name)) not in suspended:
                    yield rule.number, hook.name


def name_of_check(host: Host, check: _Check) -> str:
    """Return the name of *check* in events: `X.1@2 check_debts`."""
    return f"{host.program.name(check[0])} {check[1]}"


def _suspend(host: Host, check: _Check, why: str) -> None:
    frames, host.frames = host.frames, [Frame("", (), check[0])]
    host.emit(e.CheckSuspended, check=name_of_check(host, check), why=why)
    host.frames = frames


def _failure(host: Host, check: _Check) -> str:
    """Run *check*; return why it fails, with everything undone, or "".

    Raises:
        Refused: the check refuses, or the attempt as a whole uses up what it may use.
    """
    inside.notice_step(f"check {name_of_check(host, check)}")
    frames = host.frames
    try:
        why = undone_failure(host, *check)
    except Refused as error:
        if _is_used_up(host):
            alone = _failure_alone(host, check)
            if alone:
                host.frames = frames
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

    What it drew stays.

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
        undo_but_draws(host, mark, staged)
        frames, host.reads, host.pure, host.audience = state
        if not (isinstance(error, RuleFault) and error.is_certain):
            raise  # with the frames in which it was refused
        host.frames, host.pending = frames, None
        return str(error).removeprefix(f"rule {error.rule}: ").lstrip(": ")
    host.frames = state[0]
    host.world.release(mark)
    return ""


def failing_check(host: Host) -> tuple[_Check, str] | None:
    """Return the first check that fails or refuses as things stand, and why; undo everything.

    *host* is at the beginning of an attempt.

    Raises:
        RuleFault: a check takes too much time or memory.
    """
    for check in _checks(host):
        inside.notice_step(f"check {name_of_check(host, check)}")
        mark = host.world.mark()
        try:
            why = undone_failure(host, *check)
        except Refused as error:
            why = "; ".join(reason.text for reason in error.reasons)
        except Suspended:
            why = ""
        finally:
            host.world.rollback(mark)
            host.frames, host.pending = host.frames[:1], None
        if why:
            return check, why
    return None


def _is_used_up(host: Host) -> bool:
    """Return whether the attempt has used up its operations, its changes or its depth."""
    is_deep = host.frames[-1].depth > limits.DEPTH_MAX
    return is_deep or host.operations > limits.OPERATIONS_MAX or host.is_full


def _failure_alone(host: Host, check: _Check) -> str:
    """Return why *check* fails even if it is all that the attempt does, or ""."""
    operations, staged = host.operations, host.staged
    host.operations, host.staged, host.pending = 0, [], None
    host.frames = host.frames[:1]
    mark = host.world.mark()
    try:
        why = undone_failure(host, *check)
    except Refused as error:
        why = "; ".join(reason.text for reason in error.reasons) if _is_used_up(host) else ""
    finally:
        undo_but_draws(host, mark, 0)
        host.operations, host.staged, host.pending = operations, [*staged, *host.staged], None
        host.frames = host.frames[:1]
    return why
