"""The check of a rule's data: what it declares, and what it refers to."""

from collections.abc import Collection, Iterator

from nomoledger.errors import RulebookError
from nomoledger.events.durations import SECONDS
from nomoledger.events.rules import HOLDINGS, Capabilities, FactMapping, Rewording, Rule
from nomoledger.intake.nearest import meant, nearest
from nomoledger.language.amended_rule import amended, change_prepared
from nomoledger.language.code import KINDS, parse_code
from nomoledger.language.host_verbs import HOST_VERBS
from nomoledger.language.operations import kind_type
from nomoledger.language.reserved import words_of_language
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.code_check import CodeCheck
from nomoledger.rulebook.checker.known_names import OF_ENGINE, KnownNames
from nomoledger.rulebook.checker.signatures import signature_of_operation

#: A place in the data, such as ("declares", "square"), and a text.
Found = Iterator[tuple[tuple[str, ...], str]]
_UNITS = (*SECONDS, "percent", "dollars", "squares", "players")


class DataCheck:
    """The check of the data of one rule."""

    def __init__(self, rule: Rule, names: KnownNames, checks: dict[str, CodeCheck]) -> None:
        """Prepare the check of *rule*; *checks* has the checks of the code of all rules."""
        self.rule = rule
        self.names = names
        self.checks = checks

    def check(self) -> Found:
        """Yield the faults of the data."""
        yield from self._declares()
        yield from self._parameters()
        yield from self._units()
        yield from self._moments()
        yield from self._endings()
        yield from self._references()
        yield from self._rewordings()
        for kind, mapping in self.rule.facts.items():
            yield from self._fact(kind, mapping)
        yield from self._pages()
        yield from self._shown()
        if self.rule.capabilities is not None:
            yield from self._capabilities(self.rule.capabilities)
        if self.rule.common and self.rule.parameters:
            text = "a common definition has no parameters: give them to the rules that use it"
            yield ("parameters",), text

    def _declares(self) -> Found:
        for kind, attributes in self.rule.declares.items():
            for name, type_ in attributes.items():
                word = self.names.unknown_type(type_)
                if word is not None:
                    hint = meant(word, self.names.type_names)
                    yield ("declares", kind, name), f"there is no type {word!r}{hint}"
            if self._is_used(kind) or not self.names.may_suggest():
                continue
            near = nearest(kind, self.names.kinds)
            if near is not None and self._is_used(near):
                text = f"nothing uses the kind {kind!r}; did you mean {near!r}?"
                yield ("declares", kind), text

    def _is_used(self, kind: str) -> bool:
        """Return whether rules name *kind* in their code, in types, or give it a key."""
        if kind in ("game", "player"):
            return True
        type_, code = kind_type(kind), self.names.written_code
        return (
            f'"{kind}"' in code
            or f"'{kind}'" in code
            or type_ in code
            or type_ in self.names.written_types
            or any(
                text.endswith(" key")
                for rule in self.names.declaring_kind[kind]
                for text in rule.declares[kind].values()
            )
        )

    def _parameters(self) -> Found:
        words = words_of_language(self.names.level)
        for name in self.rule.parameters:
            if name in words:
                text = f"the parameter {name!r} hides the word {name} of the language"
                yield ("parameters", name), f"{text}: give it another name"

    def _units(self) -> Found:
        for name, value in self.rule.parameters.items():
            if isinstance(value, dict) and len(value) <= 2 and {"value", "unit"} & set(value):
                keys = ", ".join(map(str, value))
                text = f"{name} with a unit is written {{value: …, unit: …}}, not with {keys}"
                yield ("parameters", name), text
        known = self.names.things_counted.union(_UNITS)
        for name, unit in self.rule.units.items():
            place = ("parameters", name, "unit")
            if f"{unit}s" in SECONDS:
                yield place, f"the unit of {name} is written in the plural: {unit}s"
            elif unit not in known and self.names.units[unit] == 1:
                others = {other for other, count in self.names.units.items() if count > 1}
                near = nearest(unit, known | others)
                if near is not None and self.names.unit(near) != self.names.unit(unit):
                    yield place, f"there is no unit {unit!r}; did you mean {near!r}?"
            if unit in SECONDS and not t.is_numeric(t.something(self._parameter(name))):
                yield place, f"{name} has the unit {unit}, so its value is a number"

    def _parameter(self, name: str) -> t.Type:
        type_ = (
            self.names.type_of_parameter(self.rule, name)
            if name in self.rule.parameters
            else t.UNKNOWN
        )
        return t.items_of(type_) if t.names_of(type_) == {"List"} else type_

    def _moments(self) -> Found:
        for moment, parameters in self.rule.moments.items():
            for name, type_ in parameters.items():
                word = self.names.unknown_type(type_) if type_ else None
                if word is not None:
                    hint = meant(word, self.names.type_names)
                    yield ("moments", moment, name), f"there is no type {word!r}{hint}"

    def _endings(self) -> Found:
        for ending in self.rule.when_gone:
            kinds = self.names.kinds
            if ending.kind not in kinds:
                text = f"no rule declares the kind {ending.kind!r}{meant(ending.kind, kinds)}"
                yield ("when_gone", ending.kind), text
                continue
            known = kinds[ending.kind]
            for name, value in (*ending.where.items(), *ending.set.items()):
                place = ("when_gone", ending.kind, name)
                if name not in known:
                    text = f"no rule declares the attribute {name!r} of {ending.kind}"
                    yield place, text + meant(name, known)
                elif not _can_hold(known[name], value):
                    text = f"the attribute {name!r} of {ending.kind} is {t.describe(known[name])}"
                    yield place, f"{text}, not {value!r}"

    def _references(self) -> Found:
        for number in self.rule.overrides:
            if number not in self.names.rules:
                hint = meant(number, self.names.rules)
                yield ("overrides", number), f"there is no rule {number} to override{hint}"
        known = {*self.names.actions, *OF_ENGINE}
        for action in self.rule.secret:
            if action not in known:
                text = f"no rule defines the action {action!r}{meant(action, known)}"
                yield ("secret", action), text

    def _rewordings(self) -> Found:
        for subject, rewording in self.rule.subjects.items():
            if rewording.repeal and rewording != Rewording(repeal=True):
                yield ("subjects", subject), "a rule that is repealed gets no new words"
                continue
            try:
                parse_code(amended(self.rule, change_prepared(self.rule, subject)))
            except RulebookError as error:
                yield ("subjects", subject), f"what is prepared does not fit: {error}"

    def _fact(self, kind: str, mapping: FactMapping) -> Found:
        for role in ("attempt", "asks", "prevails", "otherwise"):
            name = getattr(mapping, role)
            if name is None:
                continue
            operation = self.names.operations.get(name)
            place = ("facts", kind, role)
            if operation is None:
                if name not in OF_ENGINE:
                    hint = meant(name, self.names.operations)
                    yield place, f"no rule says what the operation {name!r} is{hint}"
                continue
            signature = signature_of_operation(operation)
            given = len(mapping.given) + (
                role in ("prevails", "otherwise") and mapping.value is not None
            )
            is_too_many = role == "attempt" and given > len(signature.names)
            if is_too_many or not any(signature.takes(count) for count in range(given + 1)):
                text = f"{name} takes ({', '.join(signature.names)}), and is given {given} fields"
                yield (*place[:2], "given"), text
        if mapping.attribute is not None and mapping.attribute not in self.names.attributes:
            hint = meant(mapping.attribute, self.names.attributes)
            place = ("facts", kind, "attribute")
            yield place, f"no rule declares the attribute {mapping.attribute!r}{hint}"
        if mapping.commodity is not None and mapping.commodity not in self.names.commodities:
            hint = meant(mapping.commodity, self.names.commodities)
            place = ("facts", kind, "commodity")
            yield place, f"no rule declares the commodity {mapping.commodity!r}{hint}"

    def _pages(self) -> Found:
        for title, page in self.rule.pages.items():
            for heading, name in page.values.items():
                yield from self._value(name, 0, ("pages", title, "values", heading))
            for heading, table in page.tables.items():
                place = ("pages", title, "tables", heading)
                if table.kind not in self.names.kinds:
                    hint = meant(table.kind, self.names.kinds)
                    yield (*place, "kind"), f"no rule declares the kind {table.kind!r}{hint}"
                    continue
                for name in table.where:
                    yield from self._value(name, 1, (*place, "where", name), table.kind)
                for column, name in table.columns.items():
                    yield from self._value(name, 1, (*place, "columns", column), table.kind)

    def _shown(self) -> Found:
        for path, value in self.rule.shown.items():
            kind, _, attribute = path.partition(".")
            known = {f"{k}.{name}" for k, table in self.names.kinds.items() for name in table}
            if path not in known:
                text = f"no rule declares the attribute {attribute!r} of {kind}"
                yield ("shown", path), f"{text}{meant(path, known)}"
            yield from self._value(value, 1, ("shown", path))

    def _value(self, name: str, given: int, place: tuple[str, ...], kind: str = "") -> Found:
        """Yield why *name* is not shown: neither an attribute of *kind* nor a fitting value."""
        of_kind = {*self.names.kinds[kind], *self.names.commodities, HOLDINGS} if kind else set()
        values = {name for name, op in self.names.operations.items() if op.is_value}
        if name in of_kind:
            return
        if name not in values:
            what = "attribute, commodity or value" if kind else "value"
            yield place, f"there is no {what} {name!r}{meant(name, {*of_kind, *values})}"
        elif not signature_of_operation(self.names.operations[name]).takes(given):
            yield place, f"the value {name} cannot be asked with {given or 'no'} thing"

    def _capabilities(self, allowed: Capabilities) -> Found:
        hooks = {f"{kind}_{name}" for kind in KINDS for name in self.names.links.operations}
        hooks |= {f"{kind}_{name}" for kind in KINDS for name in self.names.hookable}
        attributes = {*self.names.attributes, "balance"}
        lists: tuple[tuple[str, Collection[str], Collection[str], str], ...] = (
            ("hooks", allowed.hooks, {*hooks, "on_enact", "on_repeal"}, "hook"),
            ("verbs", allowed.verbs, HOST_VERBS, "verb"),
            ("attributes", allowed.attributes, attributes, "attribute"),
            ("reads", allowed.reads or (), attributes, "attribute"),
        )
        for part, words, known, what in lists:
            for word in words:
                is_check = part == "hooks" and word.startswith("check_")
                if word not in known and not is_check:
                    text = f"there is no {what} {word!r}{meant(word, known)}"
                    yield ("capabilities", part, word), text
        values = {name for name, op in self.names.operations.items() if op.is_value}
        if allowed.subject is not None and allowed.subject not in values:
            text = f"no rule defines the value {allowed.subject!r}{meant(allowed.subject, values)}"
            yield ("capabilities", "subject"), text


def _can_hold(type_: t.Type, value: object) -> bool:
    """Return whether an attribute of *type_* can be *value*, as data states it."""
    if value is None or not type_ or any(atom.is_kind for atom in type_):
        return True
    found = {bool: t.FLAG, int: t.COUNT, str: t.TEXT}.get(type(value), t.UNKNOWN)
    return t.fits(found, type_)
