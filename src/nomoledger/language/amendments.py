"""Changes of the rules during a game, and the host verbs that make them. Each is one event."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NoReturn

import msgspec

from nomoledger import events as e
from nomoledger.errors import RulebookError, UsageError
from nomoledger.events import rules as r
from nomoledger.events.levels import LEVELS
from nomoledger.intake.bounds import admitted
from nomoledger.language.amended_rule import AmendmentError, amended, change_prepared
from nomoledger.language.checking import undone_failure
from nomoledger.language.code import Parameter, parse_code
from nomoledger.language.host import Host, Refused
from nomoledger.language.host_verbs import host_verb
from nomoledger.language.reads import ask_ruling
from nomoledger.language.resolve import named_arguments, resolve, resolve_entity
from nomoledger.language.values import UNITS_MAX, NotExact, from_units, to_units

#: What a repeal can say of the attributes that the rule declared.
REPEAL_STATES = ("keep", "freeze", "drop")
#: How the refusal of code that cannot be read begins.
WOULD_NOT_LINK = "the rules would not link: "


@host_verb("amend")
def adopt(host: Host, proposal: Any) -> None:
    """Carry out all changes of the proposal with this number, in order.

    A proposal that is void by a ruling changes nothing: the vote on it goes on.
    """
    if LEVELS[host.program.ruleset.level].restricts_everything:
        host.permit("adopt", proposal)
    stored = host.world.proposals.get(proposal)
    if stored is None:
        host.fault(f"there is no proposal {proposal!r}")
    if proposal in host.world.game.get("voided", ()):
        return
    if proposal in host.world.game.get("void", ()):
        _refuse(host, f"proposal {proposal} does not count: so it was ruled")
    carry_out_changes(host, stored.changes, f"proposal {proposal}")


def carry_out_changes(
    host: Host, changes: Iterable[r.Change], source: str, *, urgent: bool = False
) -> None:
    """Carry out *changes* on the authority of *source* (`proposal 4`, `ruling 2`).

    If *urgent*, no rule code runs: only changes of rules are allowed, and no hook is called.
    """
    for change in changes:
        if urgent and isinstance(change, r.Repeal):
            _drop(host, change.number, change.state, source)
            continue
        if urgent and isinstance(change, r.Do | r.Set | r.Post):
            _refuse(host, "an urgent ruling can only change rules: rule on the rest afterwards")
        try:
            _carry_out(host, change, source)
        except Refused as error:  # Some are raised without `host.stop`, which notes the error.
            host.stop(error)


def _carry_out(host: Host, change: r.Change, source: str) -> None:
    if isinstance(change, r.Enact):
        _enact(host, change.rule, source)
    elif isinstance(change, r.Amend):
        _amend(host, change, source)
    elif isinstance(change, r.Repeal):
        _repeal(host, change.number, change.state, source)
    elif isinstance(change, r.Renumber):
        _renumber(host, change.number, change.to, source)
    elif isinstance(change, r.Do):
        _do(host, change)
    elif isinstance(change, r.Post):
        _post(host, change, source)
    else:
        _set(host, change)


# --- the host verbs -----------------------------------------------------------------------------


@host_verb("amend")
def enact(
    host: Host,
    number: str,
    title: str,
    prose: str,
    code: str = "",
    parameters: dict[str, Any] | None = None,
    capabilities: dict[str, Any] | None = None,
) -> None:
    """Add a rule, which takes effect from the next attempt.

    A rule with *capabilities* is restricted: it may do only what they list.
    """
    host.permit("enact", number)
    written = {"number": number, "title": title, "prose": prose, "code": code}
    try:
        rule = msgspec.convert(written | {"parameters": parameters or {}}, r.Rule)
    except msgspec.ValidationError as error:
        host.fault(f"enact: {error}")
    _check_bounds(host, rule)
    if capabilities is not None:
        rule = msgspec.structs.replace(rule, capabilities=_capabilities(host, capabilities))
    _enact(host, rule, _source(host))


def _capabilities(host: Host, capabilities: dict[str, Any]) -> r.Capabilities:
    try:
        return msgspec.convert(capabilities, r.Capabilities)
    except msgspec.ValidationError as error:
        host.fault(f"capabilities: {error}")


@host_verb("amend")
def amend(host: Host, number: str, **parameters: Any) -> None:
    """Give parameters of a rule new values, from the next attempt."""
    host.permit("amend", number)
    written = {
        name: format(value, "f") if isinstance(value, Decimal) else value
        for name, value in parameters.items()
    }
    _check_bounds(host, written)
    _amend(host, r.Amend(number=number, parameters=written), _source(host))


def _check_bounds(host: Host, written: Any) -> None:
    """Check that *written*, which rule code makes, is within the bounds of what people send."""
    if LEVELS[host.world.level].is_normal:
        try:
            admitted(written, "a rule", normalizes=False)
        except UsageError as error:
            host.fault(str(error))


@host_verb("amend")
def repeal(host: Host, number: str, state: str = "keep") -> None:
    """Repeal a rule; *state* says what happens to the attributes it declared.

    `"keep"` leaves them, `"freeze"` makes them read-only, `"drop"` deletes them, but for keys and
    what other rules declare.
    """
    host.permit("repeal", number)
    _repeal(host, number, state, _source(host))


@host_verb("amend")
def renumber(host: Host, number: str, to: str) -> None:
    """Change the number of a rule from *number* to *to*."""
    host.permit("renumber", number)
    _renumber(host, number, to, _source(host))


@host_verb("amend", since=2)
def reword(host: Host, number: str, subject: str) -> None:
    """Change a rule as it has prepared, under `subjects`, for the removal of *subject*.

    The rule is repealed or amended, and no longer lists the subject.
    """
    host.permit("reword", number)
    rule = _in_force(host, number)
    rewording = rule.subjects.get(subject)
    if rewording is None or rewording == r.Rewording():
        _refuse(host, f"rule {number} has prepared nothing for the removal of {subject!r:.60}")
    if rewording.repeal:
        _repeal(host, number, "keep", _source(host))
    else:
        _amend(host, change_prepared(rule, subject), _source(host))


def _source(host: Host) -> str:
    return f"rule {host.acting()[0]}"


# --- the changes --------------------------------------------------------------------------------


def _enact(host: Host, rule: r.Rule, source: str) -> None:
    if host.world.rule(rule.number) is not None:
        if host.forgets_rules or not source.startswith("proposal"):
            _refuse(
                host, f"there is a rule {rule.number} already: amend it, or take another number"
            )
        rule = msgspec.structs.replace(rule, number=_free_number(host, rule, source))
    _check_accounts(host, rule)
    version = host.world.game.get("versions", {}).get(rule.number, 0) + 1
    rule = msgspec.structs.replace(rule, version=version)
    try:
        hooks = parse_code(rule).hooks
    except RulebookError as error:
        _refuse(host, WOULD_NOT_LINK + str(error))
    host.emit(e.RuleEnacted, rule=rule, source=source)
    if any(hook.name == "on_enact" for hook in hooks):
        host.emit(
            e.Scheduled,
            attempt=f"{host.attempt.id}>enacted({rule.number})",
            operation="@enacted",
            arguments=(rule.number,),
            by=host.attempt.by,
        )


def _free_number(host: Host, rule: r.Rule, source: str) -> str:
    """Return the number that the admin gives to *rule*, as its own number is taken."""
    taken = rule.number
    while True:
        text = (
            f"{source} enacts a rule {taken} ({rule.title}), but there is a rule {taken} already: "
            "which number does the new rule get?"
        )
        number = str(ask_ruling(host, text))
        if r.is_rule_number(number) and host.world.rule(number) is None:
            return number
        taken = number


def _check_accounts(host: Host, rule: r.Rule) -> None:
    """Check that no player has the name of an account of *rule*."""
    if host.forgets_rules:
        return
    players = {player.casefold() for player in host.world.kinds.get("player", ())}
    for account in rule.accounts:
        if account.casefold() in players:
            _refuse(host, f"rule {rule.number}: a player is called {account!r:.60}")


def _in_force(host: Host, number: str) -> r.Rule:
    rule = host.world.rule(number)
    if rule is None:
        _refuse(host, f"there is no rule {number} in force")
    assert rule is not None
    return rule


def _amend(host: Host, change: r.Amend, source: str) -> None:
    old = _in_force(host, change.number)
    try:
        rule = amended(old, change, forgets_rules=host.forgets_rules)
    except AmendmentError as error:
        _refuse(host, *error.faults)
    _check_accounts(host, rule)
    host.emit(e.RuleAmended, rule=rule, source=source)


def _repeal(host: Host, number: str, state: str, source: str) -> None:
    rule = _in_force(host, number)
    if rule.common:
        text = "is a common definition: a rule with a number that defines the same prevails over it"
        _refuse(host, f"rule {number} {text}")
    in_program = host.program.by_number.get(number)
    skipped = ""
    if in_program is not None and any(h.name == "on_repeal" for h in parse_code(rule).hooks):
        skipped = _run_on_repeal(host, number, source)
    _drop(host, number, state, source, skipped)


def _run_on_repeal(host: Host, number: str, source: str) -> str:
    """Run `on_repeal` of rule *number*; return why it is undone, or "".

    A ruling repeals the rule, whatever the rule's own code does.
    """
    level = LEVELS[host.world.level]
    if not (source.startswith("ruling ") and level.suspends_failing_checks):
        host.program.hook(number, "on_repeal")
        return ""
    operations, frames = host.operations, host.frames
    try:
        return undone_failure(host, number, "on_repeal")
    except Refused as error:
        host.operations, host.frames, host.pending = operations, frames, None
        return "; ".join(reason.text for reason in error.reasons)


def _drop(host: Host, number: str, state: str, source: str, skipped: str = "") -> None:
    _in_force(host, number)
    if state not in REPEAL_STATES:
        _refuse(host, f"a repeal says keep, freeze or drop, not {state!r}")
    host.emit(e.RuleRepealed, number=number, state=state, source=source, skipped=skipped)


def _renumber(host: Host, number: str, to: str, source: str) -> None:
    _in_force(host, number)
    if host.world.rule(to) is not None:
        _refuse(host, f"there is a rule {to} already")
    host.emit(e.RuleRenumbered, number=number, to=to, source=source)


def _do(host: Host, change: r.Do) -> None:
    operation = host.program.links.operations.get(change.operation)
    if operation is None or not operation.can_be_done:
        _refuse(host, f"no rule in force says how to {change.operation!r}")
    assert operation is not None
    arguments = named_arguments(host.world, operation, (), change.arguments)
    host.program.call(change.operation, **arguments)


def _set(host: Host, change: r.Set) -> None:
    entity = (
        "game" if change.kind == "game" else resolve_entity(host.world, change.kind, change.entity)
    )
    declared = host.world.declared(change.kind)
    if change.attribute not in declared:
        known = ", ".join(sorted(declared)) or "nothing"
        _refuse(host, f"a {change.kind} has no {change.attribute!r}; it has {known}")
    type_ = declared[change.attribute].removesuffix(" key")
    value = resolve(host.world, Parameter(change.attribute, type_), change.value)
    host.program.call("set", entity, change.attribute, value)


def _post(host: Host, change: r.Post, source: str) -> None:
    commodity = change.commodity or host.program.money
    if commodity not in host.program.commodities:
        _refuse(host, f"no rule in force declares the commodity {commodity!r}")
    places = host.program.commodities[commodity].places
    postings = []
    for name, amount in change.amounts.items():
        account = host.world.find("player", name) or name
        if account not in host.program.accounts and account not in host.world.entities:
            known = ", ".join((*host.world.kinds.get("player", ()), *sorted(host.program.accounts)))
            _refuse(host, f"there is no account {name!r}; there is {known}")
        postings.append(e.Posting(account, str(commodity), _units(host, amount, places)))
    total = sum(posting.amount for posting in postings)
    if total:
        amounts = ", ".join(f"{name} {amount}" for name, amount in change.amounts.items())
        text = (
            f"would break the sum of {commodity}: it comes to {from_units(total, places)}, not to 0"
        )
        _refuse(host, f"{amounts}: that {text}")
    host.emit(e.Posted, postings=tuple(postings), why=change.why or source)


def _units(host: Host, amount: int | str, places: int) -> int:
    parameter = Parameter("an amount", "Money")
    try:
        exact = resolve(host.world, parameter, amount)
        units = to_units(exact, places)
    except NotExact as error:
        _refuse(host, str(error))
    if from_units(units, places) != exact:
        _refuse(host, f"{amount} is finer than the {places} decimal places there are")
    if abs(units) > UNITS_MAX:
        _refuse(host, f"{amount!s:.60} is far too large")
    return units


def _refuse(host: Host, *texts: str) -> NoReturn:
    host.stop(Refused([e.Reason(host.acting()[0], text) for text in texts]))
