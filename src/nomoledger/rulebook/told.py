"""How a rule tells events: the form of `told`, and whether its names are those of the rulebook.

told:
  player.speeding: {yes: "{player} speeds", none: "{player} no longer speeds"}
  square.color: "{it} is now {value}"                  a value is set; {was} is the one before
  option: {label: "the option of {player} on {square}", created: "{player} may buy {square}"}
  tour: ""                                             this is not mentioned
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from nomoledger.events.rules import Rule
from nomoledger.events.templates import Field, fields
from nomoledger.intake.nearest import meant

#: What can be told of a kind, and the names in such a text besides attributes and parameters.
OF_KIND = {"label": set[str](), "created": {"it"}, "destroyed": {"it"}}
#: The names in a text about an attribute, besides attributes and parameters.
OF_ATTRIBUTE = {"it", "value", "was", "until"}
#: What a text can be told for, besides the values of the attribute.
OF_VALUE = {"yes", "no", "none", "set", ""}
#: YAML reads these words as other values.
_WORDS = {True: "yes", False: "no", None: "none"}


class ToldFault(NamedTuple):
    """A fault of how *rule* tells its events: *what* is wrong, near the text *near*."""

    rule: Rule
    near: str
    what: str


def with_words(told: Any) -> Any:
    """Return *told* as read from YAML, with the keys `yes`, `no` and `none` as words.

    >>> with_words({"player.speeding": {True: "{it} speeds", "none": ""}})
    {'player.speeding': {'yes': '{it} speeds', 'none': ''}}
    """
    if not isinstance(told, dict):
        return told
    return {
        subject: {_word(key): text for key, text in entry.items()}
        if isinstance(entry, dict)
        else entry
        for subject, entry in told.items()
    }


def _word(key: Any) -> Any:
    return _WORDS.get(key, key) if key is None or isinstance(key, bool) else str(key)


def malformed(rule: Rule) -> Iterator[ToldFault]:
    """Yield the faults in how *rule* tells events that the rule alone shows."""
    for subject, key, text in _texts(rule):
        if "." not in subject and key not in OF_KIND and (key or text):
            told = f"{key!r}" if key else "a text"
            text = f"{subject} is told by {', '.join(OF_KIND)}, not by {told}"
            yield ToldFault(rule, subject, text + meant(key, OF_KIND))
            continue
        try:
            fields(text)
        except ValueError as error:
            yield ToldFault(rule, text, str(error))


def unknown_names(rules: Sequence[Rule]) -> Iterator[ToldFault]:
    """Yield the names in texts that none of *rules* declares."""
    declared: dict[str, dict[str, str]] = {}
    for rule in rules:
        for kind, attributes in rule.declares.items():
            declared.setdefault(kind, {}).update(attributes)
    for rule in rules:
        for subject, key, text in _texts(rule):
            kind, _, attribute = subject.partition(".")
            if kind not in declared or (attribute and attribute not in declared[kind]):
                is_kind = kind not in declared
                missing = (
                    f"the kind {kind!r}" if is_kind else f"the attribute {attribute!r} of {kind}"
                )
                hint = meant(*((kind, declared) if is_kind else (attribute, declared[kind])))
                yield ToldFault(rule, subject, f"no rule declares {missing}{hint}")
                continue
            extra = OF_ATTRIBUTE if attribute else OF_KIND.get(key, set())
            for field in fields(text):
                known = {*declared[kind], *extra, *rule.parameters}
                yield from _unknown(rule, subject, field, known)


def _unknown(rule: Rule, subject: str, field: Field, known: set[str]) -> Iterator[ToldFault]:
    for name in filter(None, (field.name, field.added)):
        if name not in known:
            listed = ", ".join(sorted(known))
            yield ToldFault(
                rule,
                f"{{{field.name}",
                f"{subject} has no {name!r} to tell; it has {listed}{meant(name, known)}",
            )


def _texts(rule: Rule) -> Iterator[tuple[str, str, str]]:
    """Yield each text with its subject and its key (empty for one text for all)."""
    told: Mapping[str, str | dict[str, str]] = rule.told
    for subject, entry in told.items():
        if isinstance(entry, str):
            yield subject, "", entry
        else:
            for key, text in entry.items():
                yield subject, key, text
