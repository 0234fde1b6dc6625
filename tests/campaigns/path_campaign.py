"""Campaign: the game that grows from `mail-opening` into `mail` by proposals, week by week.

python tests/campaigns/path_campaign.py write     writes the changes of each proposal into
                                                  replays/mail-path, from the rulebook `mail`
python tests/campaigns/path_campaign.py play      plays the game with these changes, and exports it
                                                  to replays/mail-path.jsonl

Bots play, and make the proposals of `path_plan.py`; the admin judges them. The same files give the
same game. They are written once: a game keeps the rules as they were adopted.
"""

import hashlib
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import yaml
from path_plan import (
    ADMIN,
    EXAMPLES,
    JOINS,
    LEAVES,
    NAMES,
    PLAN,
    PLAYERS,
    WASTED,
    WEEKS,
    Planned,
)

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Amend, Change, Enact, Renumber, Repeal, Rule
from nomoledger.game import recorded_games
from nomoledger.game.commit import Commit
from nomoledger.game.exchange import export_ledger
from nomoledger.game.game import Game
from nomoledger.game.simulation.bots import Bots
from nomoledger.game.simulation.season import FIRST_DAY, Plan, SeasonRun
from nomoledger.game.start import open_game
from nomoledger.language.amended_rule import AmendmentError, amended
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.changes import parse_changes, read_changes
from nomoledger.rulebook.loading import load, mechanics
from nomoledger.state.clock import to_seconds
from nomoledger.state.reducer import apply
from nomoledger.state.world import World

GAME = "mail-path"
FOLDER = recorded_games.folder() / GAME
SEED = 11
#: What players do seldom, and how seldom.
RARE = ("become_freemason", "commit_suicide", "give_square", "give_item", "donate_land")
RARELY = 0.1
#: The most that is paid as Dues at a time: dice are rolled for each dollar, whenever rent is due.
DUES_MAX = 3
THEMES = ("Health", "Travel", "Curiosities")
#: What the rules of a game say of a rule besides its place in a file.
_OF_RULE = [
    name for name in Rule.__struct_fields__ if name not in ("version", "file", "line", "api")
]
_OF_AMENDMENT = ("title", "prose", "code", "declares", "commodities", "facts", "told")


# --- writing the changes ------------------------------------------------------------------------


