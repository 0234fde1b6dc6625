"""The check of a ruleset: every fault that its rules show without being played."""

import re
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.intake.nearest import nearest
from nomoledger.language.code import parse_code
from nomoledger.language.linker import analyze_rules, faults_of_names
from nomoledger.language.operations import Links
from nomoledger.language.reserved import faults_of_reserved_names
from nomoledger.rulebook.checker.answer_check import faults_of_answers
from nomoledger.rulebook.checker.code_check import CodeCheck
from nomoledger.rulebook.checker.data_check import DataCheck
from nomoledger.rulebook.checker.declaration_check import DeclarationCheck
from nomoledger.rulebook.checker.fault import Fault
from nomoledger.rulebook.checker.hook_check import HookCheck
from nomoledger.rulebook.checker.known_names import KnownNames
from nomoledger.rulebook.checker.tally_check import TallyCheck
from nomoledger.rulebook.checker.word_check import WordCheck
from nomoledger.rulebook.told import unknown_names
from nomoledger.state.declared_rules import Ruleset

_PLACE = re.compile(
    r"(?:(?P<file>[^\n]*?):(?P<line>\d+): )?rule (?P<rule>\S+?)(?P<colon>:?) (?P<text>.*)", re.S
)

#: How the faults of mechanics begin that the rules around them can mend.
_LACKING = ("no rule ",)


def faults_of(
    ruleset: Ruleset, numbers: Collection[str] | None = None, *, things: Collection[str] = ()
) -> list[Fault]:
    """Return the faults of the rules *numbers* of *ruleset*; by default, of all of them.

    *things* are the names of things in the game, such as its players, which rules can name.
    """
    readable, faults = _readable(ruleset)
    links, unlinked = _linked(readable)
    faults += unlinked
    names = KnownNames(links, things)
    broken = {fault.rule for fault in faults}
    checks: dict[str, CodeCheck] = {}
    for rule in links.rules:
        checks[rule.number] = CodeCheck(rule, names, checks)
    words, tallies = WordCheck(checks), TallyCheck(checks)
    faults += _faults_of_told(links.rules)
    for rule in links.rules:
        if numbers is None or rule.number in numbers:
            is_broken = rule.number in broken
            faults += _faults_of_rule(rule, names, checks, (words, tallies), is_broken=is_broken)
    places = {rule.number: place for place, rule in enumerate(ruleset.rules)}
    wanted = [fault for fault in faults if numbers is None or fault.rule in numbers]
    return sorted(wanted, key=lambda fault: (places.get(fault.rule, -1), fault.line, fault.text))


def _readable(ruleset: Ruleset) -> tuple[Ruleset, list[Fault]]:
    """Return *ruleset* without code that cannot be read, and a fault for each such code."""
    faults: list[Fault] = []
    rules = []
    for rule in ruleset.rules:
        try:
            parse_code(rule)
        except RulebookError as error:
            faults.append(_fault(ruleset, str(error)))
            rules.append(replace(rule, code=""))
        else:
            rules.append(rule)
    return replace(ruleset, rules=tuple(rules)), faults


def _linked(ruleset: Ruleset) -> tuple[Links, list[Fault]]:
    """Return *ruleset* linked, without the code that does not fit in, and the faults of that."""
    faults: list[Fault] = []
    while True:
        try:
            return analyze_rules(ruleset, reserves_words=False), faults
        except RulebookError as error:
            fault = _fault(ruleset, str(error))
            if not any(rule.number == fault.rule and _holds_any(rule) for rule in ruleset.rules):
                raise
            faults += _all_like(fault, ruleset)
            rules = [_emptied(r) if r.number == fault.rule else r for r in ruleset.rules]
            ruleset = replace(ruleset, rules=tuple(rules))


def _all_like(fault: Fault, ruleset: Ruleset) -> list[Fault]:
    """Return *fault*; if it is a name that cannot be one, all such names of the rule."""
    rule = next(rule for rule in ruleset.rules if rule.number == fault.rule)
    wrong = list(faults_of_names(rule))
    return [replace(fault, text=text) for text in wrong] if fault.text in wrong else [fault]


