"""Holds one fact of a hand-kept record against what the rules give.

A fact may state an attribute, what was paid, or what a value of the rules comes to (see `Speech`).
Where it differs the record prevails: the difference is recorded, and the state follows the record.
"""

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from nomoledger import events as e
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Speech
from nomoledger.language.host import Frame, Host, Refused
from nomoledger.language.resolve import named_arguments
from nomoledger.language.values import UNITS_MAX, NotExact, from_units, to_units
from nomoledger.state.world import World

RECORD = ("record",)
#: Told the fact, what of it differs, and the value by the rules.
Follows = Callable[[e.FactRecorded, str, Any], bool]


class Fact:
    """A fact being held against the rules.

    *number* is its number in the ledger. Where *follows* says so (of what differs, and the value by
    the rules) the state follows the fact; else the difference is only noted, to see where the rules
    would lead. *differs* is the number of the first difference noted about it so far.
    """

    def __init__(
        self,
        host: Host,
        body: e.FactRecorded,
        number: int,
        *,
        follows: Follows | bool = True,
        differs: int | None = None,
    ) -> None:
        self.host = host
        self.world: World = host.world
        self.body = body
        self.number = number
        self._follows = follows
        self.differs = differs
        self.is_unexplained = False

    def field(self, name: str | None) -> Any:
        """What the fact says under *name*; None where it says nothing.

        A name like `detail.1` is a place, counted from 0, in the list that stands under `detail`.
        """
        field, _, place = str(name).partition(".")
        said = self.body.fields.get(field)
        if not place:
            return said
        if isinstance(said, list) and place.isdecimal() and int(place) < len(said):
            return said[int(place)]
        return None

    def hold(self, speech: Speech) -> None:
        """Compare the fact with the rules, as *speech* says it is meant."""
        if speech.attribute is not None:
            self._attribute(speech)
        elif speech.paid is not None:
            self._paid(speech)
        elif speech.asks is not None:
            self._value(speech)

    # --- the three things a fact can state

    def _attribute(self, speech: Speech) -> None:
        world, called, attribute = self.world, self.field(speech.subject), str(speech.attribute)
        subject = next((f for kind in world.kinds if (f := _found(world, kind, called))), None)
        if subject is None:
            return self.unexplained(f"there is no {called!r}")
        written = self.field(speech.value)
        recorded = _resolved(world, subject, attribute, written)
        if recorded is None:
            return self.unexplained(f"there is no {attribute} {written!r}")
        by_rules = world.get(subject, attribute)
        rules = world.origins.get(subject, {}).get(attribute, ("engine",))
        if recorded == by_rules:
            return self._confirmed(rules)
        if self.prevail(str(called), attribute, written, world.label(by_rules), rules):
            fields = {"attribute": attribute, "value": recorded, "was": by_rules}
            self.host.emit(e.AttributeSet, entity=subject, rules=RECORD, **fields)
        return None

    def _paid(self, speech: Speech) -> None:
        program, recorded = self.host.program, self.field(speech.value)
        commodity = speech.commodity or program.money
        if commodity not in program.commodities:
            return self.unexplained(f"no rule in force declares {commodity!r}")
        places = program.commodities[commodity].places
        called = self.field(speech.subject)
        account = _found(self.world, "player", called)
        if account is None and str(called) in program.accounts:
            account = str(called)
        if account is None:
            return self.unexplained(f"there is no {called!r}")
        wanted = _units(recorded, places)
        if wanted is None:
            return self.unexplained(f"{recorded!r:.60} is no amount")
        why = str(speech.paid).format_map(defaultdict(str, self.body.fields))
        paid = [event for event in self.world.game.get("posted", ()) if event.why == why]
        postings = [p for event in paid for p in event.postings if p.commodity == commodity]
        paid_units = sum(posting.amount for posting in postings if posting.account == account)
        rules = paid[0].rules if paid else ("engine",)
        if paid_units == wanted:
            return self._confirmed(rules)
        paid_by_rules = from_units(paid_units, places)
        if self.prevail(str(called), self.body.kind, recorded, paid_by_rules, rules):
            others = [posting.account for posting in postings if posting.account != account]
            rest, other = wanted - paid_units, (*others, "mint")[0]
            both = (e.Posting(other, commodity, -rest), e.Posting(account, commodity, rest))
            self.host.emit(e.Posted, postings=both, why="as recorded", rules=RECORD)
        return None

    def _value(self, speech: Speech) -> None:
        world, program = self.world, self.host.program
        asked = program.links.operations[str(speech.asks)]
        given = tuple(self.field(name) for name in speech.given)
        try:
            found = program.call(asked.name, **named_arguments(world, asked, given, {}))
        except Refused as error:
            return self.unexplained(error.reasons[0].text)
        except RuleFault as fault:
            self.host.frames = [Frame("", (), "engine")]
            return self.unexplained(f"a rule fails on it: {fault}")
        by_rules, recorded = _labelled(world, found), self.field(speech.value)
        is_stated = str(speech.value) in self.body.fields
        rules = program.cite(tuple(number for number, _ in asked.definitions))
        if by_rules == recorded if is_stated else by_rules is not None:
            return self._confirmed(rules)
        about = (*filter(None, [speech.subject]), *speech.given)
        subject = str(self.field(about[0])) if about else "game"
        if not is_stated:  # it says only that there is one
            recorded, by_rules = True, False
        is_followed = self.prevail(subject, self.body.kind, recorded, by_rules, rules)
        if speech.prevails is not None and is_followed:
            self._make_so(speech.prevails, (*given, self.field(speech.value)))
        return None

    def _make_so(self, operation: str, given: tuple[Any, ...]) -> None:
        host, program, mark = self.host, self.host.program, self.world.mark()
        staged = len(host.staged)
        host.frames = [Frame("", (), RECORD[0])]
        try:
            changing = program.links.operations[operation]
            program.call(operation, **named_arguments(self.world, changing, given, {}))
        except (Refused, RuleFault) as error:
            self.world.rollback(mark)
            del host.staged[staged:]
            reason = error.reasons[0].text if isinstance(error, Refused) else str(error)
            host.pending, refused = None, reason
        else:
            self.world.release(mark)
            refused = ""
        host.frames = [Frame("", (), "engine")]
        if refused:
            self.unexplained(f"it cannot be made so: {refused}")

    # --- what is noted about it

    def unexplained(self, why: str) -> None:
        """No rule in force can make anything of the fact."""
        self.is_unexplained = True
        self.host.emit(e.FactUnexplained, fact=self.number, why=why)

    def _confirmed(self, rules: tuple[str, ...]) -> None:
        self.host.emit(e.FactConfirmed, fact=self.number, rules=rules)

    def prevail(
        self, subject: str, what: str, recorded: Any, by_rules: Any, rules: tuple[str, ...]
    ) -> bool:
        """The fact differs from the rules; gives whether the state is to follow it.

        It stands under an earlier difference of the same fact, or of the same attempt.
        """
        earlier, attempt = self.world.game.get("diverged", (None, None))
        same = attempt == self.world.game.get("last_attempt")
        follows = self.differs if self.differs is not None else earlier if same else None
        self.host.emit(
            e.RecordPrevailed,
            fact=self.number,
            subject=subject,
            what=what,
            recorded=recorded,
            by_rules=by_rules,
            follows=follows,
            rules=rules,
        )
        self.differs = self.world.head if follows is None else follows
        if isinstance(self._follows, bool):
            return self._follows
        return self._follows(self.body, what, by_rules)


def _units(recorded: Any, places: int) -> int | None:
    """The recorded amount in smallest units; None where it is none."""
    try:
        exact = Decimal(str(recorded)) if isinstance(recorded, float) else recorded
        wanted = to_units(exact, places)
    except (NotExact, ArithmeticError, ValueError):
        return None
    return wanted if abs(wanted) <= UNITS_MAX else None


def _labelled(world: World, value: Any) -> Any:
    return [world.label(each) for each in value] if isinstance(value, list) else world.label(value)


def _resolved(world: World, subject: str, attribute: str, written: Any) -> Any:
    """The recorded value as the world keeps it: a square by its identity, not its number."""
    declared = world.declared(world.entities[subject]).get(attribute, "").removesuffix(" key")
    kind = declared.lower()
    return _found(world, kind, written) if kind in world.kinds else written


def _found(world: World, kind: str, called: Any) -> str | None:
    """The thing of *kind* that a record calls so; None where it is no way to call a thing."""
    return world.find(kind, called) if isinstance(called, str | int) else None
