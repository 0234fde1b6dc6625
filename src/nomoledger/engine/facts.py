"""One fact of a hand-kept record, compared with what the rules compute.

A fact may state an attribute, a payment, or a value that the rules define (see `FactMapping`). If
the fact differs from the rules, the difference is recorded and the state follows the record.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

from nomoledger import events as e
from nomoledger.engine.written_names import find_written
from nomoledger.errors import RuleFault
from nomoledger.events.levels import LEVELS
from nomoledger.events.rules import FactMapping
from nomoledger.language.host import Frame, Host, Refused
from nomoledger.language.operations import Operation
from nomoledger.language.resolve import WHOLE, named_arguments
from nomoledger.language.values import UNITS_MAX, NotExact, from_units, to_units
from nomoledger.state.stated_payments import Payment, payments_in
from nomoledger.state.unknowns import doubt_about_last_attempt, unknown_since, watching
from nomoledger.state.world import ReadingWatch, World

RECORD = ("record",)
#: The account for recorded payments that name no payer or no payee.
UNATTRIBUTED = "unattributed"
#: How many of the latest payments between two a fact may state together.
_TOGETHER_MAX = 10
#: Decides whether the state follows the record, given the fact, what differs and the value by the
#: rules.
FollowsRecord = Callable[[e.FactRecorded, str, Any], bool]


class Fact:
    """A fact that is compared with the rules."""

    def __init__(
        self,
        host: Host,
        body: e.FactRecorded,
        number: int,
        *,
        follows: FollowsRecord | bool = True,
        first_difference: int | None = None,
    ) -> None:
        """Prepare the comparison of the fact *body*, which is event *number*.

        *follows* decides whether the state follows the fact where the rules differ. Otherwise the
        difference is only noted, and play continues by the rules. *first_difference* is the event
        number of the first difference noted about the fact so far.
        """
        self.host = host
        self.world: World = host.world
        self.body = body
        self.number = number
        self._follows = follows
        self.first_difference = first_difference
        self.is_unexplained = False
        #: The number of the fact since which something is unknown that the comparison depends on;
        #: None if nothing is.
        self.in_doubt: int | None = None
        self._is_left_alone = False

    def field(self, name: str | None) -> Any:
        """Return the value of the field *name*; None if the fact does not state it."""
        return field_of(self.body, name)

    def compare(self, speech: FactMapping) -> None:
        """Compare the fact with the rules; *speech* maps its fields."""
        if speech.attribute is None and speech.payer is None:
            self.in_doubt = doubt_about_last_attempt(self.world)
        if speech.attribute is not None:
            self._compare_attribute(speech)
        elif speech.payer is not None:
            self._compare_single_payment(speech)
        elif speech.paid is not None:
            self._compare_payment(speech)
        elif speech.asks is not None:
            self._compare_value(speech)

    # --- comparisons

    def _compare_attribute(self, speech: FactMapping) -> None:
        world, name, attribute = self.world, self.field(speech.subject), str(speech.attribute)
        subject = find_entity_called(world, name)
        if subject is None:
            return self.mark_unexplained(f"there is no {name!r}")
        written = self.field(speech.value)
        recorded, is_possible = self.as_stored(subject, attribute, written)
        if recorded is None or not is_possible:
            return self.mark_unexplained(f"there is no {attribute} {written!r}")
        by_rules = world.get(subject, attribute)
        rules = world.origins.get(subject, {}).get(attribute, ("engine",))
        foreseen = world.game.get("foreseen")
        if foreseen is not None and tuple(foreseen[:2]) != (subject, attribute):
            foreseen = None
        unknown = foreseen[4] if foreseen is not None and len(foreseen) > 4 else None
        if unknown is None:
            unknown = unknown_since(world, subject, attribute)
        if unknown is not None:
            return self._set_unknown(subject, attribute, recorded, unknown)
        if recorded == by_rules:
            if foreseen is None:
                return self._confirm(rules)
            _, _, alone, rules = foreseen
            self.note_difference(str(name), attribute, written, world.label(alone), tuple(rules))
            return None
        if self.note_difference(str(name), attribute, written, world.label(by_rules), rules):
            self.set_attribute(subject, attribute, recorded)
        return None

    def _set_unknown(self, subject: str, attribute: str, recorded: Any, since: int) -> None:
        """Let *subject* have what this fact states, which is unknown since the fact *since*."""
        self.set_attribute(subject, attribute, recorded)
        if unknown_since(self.world, subject, attribute) is not None:
            keys = ((subject, attribute),)
            self.host.emit(e.MadeKnown, fact=self.number, keys=keys, rules=RECORD)
        fields = {"fact": self.number, "since": since, "sets": True}
        self.host.emit(e.FactNotCompared, rules=RECORD, **fields)

    def set_attribute(self, entity: str, attribute: str, value: Any) -> None:
        """Let the *attribute* of *entity* have the recorded *value*, unless it has it already."""
        was = self.world.get(entity, attribute)
        if value != was:
            fields = {"entity": entity, "attribute": attribute, "value": value, "was": was}
            self.host.emit(e.AttributeSet, rules=RECORD, **fields)

    def as_stored(self, subject: str, attribute: str, written: Any) -> tuple[Any, bool]:
        """Return *written* as the world stores it: a square by its id; and whether there is one."""
        kinds = kinds_of_value(self.world, subject, attribute)
        if not kinds or written is None:
            return written, True
        found = (find_called(self.world, kind, written) for kind in kinds)
        entity = next((entity for entity in found if entity), None)
        return entity, entity is not None

    def _compare_payment(self, speech: FactMapping) -> None:
        program, recorded = self.host.program, self.field(speech.value)
        commodity = speech.commodity or program.money
        if commodity not in program.commodities:
            return self.mark_unexplained(f"no rule in force declares {commodity!r}")
        places = program.commodities[commodity].places
        name = self.field(speech.subject)
        account = find_called(self.world, "player", name)
        if account is None and str(name) in program.accounts:
            account = str(name)
        if account is None:
            return self.mark_unexplained(f"there is no {name!r}")
        recorded_units = to_recorded_units(recorded, places)
        if recorded_units is None:
            return self.mark_unexplained(f"{recorded!r:.60} is no amount")
        why = str(speech.paid).format_map(defaultdict(str, self.body.fields))
        payments = [event for event in self.world.game.get("posted", ()) if event.why == why]
        postings = [p for event in payments for p in event.postings if p.commodity == commodity]
        paid_units = sum(posting.amount for posting in postings if posting.account == account)
        rules = payments[0].rules if payments else ("engine",)
        if paid_units == recorded_units:
            return self._compare_other_party(account, commodity, postings, rules)
        paid_by_rules = from_units(paid_units, places)
        if self.note_difference(str(name), self.body.kind, recorded, paid_by_rules, rules):
            others = [posting.account for posting in postings if posting.account != account]
            missing = recorded_units - paid_units
            other = others[0] if others else self._counterparty(account)
            pair = (e.Posting(other, commodity, -missing), e.Posting(account, commodity, missing))
            said = "as recorded" if postings or not self._is_close else f"{why}, as recorded"
            self.host.emit(e.Posted, postings=pair, why=said, rules=RECORD)
        return None

    def _compare_other_party(
        self,
        account: str,
        commodity: str,
        postings: Sequence[e.Posting],
        rules: tuple[str, ...],
    ) -> None:
        """Compare with whom *account* has settled by *postings*, if the fact names a player."""
        others = [each for each in postings if each.account != account]
        players = [x for x in others if self.world.entities.get(x.account) == "player"]
        recorded = self._counterparty(account)
        if not self._is_close or len(players) != 1 or recorded == UNATTRIBUTED:
            return self._confirm(rules)
        [paid] = players
        if recorded == paid.account:
            return self._confirm(rules)
        by_rules = self.world.label(paid.account)
        name = str(self.world.label(account))
        said, kind = self.world.label(recorded), self.body.kind
        if self.note_difference(name, f"other party to {kind}", said, by_rules, rules):
            back = e.Posting(paid.account, commodity, -paid.amount)
            pair = (back, e.Posting(recorded, commodity, paid.amount))
            self.host.emit(e.Posted, postings=pair, why="as recorded", rules=RECORD)
        return None

    def _counterparty(self, account: str) -> str:
        """Return the other account that the fact names; an account apart if it names none."""
        if not self._is_close:
            return "mint"
        named = [find_called(self.world, "player", value) for value in self.body.fields.values()]
        others = [player for player in dict.fromkeys(named) if player not in (None, account)]
        return str(others[0]) if len(others) == 1 else UNATTRIBUTED

    @property
    def _is_close(self) -> bool:
        return LEVELS[self.world.level].audits_closely

    def _compare_single_payment(self, speech: FactMapping) -> None:
        """Compare the fact with the payments between two that no fact of its kind has stated."""
        world, program, kind = self.world, self.host.program, self.body.kind
        commodity = speech.commodity or program.money
        if commodity not in program.commodities:
            return self.mark_unexplained(f"no rule in force declares {commodity!r}")
        names = self.field(speech.payer), self.field(speech.subject)
        parties = [None if name is None else find_written(world, name) for name in names]
        for name, party in zip(names, parties, strict=True):
            if name is not None and party is None:
                return self.mark_unexplained(f"there is no {name!r}")
        places, recorded = program.commodities[commodity].places, self.field(speech.value)
        units = to_recorded_units(recorded, places)
        if units is None:
            return self.mark_unexplained(f"{recorded!r:.60} is no amount")
        payments = payments_in(world)
        possible = [
            place
            for place, payment in enumerate(payments)
            if kind not in payment.stated
            and payment.rules != RECORD
            and payment.commodity == commodity
            and parties[0] in (None, payment.payer)
            and parties[1] in (None, payment.payee)
            and fnmatchcase(payment.why, str(speech.paid or "*"))
        ]
        meant = _adding_up_to(units, possible, payments)
        if meant or not (units or possible):
            rules = payments[meant[0]].rules if meant else RECORD
            self.host.emit(
                e.FactConfirmed, fact=self.number, payments=meant, kind=kind, rules=rules
            )
            return None
        if not possible and speech.otherwise is not None:
            arguments = (*(self.field(name) for name in speech.given), recorded)
            if not self._done_or_refused(speech.otherwise, arguments):
                return self.state_payments_since(len(payments))
        self.in_doubt = self._doubt_about(parties, commodity)
        meant = tuple(possible[-1:])
        by_rules = from_units(sum(payments[place].units for place in meant), places)
        rules = payments[meant[0]].rules if meant else ("engine",)
        subject = str(names[0] if names[0] is not None else names[1])
        is_followed = self.note_difference(subject, kind, recorded, by_rules, rules, payments=meant)
        payer, payee = (
            parties if not meant else (payments[meant[0]].payer, payments[meant[0]].payee)
        )
        if is_followed and payer is not None and payee is not None:
            missing = units - sum(payments[place].units for place in meant)
            pair = (e.Posting(payer, commodity, -missing), e.Posting(payee, commodity, missing))
            self.host.emit(e.Posted, postings=pair, why="as recorded", rules=RECORD)
        return None

    def note_unstated_payments(self, kinds: Mapping[str, FactMapping]) -> None:
        """Note the payments of players that facts of these *kinds* would have stated.

        A record is expected to state the payments that a kind of fact is about if it states any.
        """
        payments, program = payments_in(self.world), self.host.program
        used = {kind for payment in payments for kind in payment.stated}
        patterns = [str(speech.paid or "*") for kind, speech in kinds.items() if kind in used]
        for place, payment in enumerate(payments):
            is_of_player = self.world.entities.get(payment.payer) == "player"
            is_expected = any(fnmatchcase(payment.why, pattern) for pattern in patterns)
            parties = (payment.payer, payment.payee)
            is_known = payment.commodity == program.money and payment.rules != RECORD
            is_known = is_known and self._doubt_about(parties, payment.commodity) is None
            if is_of_player and is_expected and is_known and not payment.stated:
                amount = from_units(payment.units, program.commodities[payment.commodity].places)
                self.first_difference = None
                payer, payee = self.world.label(payment.payer), self.world.label(payment.payee)
                self.note_difference(
                    str(payer),
                    f"payment to {payee} ({payment.why})",
                    None,
                    amount,
                    payment.rules,
                    payments=(place,),
                    is_of_attempt=False,
                )

    def state_payments_since(self, place: int) -> None:
        """Confirm the payments from *place* on, which the fact itself has brought about."""
        payments = payments_in(self.world)[place:]
        places = tuple(range(place, place + len(payments)))
        rules = payments[0].rules if payments else RECORD
        fields = {"payments": places, "kind": self.body.kind, "rules": rules}
        self.host.emit(e.FactConfirmed, fact=self.number, **fields)

    def _compare_value(self, speech: FactMapping) -> None:
        world, program = self.world, self.host.program
        operation = program.links.operations.get(str(speech.asks))
        if operation is None or not operation.definitions:
            return self.mark_unexplained(f"no rule in force says what {speech.asks} is")
        arguments = tuple(self.field(name) for name in speech.given)
        asked = tuple(self.field(name) for name in self._given_to(operation, speech.given))
        try:
            with watching(world) as watch:
                named = named_arguments(world, operation, asked, {})
                value = program.call(operation.name, **named)
        except Refused as error:
            self._doubt(watch)
            return self.mark_unexplained(error.reasons[0].text)
        except RuleFault as fault:
            self.host.frames = [Frame("", (), "engine")]
            self._doubt(watch)
            return self.mark_unexplained(f"a rule fails on it: {fault}")
        self._doubt(watch)
        by_rules, recorded = _label(world, value), self.field(speech.value)
        is_stated = str(speech.value) in self.body.fields
        if self._is_close:
            is_stated = is_stated or self.field(speech.value) is not None
        rules = program.cite(tuple(number for number, _ in operation.definitions))
        if by_rules == recorded if is_stated else by_rules is not None:
            return self._confirm(rules)
        subject_fields = (*filter(None, [speech.subject]), *speech.given)
        subject = str(self.field(subject_fields[0])) if subject_fields else "game"
        if not is_stated:  # the fact states only that there is such a value
            recorded, by_rules = True, False
        is_followed = self.note_difference(subject, self.body.kind, recorded, by_rules, rules)
        if speech.prevails is not None and is_followed:
            self._apply_record(speech.prevails, (*arguments, self.field(speech.value)))
        return None

    def _given_to(self, operation: Operation, given: tuple[str, ...]) -> tuple[str, ...]:
        """Return which of the fields *given* the value *operation* is called with.

        If it takes fewer, they are those that have the names of its parameters.
        """
        names = tuple(parameter.name for parameter in operation.parameters)
        is_fewer = len(names) < len(given) and {*names} <= {*given}
        return names if is_fewer and self._is_close else given

    def _doubt_about(self, parties: Sequence[str | None], commodity: str) -> int | None:
        """Return since when it is in doubt what the *parties* have paid; None if it is not."""
        facts = [unknown_since(self.world, str(party), commodity) for party in parties]
        facts.append(doubt_about_last_attempt(self.world))
        return min((since for since in facts if since is not None), default=None)

    def _doubt(self, watch: ReadingWatch) -> None:
        """Note that the comparison depends on what *watch* saw, if that is unknown."""
        if self.in_doubt is None:
            self.in_doubt = watch.since

    def _apply_record(self, name: str, arguments: tuple[Any, ...]) -> None:
        """Call the operation *name*, which brings the state in line with the fact."""
        if reason := self._done_or_refused(name, arguments):
            self.mark_unexplained(f"it cannot be made so: {reason}")

    def _done_or_refused(self, name: str, arguments: tuple[Any, ...]) -> str:
        """Call the operation *name*; return why that is impossible, and "" if it was done."""
        host, program, mark = self.host, self.host.program, self.world.mark()
        staged = len(host.staged)
        host.frames = [Frame("", (), RECORD[0])]
        try:
            operation = program.links.operations.get(name)
            if operation is None or not operation.can_be_done:
                raise Refused([e.Reason("engine", f"no rule in force says how to {name}")])
            program.call(name, **named_arguments(self.world, operation, arguments, {}))
        except (Refused, RuleFault) as error:
            self.world.rollback(mark)
            del host.staged[staged:]
            reason = error.reasons[0].text if isinstance(error, Refused) else str(error)
            host.pending = None
        else:
            self.world.release(mark)
            reason = ""
        host.frames = [Frame("", (), "engine")]
        return reason

    # --- results

    def mark_unexplained(self, why: str) -> None:
        """Record that no rule in force explains the fact."""
        if self.in_doubt is not None:
            return self._leave_alone(self.in_doubt)
        self.is_unexplained = True
        self.host.emit(e.FactUnexplained, fact=self.number, why=why)

    def _confirm(self, rules: tuple[str, ...]) -> None:
        if self.in_doubt is not None:
            return self._leave_alone(self.in_doubt)
        self.host.emit(e.FactConfirmed, fact=self.number, rules=rules)

    def _leave_alone(self, since: int) -> None:
        """Record that the fact is not compared, because of what is unknown since that fact."""
        if not self._is_left_alone:
            self.host.emit(e.FactNotCompared, fact=self.number, since=since, rules=RECORD)
        self._is_left_alone = True

    def note_difference(
        self,
        subject: str,
        what: str,
        recorded: Any,
        by_rules: Any,
        rules: tuple[str, ...],
        *,
        payments: tuple[int, ...] = (),
        is_of_attempt: bool = True,
    ) -> bool:
        """Record that the fact differs from the rules; return whether the state follows the fact.

        The event refers to an earlier difference of the same fact, or if *is_of_attempt* of the
        same attempt. *payments* are the places of the payments that it states.
        """
        if self.in_doubt is not None:
            self._leave_alone(self.in_doubt)
            return self._follows if isinstance(self._follows, bool) else True
        earlier, attempt = self.world.game.get("diverged", (None, None))
        is_same_attempt = is_of_attempt and attempt == self.world.game.get("last_attempt")
        follows = self.first_difference
        if follows is None and is_same_attempt:
            follows = earlier
        self.host.emit(
            e.RecordPrevailed,
            fact=self.number,
            subject=subject,
            what=what,
            recorded=recorded,
            by_rules=by_rules,
            follows=follows,
            payments=payments,
            kind=self.body.kind if payments else "",
            rules=rules,
        )
        self.first_difference = self.world.head if follows is None else follows
        if isinstance(self._follows, bool):
            return self._follows
        return self._follows(self.body, what, by_rules)


def field_of(fact: e.FactRecorded, name: str | None) -> Any:
    """Return the value of the field *name* of *fact*; None if the fact does not state it.

    A name like `detail.1` selects an item, counted from 0, of the list in the field `detail`.
    """
    field, _, place = str(name).partition(".")
    value = fact.fields.get(field)
    if not place:
        return value
    if isinstance(value, list) and WHOLE.fullmatch(place) and -1 < int(place) < len(value):
        return value[int(place)]
    return None


def _adding_up_to(units: int, places: list[int], payments: Sequence[Payment]) -> tuple[int, ...]:
    """Return which of the payments at *places* come to *units*: the fewest, the latest first."""
    latest = places[::-1][:_TOGETHER_MAX]
    for count in range(1, len(latest) + 1):
        for together in combinations(latest, count):
            if sum(payments[place].units for place in together) == units:
                return tuple(sorted(together))
    return ()


def to_recorded_units(recorded: Any, places: int) -> int | None:
    """Return the recorded amount in smallest units; None if *recorded* is not an amount."""
    try:
        is_text = isinstance(recorded, float | str)
        exact = Decimal(str(recorded).removeprefix("$")) if is_text else recorded
        units = to_units(exact, places)
    except (NotExact, ArithmeticError, ValueError):
        return None
    return units if abs(units) <= UNITS_MAX else None


def _label(world: World, value: Any) -> Any:
    return [world.label(item) for item in value] if isinstance(value, list) else world.label(value)


def kinds_of_value(world: World, subject: str, attribute: str) -> tuple[str, ...]:
    """Return the kinds of things that *attribute* of *subject* can be; none for plain values."""
    declared = world.declared(world.entities[subject]).get(attribute, "").removesuffix(" key")
    several = declared.split(" | ") if LEVELS[world.level].audits_closely else [declared]
    return tuple(kind for kind in map(str.lower, several) if kind in world.kinds)


def find_entity_called(world: World, name: Any) -> str | None:
    """Return the id of the thing of whatever kind that a record calls *name*, or None."""
    found = (find_called(world, kind, name) for kind in world.kinds)
    return next((entity for entity in found if entity), None)


def find_called(world: World, kind: str, name: Any) -> str | None:
    """Return the id of the thing of *kind* that a record calls *name* (9, "9" or "#9"), or None."""
    if not isinstance(name, str | int):
        return None
    number = str(name).removeprefix("#")
    is_number = WHOLE.fullmatch(number) is not None
    return world.find(kind, name) or (world.find(kind, int(number)) if is_number else None)
