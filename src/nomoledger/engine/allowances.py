"""The limits that an attempt has where a level adds them up, and those on the rules in force."""

from collections.abc import Sequence

from nomoledger import events as e
from nomoledger.events.rules import Rule
from nomoledger.language.host import Refused
from nomoledger.state.reducer import CLOSING, RULINGS, SETTLE
from nomoledger.state.shares import Allowance, Use, adds_up, allowance
from nomoledger.state.world import Attempt, World

#: How many rules can be in force, and how many letters their code can have together.
RULES_MAX = 1_000
CODE_LETTERS_MAX = 4_000_000
#: The attempts that no sum refuses: only the limits of one attempt hold. A game can always be
#: closed, and a ruling can always change what is wrong.
_ALWAYS = ("@close", CLOSING, "@enacted", "@given", *RULINGS)
_WITHOUT_END = 10**18


def allowance_of(world: World, attempt: Attempt) -> Allowance | None:
    """Return what *attempt* may still use; None where nothing limits it.

    What settles a ruling may be as large as what it corrects.
    """
    if not adds_up(world) or attempt.operation == SETTLE:
        return None
    if attempt.operation in _ALWAYS:
        return Allowance(Use(*[_WITHOUT_END] * len(Use._fields)), {})
    return allowance(world, attempt)


def check_rules(
    world: World, before: Sequence[Rule], staged: Sequence[e.Event], left: Allowance
) -> None:
    """Check how many rules an attempt has changed, and how many are in force with how much code.

    The attempt began with the rules *before* and made the events *staged*. What only takes away is
    never refused.

    Raises:
        Refused: there are too many.
    """
    changed = sum(isinstance(event, e.RuleEvent) for event in staged)
    if changed > left.most.rules:
        raise Refused([e.Reason("engine", left.reasons["rules"])])
    count, letters = len(world.rules), _letters(world.rules)
    if count > max(RULES_MAX, len(before)):
        text = f"at most {RULES_MAX} rules can be in force, and there would be {count}"
        raise Refused([e.Reason("engine", text)])
    if letters > max(CODE_LETTERS_MAX, _letters(before)):
        text = f"the code of all rules can have {CODE_LETTERS_MAX} letters, and there would be"
        raise Refused([e.Reason("engine", f"{text} {letters}")])


def _letters(rules: Sequence[Rule]) -> int:
    """Return the length of the code of *rules*, with that of their mechanics."""
    return sum(len(rule.code) + sum(map(len, rule.mechanics.values())) for rule in rules)
