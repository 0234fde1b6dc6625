"""The check of calls of verbs, the words of the language."""

import ast
from collections.abc import Collection

from nomoledger.events.durations import SECONDS
from nomoledger.intake.nearest import meant
from nomoledger.language.amendments import REPEAL_STATES
from nomoledger.language.verbs import MODES
from nomoledger.rulebook.checker import types as t
from nomoledger.rulebook.checker.attribute_check import AttributeCheck
from nomoledger.rulebook.checker.constants import text_in
from nomoledger.rulebook.checker.operation_check import OperationCheck
from nomoledger.rulebook.checker.reader import Reader
from nomoledger.rulebook.checker.signatures import signature_of_verb
from nomoledger.rulebook.checker.types import Type
from nomoledger.rulebook.checker.value_check import ValueCheck
from nomoledger.rulebook.checker.verb_results import VerbResults
from nomoledger.rulebook.checker.written_duration import as_duration

#: The arguments of verbs by name: those that are accounts, things, numbers or texts.
_ACCOUNTS = ("payer", "payee", "giver", "taker", "account", "remainder_to")
_THINGS = ("entity", "piece")
_NUMBERS = ("dice", "sides", "times", "n", "d", "dividend", "divisor", "value", "period")
_TEXTS = ("why", "label", "text", "question", "for_", "title", "prose")
_LISTS = ("options", "winners", "numbers", "items")
#: The verbs that are given the number of a proposal.
_OF_PROPOSALS = ("adopt", "proposed", "wording")
#: The verbs that name a rule by its number.
_OF_RULES = ("param", "amend", "repeal", "renumber", "reword")
#: The verbs whose first argument is an operation, to which the other arguments go.
_OF_OPERATIONS = ("schedule", "cancel", "would", "may")


