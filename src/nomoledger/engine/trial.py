"""Changes tried on the current state with the engine's own code; nothing stays of them."""

from collections.abc import Iterable

import msgspec

from nomoledger import events as e
from nomoledger.errors import RulebookError, RuleFault
from nomoledger.events import rules as r
from nomoledger.language.amended_rule import fitting_part
from nomoledger.language.amendments import WOULD_NOT_LINK, carry_out_changes
from nomoledger.language.host import Frame, Host, Refused, Suspended
from nomoledger.language.program import link
from nomoledger.language.resolve import named_arguments
from nomoledger.state.declared_rules import Ruleset
from nomoledger.state.world import Attempt, World

#: The changes of what the rules are about; all others change the rules themselves.
_OF_STATE = (r.Do, r.Set, r.Post)


class Trial(msgspec.Struct, frozen=True):
    """What came of a trial.

    Attributes:
        ruleset: the rules as they would be.
        numbers: the rules that would be new or amended, by number.
        renamed: the numbers that rules get for the trial, as theirs are taken, with their own.
        in_part: the rules whose amendments are carried out only as far as they fit, by number.
        errors: why changes cannot be carried out, whatever happens until then.
        failing: why `on_enact` code of new rules fails, as things stand.
        notes: what depends on what happens until then: questions, and refusals by the rules.
    """

    ruleset: Ruleset
    numbers: tuple[str, ...]
    renamed: dict[str, str]
    in_part: frozenset[str]
    errors: tuple[str, ...]
    failing: tuple[str, ...]
    notes: tuple[str, ...]


def try_changes(world: World, changes: Iterable[r.Change], source: str) -> Trial:
    """Carry out *changes* on *world* on the authority of *source*, and undo everything."""
    mark = world.mark()
    try:
        running = _Trial(world, source)
        for change in changes:
            running.carry_out(change)
        running.run_enact_hooks()
        numbers = tuple(n for n in running.numbers if world.rule(n) is not None)
        errors, notes = tuple(running.errors), tuple(running.notes)
        in_part = frozenset(running.in_part)
        failing = tuple(running.failing)
        return Trial(world.ruleset, numbers, running.renamed, in_part, errors, failing, notes)
    finally:
        world.rollback(mark)


