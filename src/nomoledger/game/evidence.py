"""Evidence in disputes as text: replays and what-ifs."""

from collections.abc import Iterator
from typing import Any


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
    if (beyond := report.get("beyond")) is not None:
        events = "1 other event does" if beyond["events"] == 1 else f"{beyond['events']} others do"
        yield f"{events} not follow from the visible events alone, from #{beyond['first']} on"
    for divergence in report["divergences"]:
        yield (
            f"#{divergence['event']} {divergence['what']} of {divergence['subject']}:"
            f" recorded {divergence['recorded']},"
            f" by the rules {divergence['by_rules']} ({divergence['rule']})"
        )


def _describe_what_if(report: dict[str, Any]) -> Iterator[str]:
    """Yield a what-if as text. One that version 0.5 or older attached was not checked."""
    again = "played again"
    if not report.get("computed"):
        again = "by the file"
        yield "from an attached file, which nobody has checked:"
    yield f"{again} from #{report['first']} to period {report['period']}"
    first = report["difference"]
    if first is None and not report["otherwise"]:
        yield "everything would be as it is"
    if first is not None:
        yield (
            f"first at #{first['event']}: {first['recorded'] or 'nothing'};"
            f" {again}: {first['rerun'] or 'nothing'}"
        )
    for difference in report["otherwise"]:
        recorded, rerun = (
            "nothing" if value is None else value
            for value in (difference["recorded"], difference["rerun"])
        )
        yield f"{difference['what']} of {difference['subject']}: {recorded} would be {rerun}"
    if report["stopped"]:
        yield f"it goes no further: {report['stopped']}"