def _holds_any(rule: Rule) -> bool:
    return bool(rule.code or rule.parameters or rule.declares or rule.moments)


def _emptied(rule: Rule) -> Rule:
    return replace(rule, code="", parameters={}, declares={}, moments={}, facts={})


def _fault(ruleset: Ruleset, text: str) -> Fault:
    """Return the fault that the error *text* of the parser or the linker reports."""
    match = _PLACE.fullmatch(text)
    number = match["rule"] if match else ""
    rule = next((rule for rule in ruleset.rules if rule.number == number), None)
    if match is None or rule is None:
        return Fault(ruleset.rules[0].number if ruleset.rules else "", 1, text)
    what = match["text"] if match["colon"] else f"it {match['text']}"
    is_exact = match["line"] and match["colon"]
    line = int(match["line"]) if is_exact else rule.line + _line_of(rule, what) - 1
    return Fault(number, line, what, rule.file)


def _line_of(rule: Rule, text: str) -> int:
    """Return the line of the code with a word of *text* that stands in a function's name."""
    for word in re.findall(r"[a-z][a-z0-9_]+", text):
        for i, line in enumerate(rule.code.splitlines(), 1):
            if re.match(rf"def (\w+_)?{word}\(", line):
                return i
    return 1


def _faults_of_rule(
    rule: Rule,
    names: KnownNames,
    checks: dict[str, CodeCheck],
    of_all: tuple[WordCheck, TallyCheck],
    *,
    is_broken: bool,
) -> list[Fault]:
    code = checks[rule.number]
    code.check()
    hooks = HookCheck(rule, names, checks)
    words, tallies = of_all
    found = [*code.faults, *hooks.check(), *words.faults(rule.number), *tallies.faults(rule.number)]
    found += [fault for each in code.functions.values() for fault in faults_of_answers(each)]
    if rule.common:
        found += hooks.check_common()
    lines = rule.code.count("\n") + 1
    faults = [
        Fault(rule.number, rule.line + line - 1, text, rule.file)
        for line, text in dict.fromkeys(found)
        if line <= lines or not rule.mechanics
    ]
    data = [
        *DeclarationCheck(rule, names).check(),
        *DataCheck(rule, names, checks).check(),
        *words.faults_of_endings(rule),
        *words.faults_of_told(rule),
    ]
    told = {text for _place, text in data}
    reserved = faults_of_reserved_names(rule, names.level)
    data += [(_place_of(rule, name), text) for name, text in reserved if text not in told]
    data += dict.fromkeys(
        (("uses",), f"what the rule uses does not fit: {text}")
        for line, text in found
        if line > lines and rule.mechanics and text.startswith(_LACKING)
    )
    if not is_broken:
        data += _unused_parameters(rule, names, checks)
    return faults + [Fault(rule.number, rule.line, text, rule.file, place) for place, text in data]


def _place_of(rule: Rule, name: str) -> tuple[str, ...]:
    """Return the place in the data of *rule* that gives *name*; () if the code does."""
    for part in ("declares", "commodities", "accounts", "parameters", "moments"):
        if name in getattr(rule, part):
            return part, name
    kinds = (kind for kind, attributes in rule.declares.items() if name in attributes)
    return next((("declares", kind, name) for kind in kinds), ())


def _faults_of_told(rules: Sequence[Rule]) -> list[Fault]:
    """Return the names in the texts under `told` that no rule declares."""
    return [
        Fault(rule.number, rule.line, f"told: {what}", rule.file, ("told", near))
        for rule, near, what in unknown_names(rules)
    ]


def _unused_parameters(
    rule: Rule, names: KnownNames, checks: dict[str, CodeCheck]
) -> list[tuple[tuple[str, ...], str]]:
    known = checks[rule.number].used | names.read_parameters[rule.number]
    faults = " ".join(text for _line, text in checks[rule.number].faults)
    unknown = re.findall(r"no rule says what '(\w+)' is", faults)
    return [
        (("parameters", name), f"the parameter {name!r} is never used")
        for name in rule.parameters
        if name not in known and nearest(name, unknown) is None  # The other fault names it.
    ]