class _Trial:
    """A trial under way."""

    def __init__(self, world: World, source: str) -> None:
        self.world = world
        self.source = source
        self.host = link(world.ruleset).host
        self.errors: list[str] = []
        self.failing: list[str] = []
        self.notes: list[str] = []
        self.enacted: list[str] = []
        self.numbers: dict[str, None] = {}
        self.renamed: dict[str, str] = {}
        self.in_part: set[str] = set()
        #: Whether the state may be another one than the changes will find.
        self.is_uncertain = bool(world.agenda)

    def carry_out(self, change: r.Change) -> None:
        """Carry out the next change, or note why it cannot be carried out."""
        what = _named(change)
        if isinstance(change, r.Enact):
            change = self._with_free_number(change)
        host = self._begin()
        mark = self.world.mark()
        try:
            if isinstance(change, r.Do):
                self._check_names(change)
            carry_out_changes(host, [change], self.source)
        except (Refused, Suspended, RuleFault) as error:
            self.world.rollback(mark)
            self._add(what, change, error)
            if isinstance(change, r.Amend) and change.number not in self.in_part:
                self._carry_out_part(change)
            return
        finally:
            host.pending = None
        self.world.release(mark)
        if isinstance(change, r.Enact):
            self.numbers[change.rule.number] = None
            self.enacted.append(change.rule.number)
        elif isinstance(change, r.Amend):
            self.numbers[change.number] = None
        elif isinstance(change, r.Renumber) and change.number in self.numbers:
            self.numbers[change.to] = None
            self.enacted = [change.to if n == change.number else n for n in self.enacted]

    def run_enact_hooks(self) -> None:
        """Run `on_enact` of the rules that are enacted, once all changes are carried out."""
        try:
            program = link(self.world.ruleset)
            self.host = program.host
            self._begin()
        except RulebookError:
            return  # The check of the rules that the changes make says why.
        for number in self.enacted:
            if number in program.links.rules_with("on_enact"):
                self._run_enact_hook(number)

    def _run_enact_hook(self, number: str) -> None:
        what = f"on_enact of rule {number}"
        host = self._begin()
        mark = self.world.mark()
        try:
            host.program.hook(number, "on_enact")
        except RuleFault as error:
            self.world.rollback(mark)
            is_error = self._is_proposal and not self.is_uncertain
            (self.failing if is_error else self.notes).append(f"{what}: {error}")
        except (Refused, Suspended) as error:
            self.world.rollback(mark)
            self._note(what, error)
        else:
            self.world.release(mark)
        finally:
            host.pending = None

    def _begin(self) -> Host:
        """Return the host, at the beginning of an attempt."""
        host = self.host
        host.begin(self.world, Attempt(id="trial", operation="", at=self.world.game["now"]))
        host.frames = [Frame("", (), "trial")]
        return host

    def _carry_out_part(self, change: r.Amend) -> None:
        """Carry out what fits of an amendment, so that the faults of that part are found, too."""
        old = self.world.rule(change.number)
        if old is None or self.world.forgets_rules:
            return
        part = fitting_part(old, change)
        if part != change:
            self.in_part.add(change.number)
            self.carry_out(part)

    @property
    def _is_proposal(self) -> bool:
        return self.source.startswith("proposal")

    def _with_free_number(self, change: r.Enact) -> r.Enact:
        """Return *change* with another number for its rule, if the admin will be asked for one."""
        number = change.rule.number
        asks = self._is_proposal and not self.world.forgets_rules
        if not asks or self.world.rule(number) is None:
            return change
        text = f"there is a rule {number} already: the admin will be asked for another number"
        self.notes.append(f"enact {number}: {text}")
        renamed = f"{number}-new{len(self.renamed) or ''}"
        self.renamed[renamed] = number
        return r.Enact(msgspec.structs.replace(change.rule, number=renamed))

    def _check_names(self, change: r.Do) -> None:
        """Check what *change* names; later refusals depend on the state."""
        if self._is_operation(change.operation):
            operation = self.host.program.links.operations[change.operation]
            try:
                named_arguments(self.world, operation, (), change.arguments)
            except Refused as error:
                raise _Misnamed(error.reasons) from None

    def _add(self, what: str, change: r.Change, error: Exception) -> None:
        if isinstance(error, Suspended):
            self._note(what, error)
        elif isinstance(error, RuleFault):
            # A ruling that meets failing code is carried out as an urgent one.
            (self.errors if self._is_proposal else self.notes).append(f"{what}: {error}")
        elif isinstance(error, Refused):
            if self._depends_on_state(change, error):
                self._note(what, error)
                return
            for reason in error.reasons:
                text = _told(reason).removeprefix(WOULD_NOT_LINK)
                self.errors.append(text if text.startswith("rule ") else f"{what}: {text}")

    def _note(self, what: str, error: Refused | Suspended) -> None:
        """Note that *what* goes on with a question, or may be refused."""
        if isinstance(error, Suspended):
            text = f"{error.question.to} will be asked: {error.question.text}"
        else:
            reasons = "; ".join(map(_told, error.reasons))
            text = f"as things stand, this would be refused: {reasons}"
        self.notes.append(f"{what}: {text}")
        self.is_uncertain = True

    def _depends_on_state(self, change: r.Change, refused: Refused) -> bool:
        """Return whether *change* may be possible later, though it is *refused* now."""
        if isinstance(change, r.Do) and not self._is_operation(change.operation):
            return False
        if isinstance(change, _OF_STATE) and self.is_uncertain:
            return True
        is_by_rules = any(_is_rule(reason.rule) for reason in refused.reasons)
        return is_by_rules and not isinstance(refused, _Misnamed)

    def _is_operation(self, name: str) -> bool:
        operation = self.host.program.links.operations.get(name)
        return operation is not None and operation.can_be_done


class _Misnamed(Refused):
    """A change names something that there is not."""


def _told(reason: e.Reason) -> str:
    return reason.text + (f" ({reason.rule})" if _is_rule(reason.rule) else "")


def _is_rule(name: str) -> bool:
    return name.partition("@")[0] not in ("engine", "trial")


def _named(change: r.Change) -> str:
    """Return which of the changes *change* is, as its notation begins."""
    if isinstance(change, r.Enact):
        return f"enact {change.rule.number}"
    if isinstance(change, r.Do):
        return f"do {change.operation}"
    if isinstance(change, r.Set):
        return f"set {change.attribute} of {change.kind} {change.entity}"
    if isinstance(change, r.Post):
        return f"post {', '.join(f'{name} {amount}' for name, amount in change.amounts.items())}"
    return f"{type(change).__name__.lower()} {change.number}"
