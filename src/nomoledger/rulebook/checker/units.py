"""Units: the words in which a rule says what its parameters are measured in."""

from collections.abc import Collection

from nomoledger.events.durations import SECONDS
from nomoledger.rulebook.checker.types import MONEY

_MONEY_WORDS = ("dollar", "money", "cent", "euro", "pound")


def singular(word: str) -> str:
    """Return *word* in the singular, roughly; a unit in the plural is the same unit.

    >>> singular("dollars"), singular("flies"), singular("health"), singular("gold coins")
    ('dollar', 'fly', 'health', 'gold coin')
    """
    word = word.strip().lower().replace("_", " ")
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def unit_named(word: str, commodities: Collection[str], money: str) -> str:
    """Return the unit that *word* names, so that equal units are equal texts.

    *commodities* are the names of what can be owned, *money* that of the game's money.

    >>> unit_named("dollars", ["$", "health"], "$"), unit_named("flies", ["fly"], "fly")
    ('money', 'money')
    """
    if word in SECONDS:
        return word
    one = singular(word)
    if word == money or one == singular(money) or one in singular(money).split():
        return MONEY
    by_name = {singular(name): name for name in commodities}
    if one in by_name:
        return by_name[one]
    is_money = one in _MONEY_WORDS and (money == "$" or one in ("dollar", "money"))
    return MONEY if is_money or one == "$" else one
