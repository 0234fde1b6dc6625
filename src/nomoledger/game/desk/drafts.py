"""A proposal before it is made: checked, and played again, by what its author may see."""

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from nomoledger.errors import MisfitError, NomoledgerError, UnknownError, UsageError
from nomoledger.events.rules import Change
from nomoledger.game.computed_evidence import what_if_for
from nomoledger.game.copied_cases import try_copied_cases
from nomoledger.game.counterfactual import WhatIf, WhatIfChanges
from nomoledger.game.desk.seen_game import SeenView
from nomoledger.game.game import Game
from nomoledger.game.writer import Outcome
from nomoledger.prose.labels import format_cell
from nomoledger.prose.names import plain
from nomoledger.rulebook.case_comparison import CaseComparison
from nomoledger.rulebook.change_check import ChangeCheck, check_changes
from nomoledger.rulebook.change_diff import ChangeDiff, diff_changes
from nomoledger.rulebook.changes import parse_changes
from nomoledger.rulebook.written_changes import write_changes
from nomoledger.sandbox.limits import Limits
from nomoledger.sandbox.sandbox import call_in_sandbox

#: For how many seconds the cases of the rulebook are tried: a player waits for the page.
CASES_SECONDS = 6.0
#: How many findings of a kind are shown.
SHOWN_MAX = 25
_LIMITS = Limits(cpu_seconds=20.0, wall_seconds=60.0)
#: What messages call the text of the changes.
_FILE = "the changes"


class PlayedAgain(msgspec.Struct, frozen=True):
    """A closed period played again with changes, in words.

    Attributes:
        period: the period. lines: what differs.
        places: for each player whose money or rank differs: the name, money and rank as recorded,
            and money and rank with the changes.
        problem: why it could not be played again; "" if it could.
    """

    period: int = 0
    lines: tuple[str, ...] = ()
    places: tuple[tuple[str, str, str, str, str], ...] = ()
    problem: str = ""


class DraftCheck(msgspec.Struct, frozen=True):
    """What changes would do to the rules.

    Attributes:
        errors: why they cannot be proposed. warnings: what their author should know.
        cases_failing: the cases of the rulebook that would fail, with the first difference of each.
        cases_tried, cases_not_tried: how many cases were tried, and how many were not.
        diff: each change as a difference from the rules in force.
        again: the last closed period played again, if that was asked for.
    """

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    cases_failing: tuple[str, ...] = ()
    cases_tried: int = 0
    cases_not_tried: int = 0
    diff: tuple[ChangeDiff, ...] = ()
    again: PlayedAgain | None = None


class ParameterLine(msgspec.Struct, frozen=True):
    """A parameter of a rule in force: the *rule*, its *name*, the name in *words*, its *value*."""

    rule: str
    name: str
    words: str
    value: str


class Parameters(msgspec.Struct, frozen=True):
    """The parameters of the rules in force."""

    lines: tuple[ParameterLine, ...]


def parameters_of(game: Game, player: str) -> Parameters:
    """Return the parameters of the rules that *player* knows, rule by rule."""
    world = SeenView(game, player).visible_world()
    return Parameters(
        tuple(
            ParameterLine(rule.number, name, plain(name), format_cell(value))
            for rule in world.rules
            for name, value in rule.parameters.items()
            if not isinstance(value, dict | list | tuple)
        )
    )


def check_draft(game: Game, player: str, changes: str, plays_again: bool) -> DraftCheck:
    """Return what the *changes*, in YAML, would do if *player* proposed them and they passed.

    Everything is computed from what the player may see. If it *plays_again*, the last closed
    period is played again with the changes.
    """
    try:
        parsed = parse_changes(changes, _FILE, with_code=False)
    except NomoledgerError as error:
        return DraftCheck(errors=(str(error),))
    return _check(game, player, parsed, plays_again)


def check_made(game: Game, player: str, number: int, plays_again: bool) -> DraftCheck:
    """Return what proposal *number* would do if it passed now; see `check_draft`.

    Raises:
        UnknownError: there is no such proposal.
        UsageError: the proposal changes no rule.
    """
    return _check(game, player, changes_of(game, number), plays_again)


def changes_of(game: Game, number: int) -> tuple[Change, ...]:
    """Return the changes of proposal *number*, which everybody may see.

    Raises:
        UnknownError: there is no such proposal.
        UsageError: the proposal changes no rule.
    """
    made = game.world.proposals.get(number)
    if made is None:
        raise UnknownError(f"{game.name}: there is no proposal {number}")
    if not made.changes:
        raise UsageError(f"proposal {number} changes no rule that could be tried")
    return made.changes


def _check(game: Game, player: str, parsed: tuple[Change, ...], plays_again: bool) -> DraftCheck:
    world = SeenView(game, player).visible_world()
    try:
        checked = call_in_sandbox(
            check_changes, world, parsed, "proposal", kind=ChangeCheck, limits=_LIMITS
        )
    except MisfitError as error:
        return DraftCheck(errors=error.errors)
    except NomoledgerError as error:
        return DraftCheck(errors=(str(error),))
    diff = call_in_sandbox(diff_changes, world.rules, parsed, kind=list[ChangeDiff], limits=_LIMITS)
    compared, warnings = CaseComparison(), list(_warnings(checked))
    if not checked.errors and checked.before != checked.after:
        try:
            compared = _compared(game, checked)
        except NomoledgerError as error:
            warnings.append(f"no case was tried: {error}")
    again = None
    if plays_again and not checked.errors:
        again = _played_again(game, player, parsed)
    return DraftCheck(
        errors=checked.errors[:SHOWN_MAX],
        warnings=tuple(warnings[:SHOWN_MAX]),
        cases_failing=compared.failing[:SHOWN_MAX],
        cases_tried=compared.tried,
        cases_not_tried=compared.not_tried,
        diff=tuple(map(shown_diff, diff)),
        again=again,
    )


