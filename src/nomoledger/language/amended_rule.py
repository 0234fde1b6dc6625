"""The next version of a rule, as an amendment makes it."""

from typing import Any

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.events import rules as r
from nomoledger.language.code import replace_functions
from nomoledger.language.parameters import is_new_decimal, misfit


class AmendmentError(RulebookError):
    """An amendment does not fit its rule; *faults* says why, a line each."""

    def __init__(self, *faults: str) -> None:
        """Describe what is wrong in *faults*."""
        super().__init__("; ".join(faults))
        self.faults = faults


#: The fields that an amendment replaces as a whole.
_WHOLE_FIELDS = (
    *("title", "prose", "code", "declares", "commodities", "facts", "told"),
    *("mentions", "subjects", "pages"),
)


def amended(old: r.Rule, change: r.Amend, *, forgets_rules: bool = False) -> r.Rule:
    """Return the next version of the rule *old*, as *change* amends it.

    What was prepared for the subjects of the rule does not fit other words or code: an amendment of
    these ends it, unless it prepares something new. In games that forget rules, only whole fields
    are replaced, and nothing is checked.

    Raises:
        AmendmentError: the change does not fit the rule.
    """
    fields = {
        name: getattr(change, name) for name in _WHOLE_FIELDS if getattr(change, name) is not None
    }
    if change.subjects is None and _is_reworded(change):
        fields |= {"subjects": {subject: r.Rewording() for subject in old.subjects}}
    if change.code:  # A rule has code or a reason for having none, never both.
        fields |= {"text_only": None, "by_ruling": None}
    rule = msgspec.structs.replace(
        old, **fields, version=old.version + 1, parameters=old.parameters | change.parameters
    )
    if forgets_rules:
        return rule
    try:
        rule = _with_parts(rule, change)
    except RulebookError as error:
        raise AmendmentError(str(error)) from None
    if faults := list(_misfits(old, rule, change).values()):
        raise AmendmentError(*faults)
    decimals = {
        name: "" for name, value in rule.parameters.items() if is_new_decimal(old, name, value)
    }
    return msgspec.structs.replace(rule, units=decimals | rule.units)


def _is_reworded(change: r.Amend | r.Rewording) -> bool:
    return change.prose is not None or change.code is not None or bool(change.functions)


def _with_parts(rule: r.Rule, change: r.Amend) -> r.Rule:
    """Return *rule* with the functions and the entries of lists that *change* replaces."""
    code = replace_functions(rule, change.functions)
    parameters = dict(rule.parameters)
    for name, pairs in change.entries.items():
        parameters[name] = _with_entries(rule, name, pairs)
    return msgspec.structs.replace(rule, code=code, parameters=parameters)


def _with_entries(rule: r.Rule, name: str, pairs: tuple[tuple[Any, Any], ...]) -> Any:
    """Return the list *name* of *rule* with one entry in place of another for each of *pairs*."""
    values = rule.parameters.get(name)
    if not isinstance(values, list | tuple):
        raise RulebookError(f"rule {rule.number} has no list {name!r:.60}")
    for old, new in pairs:
        if old is None:
            values = [*values, new]
        elif old not in values:
            raise RulebookError(f"{name} of rule {rule.number} has no entry {old!r:.60}")
        else:
            place = list(values).index(old)
            values = [*values[:place], *([] if new is None else [new]), *values[place + 1 :]]
    return values


def change_prepared(rule: r.Rule, subject: str) -> r.Amend:
    """Return the amendment that *rule* has prepared for the removal of *subject*."""
    rewording = rule.subjects[subject]
    others = {name: each for name, each in rule.subjects.items() if name != subject}
    if _is_reworded(rewording):
        others = dict.fromkeys(others, r.Rewording())
    return r.Amend(
        number=rule.number,
        title=rewording.title,
        prose=rewording.prose,
        code=rewording.code,
        parameters=rewording.parameters,
        functions=rewording.functions,
        subjects=others,
    )


def fitting_part(old: r.Rule, change: r.Amend) -> r.Amend:
    """Return *change* without the parameters that do not fit the rule *old*."""
    parameters = old.parameters | change.parameters
    misfits = _misfits(old, msgspec.structs.replace(old, parameters=parameters), change)
    kept = {name: value for name, value in change.parameters.items() if name not in misfits}
    return msgspec.structs.replace(change, parameters=kept)


def _misfits(old: r.Rule, new: r.Rule, change: r.Amend) -> dict[str, str]:
    """Return why parameters of *new* do not fit, by name.

    They exist already, or come with the code, and they keep their types.
    """
    is_recoded = change.code is not None or bool(change.functions)
    faults = {}
    for name, value in new.parameters.items():
        if name not in old.parameters:
            if not is_recoded:
                known = ", ".join(old.parameters) or "none"
                faults[name] = f"rule {new.number} has no parameter {name!r:.60}; it has {known}"
        elif value != old.parameters[name] and (why := misfit(old, name, value)):
            faults[name] = f"rule {new.number}: {why}"
    return faults
