"""Values and edits as people write them, on the command line and in forms."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nomoledger.errors import UsageError

if TYPE_CHECKING:
    from nomoledger.events import Edit, Entry

#: How many characters a value may have to be read as YAML.
VALUE_CHARACTERS_MAX = 10_000
#: The fields of a recorded fact that a bare value can stand for.
_BARE = ("square", "amount", "value")


def written_value(text: str) -> Any:
    """Return the value of *text* in YAML if it is a number, a flag, a list or a map; else *text*.

    Raises:
        UsageError: the value cannot be recorded.

    >>> written_value("20"), written_value("[2, 3]"), written_value("12.50"), written_value("a: [")
    (20, [2, 3], '12.50', 'a: [')
    """
    if len(text) > VALUE_CHARACTERS_MAX:
        return text
    import yaml

    from nomoledger.intake.bounds import admitted
    from nomoledger.rulebook.exact_yaml import load_yaml

    try:
        value = load_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text
    if not isinstance(value, bool | int | list | dict):
        return text
    try:
        return admitted(value, "")
    except UsageError as error:
        raise UsageError(f"{text!r:.60} cannot be recorded: {error}") from None


def written_replacement(text: str) -> Any:
    """Return what an event should have been: `3,4` (dice), `yes` (a choice), `square:20` (fields).

    The value of a field may be a list in brackets.

    >>> written_replacement("square:20,detail:[20,grease]"), written_replacement("3,4")
    ({'square': 20, 'detail': [20, 'grease']}, [3, 4])
    """
    parts = _parts(text)
    fields = [part.partition(":") for part in parts]
    if all(separator and name.strip().isidentifier() for name, separator, _ in fields):
        return {name.strip(): written_value(value.strip()) for name, _, value in fields}
    if len(parts) > 1 and not text.startswith("["):
        return [written_value(part.strip()) for part in parts]
    return written_value(text)


def _parts(text: str) -> list[str]:
    """Split *text* at the commas that are in no brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "[{") - (character in "]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts if depth == 0 else text.split(",")


def written_arguments(text: str) -> dict[str, Any]:
    """Return the named arguments in *text*, as in `square=18 name="Bath Road"`.

    Raises:
        UsageError: *text* is written otherwise.

    >>> written_arguments("square=18 name='Bath Road'")
    {'square': 18, 'name': 'Bath Road'}
    """
    try:
        words = [word.partition("=") for word in shlex.split(text)]
    except ValueError as error:
        raise UsageError(f"{text!r:.60} cannot be read ({error}): write KEY=VALUE") from None
    if wrong := [name for name, separator, _ in words if not separator or not name.strip()]:
        raise UsageError(f"{wrong[0]!r:.60} is not of the form KEY=VALUE")
    return {name.strip(): written_value(value) for name, _, value in words}


def fit_to_record(entries: Sequence["Entry"], edits: tuple["Edit", ...]) -> tuple["Edit", ...]:
    """Return *edits*, with each bare value for a fact assigned to a field of that fact.

    A fact of a hand-kept record has several fields. A bare value replaces its field `square`,
    `amount` or `value`, if the fact has exactly one of them.
    """
    from nomoledger import events as e

    def fit(edit: Any) -> Any:
        if not isinstance(edit, e.Replaced) or isinstance(edit.value, dict):
            return edit
        body = entries[edit.event].body if edit.event < len(entries) else None
        if not isinstance(body, e.FactRecorded):
            return edit
        names = [name for name in _BARE if name in body.fields]
        return e.Replaced(edit.event, {names[0]: edit.value}) if len(names) == 1 else edit

    return tuple(map(fit, edits))