def _compared(game: Game, checked: ChangeCheck) -> CaseComparison:
    options: dict[str, Any] = {"seconds": CASES_SECONDS, "done": lambda count: None}
    return try_copied_cases(game.history, checked, **options) or CaseComparison()


def _warnings(checked: ChangeCheck) -> Iterator[str]:
    for left in checked.left_undefined:
        users = ", ".join(left.used_by)
        yield f"left without a definition: {left.name}, which {users} would still use"
    for mismatch in checked.mismatches:
        yield f"prose and parameters would disagree: {mismatch}"
    yield from checked.notes


def shown_diff(change: ChangeDiff) -> ChangeDiff:
    """Return *change* with its values as people read them."""
    values = tuple(
        msgspec.structs.replace(value, old=_shown(value.old), new=_shown(value.new))
        for value in change.values
    )
    return msgspec.structs.replace(change, values=values)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list | tuple):
        return msgspec.json.encode(value, enc_hook=str).decode()
    return "nothing" if value is None else format_cell(value)


def _played_again(game: Game, player: str, changes: tuple[Change, ...]) -> PlayedAgain:
    period = max(game.world.past, default=None)
    if period is None:
        return PlayedAgain(problem="no period is closed yet")
    asked = WhatIfChanges(changes=changes, since=period, until=period)
    try:
        result = what_if_for(game.history, asked, player, _LIMITS)
    except NomoledgerError as error:
        return PlayedAgain(period, problem=str(error))
    differ = (p for p in result.places if (p.money, p.rank) != (p.rerun_money, p.rerun_rank))
    return PlayedAgain(
        period=period,
        lines=tuple(_lines(result)),
        places=tuple(
            (
                place.player,
                format_cell(place.money),
                format_cell(place.rank),
                format_cell(place.rerun_money),
                format_cell(place.rerun_rank),
            )
            for place in differ
        ),
    )


def _lines(result: WhatIf) -> Iterator[str]:
    if result.difference is None and not result.otherwise:
        yield "nothing would have been different"
    if (first := result.difference) is not None:
        yield f"first at #{first.event}: {first.recorded or 'nothing'}"
        yield f"played again: {first.rerun or 'nothing'}"
    for difference in result.otherwise[:SHOWN_MAX]:
        recorded, rerun = format_cell(difference.recorded), format_cell(difference.rerun)
        yield f"{difference.what} of {difference.subject}: {recorded} would have been {rerun}"
    for collision in result.collisions[:SHOWN_MAX]:
        yield f"another meaning: {collision.what}: {collision.why}"
    for orphan in result.orphans[:SHOWN_MAX]:
        yield f"without a place: {orphan.what}: {orphan.why}"
    if result.stopped is not None:
        yield f"it goes no further: {result.stopped}"


class WrittenProposal(msgspec.Struct, frozen=True):
    """A proposal as its author can work on it: its *text*, and its *changes* in YAML."""

    text: str
    changes: str

    @property
    def version(self) -> str:
        """What stands for the text and the changes: equal for equal ones only."""
        return hashlib.sha256(msgspec.json.encode((self.text, self.changes))).hexdigest()[:32]


def written_proposal(game: Game, number: int) -> WrittenProposal:
    """Return proposal *number*, which everybody may see, for the editor.

    Raises:
        UnknownError: there is no such proposal.
    """
    made = game.world.proposals.get(number)
    if made is None:
        raise UnknownError(f"{game.name}: there is no proposal {number}")
    return WrittenProposal(made.text, write_changes(made.changes) if made.changes else "")


def propose_draft(game: Game, player: str, text: str, changes: str, **fields: Any) -> Outcome:
    """Propose *text* with the *changes*, in YAML; "" for none.

    The changes are tried on what the player may see, and on nothing else. So an error, or that
    there is none, tells the player nothing new.

    Raises:
        RulebookError: the changes cannot be read. MisfitError: they do not fit the rules.
    """
    parsed = read_draft(changes)
    game.catch_up()
    with game.trying_on(SeenView(game, player).visible_world()):
        return game.propose(player, text, parsed, **fields)


def read_draft(changes: str) -> tuple[Change, ...]:
    """Return the *changes* that are written in YAML; none for "".

    Raises:
        RulebookError: they cannot be read.
    """
    return parse_changes(changes, _FILE, with_code=False) if changes.strip() else ()


def refuse_misfit_draft(game: Game, player: str, changes: str) -> None:
    """Check that the *changes*, in YAML, fit the rules, by what *player* may see.

    Raises:
        RulebookError: the changes cannot be read. MisfitError: they do not fit the rules.
    """
    game.catch_up()
    with game.trying_on(SeenView(game, player).visible_world()):
        game.refuse_misfits(read_draft(changes), "proposal")