class VerbCheck:
    """The check of the calls of verbs in one rule."""

    def __init__(self, reader: Reader) -> None:
        """Check the calls that *reader* comes upon."""
        self.reader = reader
        self.names = reader.names
        self.values = ValueCheck(reader)
        self.attributes = AttributeCheck(reader)
        self.operations = OperationCheck(reader)
        self.results = VerbResults(reader)

    def type_of(self, name: str, node: ast.Call, types: list[Type]) -> Type:
        """Return what the call *node* of a verb returns, and report the faults in it."""
        if name in _OF_OPERATIONS:
            self._of_operation(name, node, types)
        signature = signature_of_verb(name)
        if signature is None:
            return self.results.type_of(name, {}, types)
        self._starlark(name, node, types)
        problem = signature.problem(name, node)
        if problem is not None:
            self.reader.fault(node, problem)
        given: dict[str, ast.expr] = {}
        if not any(isinstance(argument, ast.Starred) for argument in node.args):
            given = dict(zip(signature.names, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg}
        for parameter, argument in given.items():
            self._argument(name, parameter, argument, given)
        if name == "where":
            self.attributes.check_table(given, ((k.arg, k.value) for k in node.keywords if k.arg))
        return self.results.type_of(name, given, types)

    def _starlark(self, name: str, node: ast.Call, types: list[Type]) -> None:
        """Check the arguments of the functions of Starlark that need numbers or lists."""
        if name in ("range", "abs"):
            for argument, type_ in zip(node.args, types, strict=True):
                self.values.is_number(f"what {name} is given", argument, type_)
        elif name in ("len", "sorted", "reversed", "enumerate") and types:
            type_ = t.something(types[0])
            if (
                type_
                and not t.names_of(type_) & {"List", "Table", "Text"}
                and not t.has_kind(type_)
            ):
                text = f"{name} is given a list, and this is {t.describe(type_)}"
                self.reader.fault(node.args[0], text)

    def _argument(
        self, verb: str, parameter: str, node: ast.expr, given: dict[str, ast.expr]
    ) -> None:
        """Check one argument of a verb."""
        type_ = self.reader.seen(node)
        what = f"the {parameter.rstrip('_')} of {verb}"
        text = text_in(node)
        if parameter in _ACCOUNTS:
            self._account(what, node, type_)
        elif parameter in _THINGS or (parameter, verb) in (("player", "ask"), ("player", "act")):
            self.values.check_thing(what, node, type_)
        elif parameter in ("amount", "quantity"):
            self._amount(what, node, type_, given)
        elif parameter == "commodity":
            self._commodity(what, node, type_)
        elif parameter == "attribute":
            self.attributes.check_name(what, node, type_, given)
        elif parameter == "kind":
            self._kind(what, node, type_)
        elif parameter == "attributes":
            self.attributes.check_created(node, type_, given)
        elif parameter == "square":
            self._place(what, node, type_)
        elif parameter == "mode" and text is not None and text not in MODES:
            known = ", ".join(MODES)
            self.reader.fault(node, f"{text!r} is no way to move: {known}{meant(text, MODES)}")
        elif parameter == "per":
            self._per(verb, node, text)
        elif parameter == "due" or (verb, parameter) == ("set", "until"):
            self._due(what, node, type_)
        elif parameter == "follows":
            self._follows(what, node, type_)
        elif parameter == "number" and verb in _OF_RULES:
            self._rule(verb, node, type_, given)
        elif (verb, parameter) == ("act", "action"):
            self._operation(node, text, self.names.actions)
        elif (verb, parameter) == ("within", "operation"):
            self._operation(node, text, self.names.hookable)
        elif (verb, parameter) == ("find", "called"):
            self._called(node, type_, given)
        elif (verb, parameter) == ("set", "value"):
            self.attributes.check_value(node, type_, given)
        elif (verb, parameter) == ("repeal", "state"):
            self._state_of_repeal(node, text)
        elif parameter == "proposal" and verb in _OF_PROPOSALS:
            self._proposal(what, node, type_)
        elif parameter == "shares":
            self._shares(what, node, type_)
        else:
            self._plain_argument(verb, parameter, node, given)

    def _plain_argument(
        self, verb: str, parameter: str, node: ast.expr, given: dict[str, ast.expr]
    ) -> None:
        type_ = self.reader.seen(node)
        what = f"the {parameter.rstrip('_')} of {verb}"
        if parameter in _NUMBERS and verb != "set":
            is_step = verb in ("set_to", "add", "times", "at_most", "at_least")
            self.values.is_number(what, node, type_)
            if is_step and parameter == "n" and verb != "times":
                self._step(verb, node, type_)
            if (verb, parameter) == ("times", "n") and "d" not in given:
                self._factor(node, type_)
            if verb in SECONDS:
                self._duration(verb, node, type_)
        elif parameter in _TEXTS:
            wanted = t.TEXT
            is_counted = parameter == "label" and verb in ("tally", "tallied", "once")
            is_thing = t.has_kind(type_) and (not is_counted or "Text" in t.names_of(type_))
            if is_thing:
                return
            if not t.fits(t.something(type_), wanted) or t.has_kind(type_):
                found = t.describe(type_)
                self.reader.fault(node, f"{what} is a text, and this is {found}")
        elif parameter in _LISTS and not t.fits(t.something(type_), t.NAMED["List"]):
            self.reader.fault(node, f"{what} is a list, and this is {t.describe(type_)}")

    def _account(self, what: str, node: ast.expr, type_: Type) -> None:
        text = text_in(node)
        if text is not None:
            known = self.names.accounts | self.names.things
            if text not in known:
                self.reader.fault(
                    node, f"no rule declares the account {text!r}{meant(text, known)}"
                )
        elif not (t.names_of(type_) <= {"Text", "Nothing"} or t.has_kind(type_) or not type_):
            self.reader.fault(
                node, f"{what} is a player or an account, and this is {t.describe(type_)}"
            )

    def _shares(self, what: str, node: ast.expr, type_: Type) -> None:
        """Check that *node* is a list of pairs of a payee and a weight."""
        for found, words in (
            (t.something(type_), ""),
            (t.items_of(t.something(type_)), "a list of "),
        ):
            if found and "List" not in t.names_of(found):
                text = f"{what} is a list of lists [payee, weight], and this is {words}"
                self.reader.fault(node, text + t.describe(found))
        written = node.elts if isinstance(node, ast.List) else [node]
        for share in (each.elt if isinstance(each, ast.ListComp) else each for each in written):
            if isinstance(share, ast.List) and len(share.elts) == 2:
                payee, weight = share.elts
                self._account("the payee of split", payee, self.reader.seen(payee))
                self.values.is_number("the weight of split", weight, self.reader.seen(weight))

    def _place(self, what: str, node: ast.expr, type_: Type) -> None:
        wanted = self.names.places
        if not t.fits(t.something(type_), wanted) and t.names_of(type_) != {"Text"}:
            text = f"{what} is {t.describe(wanted)}, and this is {t.describe(type_)}"
            self.reader.fault(node, text + self.values.way_to(node, t.something(type_), wanted))

    def _amount(self, what: str, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        if not self.values.is_number(what, node, type_) or not type_:
            return
        commodity = given.get("commodity")
        name = None if commodity is None else text_in(commodity)
        if commodity is not None and name is None and not _is_none(commodity):
            return
        unit = self.names.unit_of_commodity(name)
        atoms = [atom for atom in type_ if atom.name in t.NUMERIC]
        wrong = [atom for atom in atoms if not self._is_paid(atom, unit)]
        if wrong and len(wrong) == len(atoms):
            paid = "money" if unit == t.MONEY else unit
            text = f"{what} is counted in {paid}, and this is {t.describe_atom(wrong[0])}"
            self.reader.fault(node, text)

    def _is_paid(self, atom: t.Atom, unit: str) -> bool:
        """Return whether an amount in *unit* can be a number of type *atom*."""
        if atom.is_time:
            return False
        if not unit or atom.unit in ("", t.PLAIN, unit):
            return True
        is_known = atom.unit == t.MONEY or atom.unit in self.names.commodities
        if is_known or self.names.is_counted(atom.unit):
            return False
        return unit != t.MONEY or self.names.money != "$"

    def _commodity(self, what: str, node: ast.expr, type_: Type) -> None:
        text, known = text_in(node), self.names.commodities
        if text is not None and text not in known:
            self.reader.fault(node, f"no rule declares the commodity {text!r}{meant(text, known)}")
        else:
            self.values.check_word(what, node, type_)

    def _kind(self, what: str, node: ast.expr, type_: Type) -> None:
        text = text_in(node)
        if text is not None:
            self.values.check_kind(node, text)
        else:
            self.values.check_word(what, node, type_)

    def _per(self, verb: str, node: ast.expr, text: str | None) -> None:
        if text in (None, "period", "game"):
            return
        if verb == "once":
            self._operation(node, text, {*self.names.hookable, "period", "game"})
        else:
            hint = meant(str(text), ("period", "game"))
            text = f'per is "period" or "game", not {text!r}'
            self.reader.fault(node, text + hint)

    def _due(self, what: str, node: ast.expr, type_: Type) -> None:
        text = text_in(node)
        is_until = what.endswith("set")
        if text is not None and is_until and text in ("period", "use"):
            return
        if text is not None and is_until:
            hint = meant(text, ("period", "use"))
            self.reader.fault(node, f'until is a time, "period" or "use", not {text!r}{hint}')
            return
        atoms = t.something(type_)
        if t.fits(atoms, t.TIME) or (is_until and "Text" in t.names_of(atoms)):
            return
        way = f"write now() + {ast.unparse(node):.40}"
        numbers = [atom for atom in atoms if atom.name == "Number"]
        if numbers:
            way = f"{as_duration(numbers[0], node)}, and add it to now()"
        self.reader.fault(node, f"{what} is a time, and this is {t.describe(atoms)}: {way}")

    def _follows(self, what: str, node: ast.expr, type_: Type) -> None:
        rule, text = self.reader.rule, text_in(node)
        if text is None:
            if not t.fits(type_, t.TEXT):
                found = f'{what} is the name of a parameter: write "{ast.unparse(node)}"'
                self.reader.fault(node, found)
            return
        self.reader.used.add(text)
        if text not in rule.parameters:
            hint = meant(text, rule.parameters)
            self.reader.fault(node, f"this rule has no parameter {text!r} to follow{hint}")
        elif rule.units.get(text) not in SECONDS:
            units = ", ".join(SECONDS)
            text = (
                f"a timer follows a parameter with a unit of time ({units}); give one to {text!r}"
            )
            self.reader.fault(node, text)

    def _rule(self, verb: str, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        number = text_in(node)
        if number is None:
            if not t.fits(type_, t.TEXT):
                text = f'numbers of rules are texts: write "{ast.unparse(node)}"'
                self.reader.fault(node, text)
            return
        rules = self.names.rules
        if number not in rules:
            self.reader.fault(node, f"there is no rule {number}{meant(number, rules)}")
            return
        known = rules[number].parameters
        words = [text_in(given["name"])] if verb == "param" and "name" in given else []
        words += [word for word in given if verb == "amend" and word != "number"]
        for word in words:
            if word is not None and word not in known:
                text = f"rule {number} has no parameter {word!r}{meant(word, known)}"
                self.reader.fault(given.get("name", node), text)

    def _state_of_repeal(self, node: ast.expr, text: str | None) -> None:
        if text is not None and text not in REPEAL_STATES:
            hint = meant(text, REPEAL_STATES)
            self.reader.fault(node, f"a repeal says keep, freeze or drop, not {text!r}{hint}")

    def _proposal(self, what: str, node: ast.expr, type_: Type) -> None:
        found = t.something(type_)
        if not t.is_numeric(found):
            way = f": write get({ast.unparse(node)}, 'number')" if _is_proposal(found) else ""
            text = f"{what} is the number of a proposal, and this is {t.describe(found)}{way}"
            self.reader.fault(node, text)

    def _operation(self, node: ast.expr, name: str | None, known: Collection[str]) -> None:
        if name is not None and name not in known:
            text = f"no rule says what the operation {name!r} is{meant(name, known)}"
            self.reader.fault(node, text)

    def _called(self, node: ast.expr, type_: Type, given: dict[str, ast.expr]) -> None:
        kind = text_in(given["kind"]) if "kind" in given else None
        key = self.names.key_type(kind or "")
        if kind is not None and not t.are_comparable(type_, key):
            text = f"people call a {kind} by {t.describe(key)}, and this is {t.describe(type_)}"
            self.reader.fault(node, text)

    def _step(self, verb: str, node: ast.expr, type_: Type) -> None:
        """Check that a step on a value is counted in what the value is counted in."""
        hook = self.reader.hook
        operation = None if hook is None else self.names.operations.get(hook.operation)
        if hook is None or hook.kind != "adjust" or operation is None:
            return
        value = self.reader.result_of_operation(operation)
        if value and type_ and not t.are_comparable(type_, value):
            text = f"{hook.operation} is {t.describe(value)}, and this is {t.describe(type_)}"
            self.reader.fault(node, text)

    def _factor(self, node: ast.expr, type_: Type) -> None:
        if any(atom.unit == "percent" for atom in type_):
            written = ast.unparse(node)
            text = f"this multiplies by {written}, which is percent: write times({written}, 100)"
            self.reader.fault(node, text)

    def _duration(self, verb: str, node: ast.expr, type_: Type) -> None:
        atoms = [atom for atom in type_ if atom.name in t.NUMERIC]
        units = {atom.name if atom.is_time else atom.unit for atom in atoms}
        if not atoms or units & {"", t.PLAIN, verb}:
            return
        written = ast.unparse(node)
        if (unit := atoms[0].unit) in SECONDS:
            text = f"{written} is a number of {unit}: write {unit}({written})"
        else:
            text = f"{verb}(…) takes a number of {verb}, and this is {t.describe_atom(atoms[0])}"
        self.reader.fault(node, text)

    def _of_operation(self, verb: str, node: ast.Call, types: list[Type]) -> None:
        """Check the operation that a verb names, and the arguments for it."""
        if not node.args:
            return
        for keyword in node.keywords:
            if (verb, keyword.arg) == ("would", "see"):
                self._seen_value(keyword.value)
        if (name := text_in(node.args[0])) is None:
            if types[0] and "Text" not in t.names_of(types[0]):
                written = ast.unparse(node.args[0])
                hint = f': write "{written}"' if types[0] == t.FUNCTION else ""
                text = f"{verb} is given the name of an operation, and this is"
                self.reader.fault(node.args[0], f"{text} {t.describe(types[0])}{hint}")
            return
        known = self.names.hookable if verb in ("would", "may") else set(self.names.operations)
        self._operation(node.args[0], name, known)
        operation = self.names.operations.get(name)
        given = node.args[1:]
        if operation is None or any(isinstance(each, ast.Starred) for each in given):
            return
        call = ast.copy_location(ast.Call(node.func, given, []), node)
        self.operations.check(operation, call, types[1:])

    def _seen_value(self, node: ast.expr) -> None:
        """Check the value that `would` computes: a list of its name and its arguments."""
        if not isinstance(node, ast.List) or not node.elts:
            return
        name = text_in(node.elts[0])
        self._operation(node.elts[0], name, self.names.hookable)
        operation = self.names.operations.get(name or "")
        given = node.elts[1:]
        if operation is not None and not any(isinstance(each, ast.Starred) for each in given):
            call = ast.copy_location(ast.Call(node.elts[0], given, []), node)
            self.operations.check(operation, call, [self.reader.seen(each) for each in given])


def _is_proposal(type_: Type) -> bool:
    return t.names_of(type_) == {"proposal"}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
