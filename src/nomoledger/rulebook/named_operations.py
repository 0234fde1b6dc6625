"""The operations that a rule names, in its code and in its data."""

from nomoledger.events.rules import Rule
from nomoledger.language.operations import Links

#: Functions of the language whose first argument names an operation.
_NAMING = ("schedule", "would", "may")


def operations_in(links: Links, rule: Rule) -> set[str]:
    """Return the names of operations in the code and the data of *rule*."""
    code = links.codes[rule.number]
    names = set(code.free)
    names |= {hook.operation for hook in code.hooks}
    for call in code.calls:
        if call.name in _NAMING and call.constants and isinstance(call.constants[0], str):
            names.add(call.constants[0])
    for fact in rule.facts.values():
        names |= {name for name in (fact.asks, fact.attempt, fact.prevails) if name}
    if rule.capabilities is not None and rule.capabilities.subject:
        names.add(rule.capabilities.subject)
    return names
