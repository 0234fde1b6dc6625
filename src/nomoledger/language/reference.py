"""The reference tables of `docs/rule-language.md`, written from the definitions of the verbs."""

from collections.abc import Iterator

from nomoledger.language.host_verbs import HOST_VERBS, HostVerb
from nomoledger.language.linker import VERB_MODULES
from nomoledger.language.prelude import PRELUDE_VERBS, PreludeVerb

#: The title of each section and the purpose of the verbs in it.
SECTIONS = (
    ("Verbs that change the game", "change"),
    ("Verbs that change the rules", "amend"),
    ("Verbs that read", "read"),
    ("Chance and people", "ask"),
    ("Steps on a value", "step"),
)
_NOTES = {
    "change": "Rules may hook {hookable}: for example `instead_pay`, `before_destroy`, "
    "`forbid_set`.\nAn argument with `=` may be left out; the value shown is then used.",
    "ask": "The input, the operations under way and the label together address each answer, so "
    "another draw or\nanother rule does not change it. An attempt whose answer is not known "
    "is suspended, and runs again when it is.",
    "step": "An `adjust_` hook returns one of these.",
}


def write_reference() -> str:
    """Return the tables of all verbs that rule code may call, as Markdown."""
    hookable = ", ".join(f"`{verb.name}`" for verb in HOST_VERBS.values() if verb.is_hookable)
    sections = []
    for title, purpose in SECTIONS:
        lines = [f"## {title}", "", "| verb | what it does |", "|---|---|", *_rows(purpose)]
        if purpose in _NOTES:
            lines += ["", _NOTES[purpose].format(hookable=hookable)]
        sections.append("\n".join(lines))
    return "\n\n".join(sections) + "\n"


def _rows(purpose: str) -> Iterator[str]:
    modules = [module.__name__ for module in VERB_MODULES]
    host_verbs = sorted(
        HOST_VERBS.values(), key=lambda verb: modules.index(verb.function.__module__)
    )
    verbs: list[HostVerb | PreludeVerb] = [*host_verbs, *PRELUDE_VERBS.values()]
    for verb in verbs:
        if verb.purpose == purpose:
            yield f"| `{verb.name}({verb.signature})` | {verb.description} |"
