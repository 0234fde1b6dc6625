"""The reference tables of `docs/rule-language.md`, written from the definitions of the verbs."""

from collections.abc import Iterator, Sequence

from nomoledger.events.durations import SECONDS
from nomoledger.language.host_verbs import HOST_VERBS, HostVerb
from nomoledger.language.linker import VERB_MODULES
from nomoledger.language.prelude import PRELUDE_VERBS, PreludeVerb

#: The title of each section and the purposes of the verbs in it.
SECTIONS = (
    ("Verbs that change the game and its rules", ("change", "amend")),
    ("Verbs that read and compute", ("read", "step")),
    ("Chance and people", ("ask",)),
)
_NOTES = {
    "change": "An argument with `=` may be left out. Rules may hook {hookable}: `instead_pay`, "
    "`forbid_set`.",
    "ask": "The input, the operations under way and the label address each answer, so another "
    "draw or rule does not change it. What falls depends on the period, the player, the operation "
    "that was asked for, the label, and how often they drew before: give constant labels, and "
    "refuse before you roll.",
}


def write_reference() -> str:
    """Return the tables of all verbs that rule code may call, as Markdown."""
    hookable = ", ".join(f"`{verb.name}`" for verb in HOST_VERBS.values() if verb.is_hookable)
    sections = []
    for title, purposes in SECTIONS:
        rows = [row for purpose in purposes for row in _rows(purpose)]
        lines = [f"## {title}", "", "| verb | what it does |", "|---|---|", *rows]
        if purposes[0] in _NOTES:
            lines += ["", _NOTES[purposes[0]].format(hookable=hookable)]
        sections.append("\n".join(lines))
    return "\n\n".join(sections) + "\n"


def _rows(purpose: str) -> Iterator[str]:
    modules = [module.__name__ for module in VERB_MODULES]
    host_verbs = sorted(
        HOST_VERBS.values(), key=lambda verb: modules.index(verb.function.__module__)
    )
    verbs: list[HostVerb | PreludeVerb] = [*host_verbs, *PRELUDE_VERBS.values()]
    wanted = [verb for verb in verbs if verb.purpose == purpose]
    if purpose == "step":
        steps = " ".join(verb.description for verb in wanted)
        yield _row(wanted, f"The steps that an `adjust_` hook returns, in this order: {steps}")
        return
    durations = [verb for verb in wanted if verb.name in SECONDS]
    for verb in wanted:
        if verb not in durations:
            yield _row([verb], verb.description)
    if durations:
        *units, last = SECONDS
        yield _row(durations, f"Return a duration of *n* {', '.join(units)} or {last}.")


def _row(verbs: Sequence[HostVerb | PreludeVerb], description: str) -> str:
    signatures = ", ".join(f"`{verb.name}({verb.signature})`" for verb in verbs)
    return f"| {signatures} | {description} |"