def write() -> None:
    """Write the changes of each proposal of the plan."""
    in_force = {rule.number: rule for rule in load("mail-opening").rules}
    known = {rule.number: rule for rule in load("mail").rules}
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.yaml"):
        file.unlink()
    for planned in PLAN:
        changes = _changes_of(planned, in_force, known)
        if planned.is_rejected:
            _carry_out(dict(in_force), changes)
        else:
            _carry_out(in_force, changes)
        text = yaml.dump(changes, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
        (FOLDER / planned.file).write_text(f"# {planned.text}\n{text}", "utf-8")


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _changes_of(
    planned: Planned, in_force: dict[str, Rule], known: dict[str, Rule]
) -> list[dict[str, Any]]:
    """Return the changes of a proposal, where the rules *in_force* are these."""
    changes: list[dict[str, Any]] = [{"repeal": number} for number in planned.repeal]
    changes += [{"renumber": old, "to": new} for old, new in planned.renumber]
    then = dict(in_force)
    _carry_out(then, changes)
    for number in planned.adopt:
        rule = _drafted(known[number], planned.drafts.get(number, ()))
        if number in then and not _differences(then[number], rule):
            continue
        is_new = number in planned.anew or number not in then
        amendment = None if is_new else _amendment(then[number], rule)
        if amendment is not None:
            changes.append(amendment)
            continue
        changes += [{"repeal": number}] if number in then else []
        changes.append({"enact": _as_data(rule)})
    return [*changes, *planned.changes]


def _drafted(rule: Rule, drafts: tuple[tuple[str, str], ...]) -> Rule:
    """Return *rule* with other words for a start."""
    for old, new in drafts:
        prose, code = rule.prose.replace(old, new), rule.code.replace(old, new)
        assert (prose, code) != (rule.prose, rule.code), f"{rule.number} does not say {old!r}"
        rule = msgspec.structs.replace(rule, prose=prose, code=code)
    return rule


def _differences(old: Rule, new: Rule) -> list[str]:
    return [name for name in _OF_RULE if getattr(old, name) != getattr(new, name)]


def _amendment(old: Rule, new: Rule) -> dict[str, Any] | None:
    """Return the amendment that makes *old* the rule *new*; None if no amendment can."""
    found: dict[str, Any] = {"amend": old.number}
    values = {name: getattr(new, name) for name in _differences(old, new) if name in _OF_AMENDMENT}
    found |= msgspec.to_builtins(values)
    if new.parameters != old.parameters:
        found["parameters"] = dict(new.parameters)
    (change,) = read_changes(found)
    assert isinstance(change, Amend)
    try:
        return None if _differences(amended(old, change), new) else found
    except AmendmentError:
        return None


def _as_data(rule: Rule) -> dict[str, Any]:
    """Return *rule* as the notation of changes has it, without what its mechanics bring along."""
    used = [each for each in mechanics() if each.number in rule.mechanics]
    data: dict[str, Any] = msgspec.to_builtins(rule)
    for name in ("version", "file", "line", "mechanics", "units"):
        data.pop(name, None)
    data["parameters"] = {
        name: {"value": value, "unit": rule.units[name]} if name in rule.units else value
        for name, value in rule.parameters.items()
    }
    data["moments"] = {
        name: each
        for name, each in rule.moments.items()
        if not any(name in one.moments for one in used)
    }
    endings = [ending for one in used for ending in one.when_gone]
    kept = [ending for ending in rule.when_gone if ending not in endings]
    data["when_gone"] = msgspec.to_builtins(kept)
    data["declares"] = {
        kind: own
        for kind, table in rule.declares.items()
        if (own := {name: type_ for name, type_ in table.items() if not _brings(used, kind, name)})
        or not used
    }
    return {name: value for name, value in data.items() if value not in ({}, [], (), None)}


def _brings(used: list[Rule], kind: str, name: str) -> bool:
    return any(name in one.declares.get(kind, {}) for one in used)


def _carry_out(in_force: dict[str, Rule], changes: list[dict[str, Any]]) -> None:
    """Carry out those *changes* that change the rules *in_force*."""
    for change in read_changes(changes):
        if isinstance(change, Repeal):
            del in_force[change.number]
        elif isinstance(change, Renumber):
            rule = in_force.pop(change.number)
            in_force[change.to] = msgspec.structs.replace(rule, number=change.to)
        elif isinstance(change, Amend):
            in_force[change.number] = amended(in_force[change.number], change)
        elif isinstance(change, Enact):
            assert change.rule.number not in in_force, change.rule.number
            in_force[change.rule.number] = change.rule


# --- playing the game ---------------------------------------------------------------------------


def changes_in(planned: Planned) -> tuple[Change, ...]:
    """Return the changes in the file of a proposal."""
    path = FOLDER / planned.file
    return parse_changes(path.read_text("utf-8"), planned.file)


class PathBots(Bots):
    """Bots that try what they ask for as it will be done, even if it has to wait for the Update."""

    def _try(
        self, operation: str, by: str, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> list[e.Event] | None:
        waits = "carries_out" in self.world.declared("game")
        if waits:
            before = self._attributes().get("carries_out")
            self.world.put(self._attributes(), "carries_out", True)
        try:
            return super()._try(operation, by, arguments, named)
        finally:
            if waits:
                self.world.put(self._attributes(), "carries_out", before)

    def _attributes(self) -> dict[str, Any]:
        return self.world.inner(self.world.attributes, "game")

    def _choice(self, question: e.QuestionRaised) -> Any:
        if "yes" in question.options and self.chance.random() < 0.7:
            return "yes"
        return super()._choice(question)


class PathRun(SeasonRun):
    """The game of the plan."""

    def __init__(self, world: World, secret: bytes, plan: Plan, game: Game) -> None:
        """Play *plan* on *world*, and try each proposal in *game*."""
        super().__init__(world, secret, plan, EXAMPLES)
        self.bots = PathBots(self.engine, self.chance, self.bots.samples.examples)
        self.game = game

    def play(self) -> Iterator[Batch]:
        """Play all weeks."""
        self._watch_rules()
        for name in PLAYERS:
            yield from self._play(e.JoinRequested, name=name, details=self.bots.details(name))
        for week in range(1, self.plan.periods + 1):
            yield from self._period(FIRST_DAY + timedelta(days=(week - 1) * self.plan.days))
            assert self.world.game["ended"] is None, self.world.game["ended"]

    def _opening(self) -> Iterator[Batch]:
        """Let players join and leave, and make the proposals of the week."""
        week = self.world.period
        if week in JOINS:
            details = self.bots.details(JOINS[week])
            yield from self._play(e.JoinRequested, name=JOINS[week], details=details)
        if week in LEAVES:
            yield from self._play(e.LeaveRequested, by=LEAVES[week])
        authors: set[str] = set()
        for planned in PLAN:
            if planned.week == week:
                by = self._author()
                authors.add(by)
                self._check(planned)
                verdict = "rejected" if planned.is_rejected else "accepted"
                yield from self._decide_on(by, planned.text, changes_in(planned), verdict)
                if planned.is_simpler:
                    yield from self._ask("admin", "find_simpler", self._latest())
        for action, arguments in ADMIN.get(week, ()):
            yield from self._ask("admin", action, arguments)
        for by in [player for player in self.world.kinds["player"] if player not in authors]:
            amendment = self.bots.samples.amendment()
            if amendment is not None and self._can_propose(by):
                ((name, value),) = amendment.parameters.items()
                text = f"Rule {amendment.number} with {value} as {name}"
                yield from self._decide_on(by, text, (amendment,), "rejected")
        if week in WASTED:
            yield from self._ask("admin", "call_waste", self._latest())

    def _latest(self) -> dict[str, Any]:
        return {"proposal": max(self.world.proposals)}

    def _author(self) -> str:
        number = max(self.world.proposals, default=0) + 1
        authors = [by for by in PLAYERS if self._can_propose(by)]
        return authors[number % len(authors)]

    def _can_propose(self, by: str) -> bool:
        has_waiting = self.world.proposals and [
            one
            for one in self.world.kinds["proposal"]
            if self.world.get(one, "author") == by and self.world.get(one, "state") == "undecided"
        ]
        return not has_waiting and self.bots.would("propose", by, (by, 0))

    def _decide_on(
        self, by: str, text: str, changes: tuple[Change, ...], verdict: str
    ) -> Iterator[Batch]:
        """Let *by* make a proposal, and the admin give a verdict."""
        number = max(self.world.proposals, default=0) + 1
        fields: dict[str, Any] = {"by": by, "number": number, "text": text, "changes": changes}
        yield from self._play(e.ProposalMade, **fields)
        self._pass_time()
        yield from self._play(e.ProposalJudged, proposal=number, verdict=verdict)
        self._pass_time()

    def _pass_time(self) -> None:
        self.at += timedelta(minutes=3)
        self.bots.now = to_seconds(self.at)

    def _check(self, planned: Planned) -> None:
        """Try the changes of a proposal as `proposal check` does."""
        checked = self.game.check_proposal(changes_in(planned))
        for line in (*checked.errors, *checked.mismatches, *map(str, checked.left_undefined)):
            print(f"{planned.file}: {line}")
        if checked.errors:
            raise SystemExit(1)

    def _somebody(self) -> Iterator[Batch]:
        by = self.chance.choice(self.world.kinds["player"])
        is_rare = self.chance.random() < RARELY
        request = self.bots.request(by, but=() if is_rare else RARE)
        if request is not None:
            action, arguments = request
            yield from self._ask(by, action, arguments | self._sensible(action, arguments))

    def _sensible(self, action: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments for which players have better ideas than bots."""
        if action in ("name_square", "rename_square"):
            return {"name": self._name()}
        if action == "open_store":
            return {"theme": self.chance.choice(THEMES)}
        if action == "pay_dues":
            return {"amount": min(arguments["amount"], DUES_MAX)}
        return {}

    def _name(self) -> str:
        """Return a name that no square has, as long as there is one."""
        used = {self.world.get(square, "name") for square in self.world.kinds["square"]}
        return next((name for name in NAMES if name not in used), f"Square of week {self.at:%W}")


def play(ledger: Ledger, weeks: int) -> PathRun:
    """Play the game into *ledger*."""
    secret = hashlib.sha256(f"{GAME} {SEED}".encode()).digest()
    plan = Plan(players=len(PLAYERS), periods=weeks, requests=3, seed=SEED)
    day = FIRST_DAY
    game = open_game(ledger, GAME, load("mail-opening"), at=day, recorded_at=day, secret=secret)
    run = PathRun(Game(ledger, GAME).world, secret, plan, game)
    commit = Commit(ledger, GAME, Game(ledger, GAME).world)
    for batch in run.play():
        commit.append(batch)
        for event in batch:
            apply(game.world, event)
    return run


def main() -> None:
    """Write the changes, or play the game."""
    if sys.argv[1] == "write":
        write()
        return
    weeks = int(sys.argv[2]) if len(sys.argv) > 2 else WEEKS
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(Path(folder) / "path.db", create=True) as ledger,
    ):
        try:
            run = play(ledger, weeks)
        except RuleFault as fault:
            raise SystemExit(str(fault)) from None
        with (FOLDER.parent / f"{GAME}.jsonl").open("wb") as file:
            export_ledger(ledger, file)
        report = run.report(GAME)
        print(f"{report.events} events, {report.requests} requests, {report.refused} refused")
        print(f"silent: {', '.join(report.silent)}")
        print(report.faults)


if __name__ == "__main__":
    main()
