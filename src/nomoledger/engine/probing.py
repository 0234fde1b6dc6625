"""What is wrong with the rules as things stand: a probe that changes nothing."""

from itertools import pairwise

import msgspec

from nomoledger.errors import RulebookError
from nomoledger.language.checking import failing_check
from nomoledger.language.program import link
from nomoledger.sandbox import inside
from nomoledger.state.world import Attempt, World


class RuleProblem(msgspec.Struct, frozen=True):
    """What is wrong with the rules.

    Attributes:
        rule: number of the rule that is wrong; "" if nothing is wrong.
        why: what is wrong with it.
    """

    rule: str = ""
    why: str = ""


def probe_rules(world: World) -> RuleProblem:
    """Return the first thing that is wrong with the rules of *world*: linking, then the checks.

    Raises:
        RuleFault: it takes too much time or memory to find out.
    """
    inside.notice_step("linking")
    try:
        program = link(world.ruleset)
        program.host.begin(world, Attempt(id="probe", operation="", at=world.game["now"]))
    except RulebookError as error:
        return RuleProblem(rule_named(str(error), world), f"the rules cannot be linked: {error}")
    found = failing_check(program.host)
    if found is None:
        return RuleProblem()
    (rule, name), why = found
    return RuleProblem(rule, f"{name} of rule {rule} fails or refuses after every request: {why}")


def rule_named(text: str, world: World) -> str:
    """Return the number of the rule in force that *text* names first; "" if it names none."""
    words = text.replace(":", " ").replace(",", " ").split()
    numbers = {rule.number for rule in world.rules}
    named = (word for before, word in pairwise(words) if before == "rule")
    return next((word for word in named if word in numbers), "")
