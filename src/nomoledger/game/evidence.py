"""What is attached to a dispute: a replay or a what-if, as plain values, and in words."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.errors import RuleFault, UsageError
from nomoledger.events import Input
from nomoledger.game.period_start import period_start
from nomoledger.game.replay import replay
from nomoledger.ledger.history import History
from nomoledger.sandbox.child import Limits


def replayed(history: History, period: int, limits: Limits | None = None) -> dict[str, Any]:
    """What a replay of *period* has to say in a dispute: its text, and its report as evidence.

    What is secret in the period is not counted. Where there is anything, the report tells how many
    things differ, not which.
    """
    text = f"replay of period {period}"
    try:
        report = replay(history.ledger, history.game, period, limits=limits, history=history)
    except RuleFault as fault:
        return {"text": f"{text}: {fault}", "evidence": {}}
    evidence = builtins(report)
    del evidence["digest"]
    bodies = period_start(history, period).bodies
    secret = [body for body in bodies if body.audience is not None]
    hidden = sum(not isinstance(body, Input) for body in secret)
    evidence["consequences"] -= hidden
    evidence["compared"] -= hidden if report.mode == "exact" else 0
    if secret and report.divergences:
        evidence |= {"divergences": [], "withheld": len(report.divergences)}
    return {"text": text, "evidence": evidence}


def builtins(found: Any) -> dict[str, Any]:
    """A struct as plain values, for JSON."""
    encoded = msgspec.json.encode(found, enc_hook=str)
    return msgspec.json.decode(encoded, type=dict[str, Any])


def what_if_in(text: bytes, game: str) -> dict[str, Any]:
    """The what-if of *game* that was saved as *text*.

    Raises:
        UsageError: it is none, or that of another game.
    """
    from nomoledger.game.counterfactual import WhatIf

    try:
        found = msgspec.json.decode(text, type=WhatIf)
    except msgspec.MsgspecError as error:
        raise UsageError(f"no what-if: {error}; save one with what-if --save FILE") from None
    if found.game != game:
        raise UsageError(f"a what-if of the game {found.game}, not of {game}")
    return builtins(found)


def describe_evidence(evidence: dict[str, Any]) -> Iterator[str]:
    """*evidence* in words, a line a finding."""
    if "divergences" in evidence:
        yield from _told_replay(evidence)
    elif "places" in evidence:
        yield from _told_what_if(evidence)


def _told_replay(report: dict[str, Any]) -> Iterator[str]:
    kind = "recorded facts" if report["mode"] == "audit" else "consequences"
    differ = len(report["divergences"]) or report.get("withheld", 0)
    found = f"{differ} differ" if differ else "nothing differs"
    yield f"{report['compared']} {kind} compared ({report['mode']}): {found}"
    for each in report["divergences"]:
        yield (
            f"#{each['event']} {each['what']} of {each['subject']}: recorded {each['recorded']},"
            f" by the rules {each['by_rules']} ({each['rule']})"
        )


def _told_what_if(found: dict[str, Any]) -> Iterator[str]:
    yield f"played again from #{found['first']} to period {found['period']}"
    first = found["difference"]
    if first is None and not found["otherwise"]:
        yield "everything would be as it is"
    if first is not None:
        yield (
            f"first at #{first['event']}: {first['recorded'] or 'nothing'};"
            f" played again: {first['rerun'] or 'nothing'}"
        )
    for each in found["otherwise"]:
        was, new = ("nothing" if x is None else x for x in (each["recorded"], each["rerun"]))
        yield f"{each['what']} of {each['subject']}: {was} would be {new}"
    if found["stopped"]:
        yield f"it goes no further: {found['stopped']}"
