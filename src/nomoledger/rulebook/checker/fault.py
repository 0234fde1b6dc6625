"""Faults: what the checker of rules reports."""

import msgspec


class Fault(msgspec.Struct, frozen=True, order=True):
    """Something wrong with a rule.

    Attributes:
        rule: the number of the rule.
        line: the line in the rule's code, from 1; if the rule has a file, the line in the file.
        text: what is wrong and what to do, in one line.
        file: the file of the rule; "" if it has none.
        data: the place in the rule's data (`("declares", "square")`); empty for a fault of code.
    """

    rule: str
    line: int
    text: str
    file: str = ""
    data: tuple[str, ...] = ()
