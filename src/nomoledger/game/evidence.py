"""Evidence in disputes: a replay or a what-if, as plain values and as text."""

from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.errors import RuleFault, UsageError
from nomoledger.events import Input
from nomoledger.game.period_start import period_start
from nomoledger.game.replay import replay
from nomoledger.ledger.event_history import History
from nomoledger.sandbox.limits import Limits


def replay_evidence(history: History, period: int, limits: Limits | None = None) -> dict[str, Any]:
    """Return the text and the evidence of a replay of *period*.

    Secret consequences are not counted. If the period has any, the report gives the number of
    divergences instead of the divergences.
    """
    text = f"replay of period {period}"
    try:
        report = replay(history.ledger, history.game, period, limits=limits, history=history)
    except RuleFault as fault:
        return {"text": f"{text}: {fault}", "evidence": {}}
    evidence = to_plain_values(report)
    del evidence["digest"]
    bodies = period_start(history, period).bodies
    secret = [body for body in bodies if body.audience is not None]
    hidden = sum(not isinstance(body, Input) for body in secret)
    evidence["consequences"] -= hidden
    evidence["compared"] -= hidden if report.mode == "exact" else 0
    if secret and report.divergences:
        evidence |= {"divergences": [], "withheld": len(report.divergences)}
    return {"text": text, "evidence": evidence}


def to_plain_values(report: Any) -> dict[str, Any]:
    """Return a struct as plain values, for JSON."""
    encoded = msgspec.json.encode(report, enc_hook=str)
    return msgspec.json.decode(encoded, type=dict[str, Any])


def read_what_if(text: bytes, game: str) -> dict[str, Any]:
    """Return the what-if of *game* that was saved as *text*.

    Raises:
        UsageError: *text* is not a what-if, or belongs to another game.
    """
    # Imported late: what-ifs take 0.1 s to import, and every request imports this module.
    from nomoledger.game.counterfactual import WhatIf

    try:
        report = msgspec.json.decode(text, type=WhatIf)
    except msgspec.MsgspecError as error:
        raise UsageError(f"not a what-if: {error}; save one with what-if --save FILE") from None
    if report.game != game:
        raise UsageError(f"a what-if of the game {report.game}, not of {game}")
    return to_plain_values(report)


def describe_evidence(evidence: dict[str, Any]) -> Iterator[str]:
    """Yield *evidence* as text, one line per finding."""
    if "divergences" in evidence:
        yield from _describe_replay(evidence)
    elif "places" in evidence:
        yield from _describe_what_if(evidence)


def _describe_replay(report: dict[str, Any]) -> Iterator[str]:
    kind = "recorded facts" if report["mode"] == "audit" else "consequences"
    differ = len(report["divergences"]) or report.get("withheld", 0)
    result = f"{differ} differ" if differ else "nothing differs"
    yield f"{report['compared']} {kind} compared ({report['mode']}): {result}"
    for divergence in report["divergences"]:
        yield (
            f"#{divergence['event']} {divergence['what']} of {divergence['subject']}:"
            f" recorded {divergence['recorded']},"
            f" by the rules {divergence['by_rules']} ({divergence['rule']})"
        )


def _describe_what_if(report: dict[str, Any]) -> Iterator[str]:
    yield f"played again from #{report['first']} to period {report['period']}"
    first = report["difference"]
    if first is None and not report["otherwise"]:
        yield "everything would be as it is"
    if first is not None:
        yield (
            f"first at #{first['event']}: {first['recorded'] or 'nothing'};"
            f" played again: {first['rerun'] or 'nothing'}"
        )
    for difference in report["otherwise"]:
        recorded, rerun = (
            "nothing" if value is None else value
            for value in (difference["recorded"], difference["rerun"])
        )
        yield f"{difference['what']} of {difference['subject']}: {recorded} would be {rerun}"
    if report["stopped"]:
        yield f"it goes no further: {report['stopped']}"
