"""The check of a rulebook: the faults of its rules, with the lines of the file."""

from nomoledger.errors import RulebookError
from nomoledger.intake.short_text import shortened
from nomoledger.language.program import link
from nomoledger.rulebook.checker.fault import Fault
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.rulebook.loading import Rulebook
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import World


def find_faults(rulebook: Rulebook) -> list[str]:
    """Return the faults of *rulebook* as `file:line: rule N: what`."""
    ruleset = Ruleset(rulebook.rules)
    faults = faults_of(ruleset)
    if not faults:
        try:
            link(ruleset).compile(World())
        except RulebookError as error:
            return [shortened(str(error))]
    return [_in_file(rulebook, fault) for fault in faults]


def _in_file(rulebook: Rulebook, fault: Fault) -> str:
    line = rulebook.line_of(fault.rule, fault.data) if fault.data else fault.line
    return shortened(f"{fault.file}:{line}: rule {fault.rule}: {fault.text}")
