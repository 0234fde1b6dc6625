"""The operations that a rule names, in its code and in its data."""

from nomoledger.events.rules import FactMapping, Rule
from nomoledger.language.operations import Links

#: Functions of the language whose first argument names an operation.
_NAMING = ("schedule", "would", "may", "within")


def operations_in(links: Links, rule: Rule) -> set[str]:
    """Return the names of operations in the code and the data of *rule*."""
    code = links.codes[rule.number]
    names = set(code.free)
    names |= {hook.operation for hook in code.hooks}
    for call in code.calls:
        if call.name in _NAMING and call.constants and isinstance(call.constants[0], str):
            names.add(call.constants[0])
    names |= _in_facts(rule) | _on_pages(rule)
    if rule.capabilities is not None and rule.capabilities.subject:
        names.add(rule.capabilities.subject)
    return names


def called_in(links: Links, rule: Rule) -> set[str]:
    """Return the names of all operations that *rule* may call, and perhaps other texts.

    A text in a call can be the name of an operation: `set_alarm("ring", …)`.
    """
    code = links.codes[rule.number]
    given = (value for call in code.calls for value in (*call.constants, *call.keywords.values()))
    return {*code.free, *_in_facts(rule), *(value for value in given if isinstance(value, str))}


def _in_facts(rule: Rule) -> set[str]:
    facts = rule.facts.values()
    return {name for fact in facts for name in _operations_of(fact) if name}


def _operations_of(fact: FactMapping) -> tuple[str | None, ...]:
    return fact.asks, fact.attempt, fact.prevails, fact.otherwise


def _on_pages(rule: Rule) -> set[str]:
    """Return the names of values, and perhaps of attributes, that are shown for *rule*."""
    names = set(rule.shown.values())
    for page in rule.pages.values():
        names |= set(page.values.values())
        for table in page.tables.values():
            names |= {*table.where, *table.columns.values()}
    return names
