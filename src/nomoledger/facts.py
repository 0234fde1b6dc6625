"""Holds one fact of a hand-kept record against what the rules give.

A fact may state an attribute, what was paid, or what a value of the rules comes to (see `Speech`).
Where it differs the record prevails: the difference is recorded, and the state follows the record.
"""

from collections import defaultdict
from typing import Any

from nomoledger import events as e
from nomoledger.rules.host import Frame, Host, Refused
from nomoledger.rules.resolve import named_arguments
from nomoledger.rules.rule import Speech
from nomoledger.rules.values import amount
from nomoledger.world import World

RECORD = ("record",)


class Fact:
    """A fact being held against the rules.

    *number* is its number in the ledger. With *is_followed* the state follows it where it differs;
    without, only the difference is noted (to see where the rules alone would lead).
    """

    def __init__(
        self, host: Host, body: e.FactRecorded, number: int, *, is_followed: bool = True
    ) -> None:
        self.host = host
        self.world: World = host.world
        self.body = body
        self.number = number
        self.is_followed = is_followed

    def field(self, name: str | None) -> Any:
        """What the fact says under *name*; None where it says nothing."""
        return self.body.fields.get(str(name))

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
        subject = next((f for kind in world.kinds if (f := world.find(kind, called))), None)
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
        self.prevail(str(called), attribute, written, world.label(by_rules), rules)
        if self.is_followed:
            fields = {"attribute": attribute, "value": recorded, "was": by_rules}
            self.host.emit(e.AttributeSet, entity=subject, rules=RECORD, **fields)
        return None

    def _paid(self, speech: Speech) -> None:
        money = self.host.program.money
        called = str(self.field(speech.subject))
        account = self.world.find("player", called) or called
        why = str(speech.paid).format_map(defaultdict(str, self.body.fields))
        paid = [event for event in self.world.game.get("posted", ()) if event.why == why]
        postings = [posting for event in paid for posting in event.postings]
        units = sum(p.amount for p in postings if (p.account, p.commodity) == (account, money))
        by_rules = amount(units, self.host.program.commodities[money].places)
        recorded = self.field(speech.value)
        rules = paid[0].rules if paid else ("engine",)
        if by_rules == recorded:
            return self._confirmed(rules)
        self.prevail(called, self.body.kind, recorded, by_rules, rules)
        if self.is_followed:
            others = [posting.account for posting in postings if posting.account != account]
            self._pay_the_rest(account, (*others, "mint")[0], recorded, units)
        return None

    def _pay_the_rest(self, account: str, other: str, recorded: Any, units: int) -> None:
        """Bring the balances from what the rules had paid to what the record says was paid."""
        wanted, money = self.host.units(recorded, None)
        rest = wanted - units
        postings = (e.Posting(other, money, -rest), e.Posting(account, money, rest))
        self.host.emit(e.Posted, postings=postings, why="as recorded", rules=RECORD)

    def _value(self, speech: Speech) -> None:
        world, program = self.world, self.host.program
        asked = program.links.operations[str(speech.asks)]
        given = tuple(self.field(name) for name in speech.given)
        try:
            found = program.call(asked.name, **named_arguments(world, asked, given, {}))
        except Refused as error:
            return self.unexplained(error.reasons[0].text)
        by_rules, recorded = _labelled(world, found), self.field(speech.value)
        is_stated = str(speech.value) in self.body.fields
        rules = program.cite(tuple(number for number, _ in asked.definitions))
        if by_rules == recorded if is_stated else by_rules is not None:
            return self._confirmed(rules)
        about = (*filter(None, [speech.subject]), *speech.given)
        subject = str(self.field(about[0])) if about else "game"
        self.prevail(subject, self.body.kind, recorded, by_rules, rules)
        if self.is_followed and speech.prevails is not None:
            self._make_so(speech.prevails, (*given, recorded))
        return None

    def _make_so(self, operation: str, given: tuple[Any, ...]) -> None:
        program = self.host.program
        changing = program.links.operations[operation]
        arguments = named_arguments(self.world, changing, given, {})
        self.host.frames = [Frame("", (), RECORD[0])]
        program.call(operation, **arguments)
        self.host.frames = [Frame("", (), "engine")]

    # --- what is noted about it

    def unexplained(self, why: str) -> None:
        """No rule in force can make anything of the fact."""
        self.host.emit(e.FactUnexplained, fact=self.number, why=why)

    def _confirmed(self, rules: tuple[str, ...]) -> None:
        self.host.emit(e.FactConfirmed, fact=self.number, rules=rules)

    def prevail(
        self, subject: str, what: str, recorded: Any, by_rules: Any, rules: tuple[str, ...]
    ) -> None:
        """The fact differs from the rules; under an earlier difference of the same attempt."""
        earlier, attempt = self.world.game.get("diverged", (None, None))
        same = earlier is not None and attempt == self.world.game.get("last_attempt")
        self.host.emit(
            e.RecordPrevailed,
            fact=self.number,
            subject=subject,
            what=what,
            recorded=recorded,
            by_rules=by_rules,
            follows=earlier if same else None,
            rules=rules,
        )


def _labelled(world: World, value: Any) -> Any:
    return [world.label(each) for each in value] if isinstance(value, list) else world.label(value)


def _resolved(world: World, subject: str, attribute: str, written: Any) -> Any:
    """The recorded value as the world keeps it: a square by its identity, not its number."""
    declared = world.declared(world.entities[subject]).get(attribute, "").removesuffix(" key")
    kind = declared.lower()
    return world.find(kind, written) if kind in world.kinds else written
