"""One simulated season: the calendar of it, and who asks for what and when."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.batches import decode_batch, encode_batch
from nomoledger.engine.oracles import seeded_oracle
from nomoledger.errors import RuleFault
from nomoledger.events.rules import Rule
from nomoledger.game.commit import Commit
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.simulation.bots import Bots
from nomoledger.game.simulation.samples import examples_of, with_code
from nomoledger.game.simulation.watched import WatchedProgram
from nomoledger.game.start import open_game
from nomoledger.language.program import Linker, Program
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.sandbox import child
from nomoledger.sandbox.worker import stream_from_worker
from nomoledger.state.reducer import to_seconds
from nomoledger.state.world import World

FIRST_DAY = datetime(2001, 1, 1, tzinfo=UTC)  # a Monday
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ida", "Jack", "Kim", "Leo")
#: How much of what is asked for within a period the admin asks for.
ADMIN = 0.03
#: How many things the admin thinks of as a period begins.
ADMIN_FIRST = 12
#: How many rulesets are kept linked at a time.
PROGRAMS_MAX = 4
BATCH, REPORT = b"B", b"R"


class Plan(msgspec.Struct, frozen=True):
    """How much is played: *requests* are what each player asks for in a period of *days*.

    Where it *ends*, somebody asks for what ends the game when all periods are over.
    """

    players: int = 4
    periods: int = 10
    requests: int = 6
    proposals: float = 0.5
    days: int = 7
    seed: int = 1
    ends: bool = False


class Season(msgspec.Struct, frozen=True):
    """What came of it.

    Attributes:
        game, periods, events: what was played. requests, refused: what was asked for, how much of
            it in vain. ended: why the game was over early, or None.
        fired: numbers of rules with code that did something; silent: of those that did nothing.
        faults: where rule code failed on a trial, and what was tried.
    """

    game: str
    periods: int
    events: int
    requests: int
    refused: int
    ended: str | None
    fired: tuple[str, ...]
    silent: tuple[str, ...]
    faults: dict[str, str] = {}


def simulate(
    ledger: Ledger,
    rulebook: str,
    plan: Plan,
    *,
    game: str = "simulated",
    done: Callable[[int], Any] = lambda count: None,
) -> Season:
    """Play a season of *rulebook* in *ledger*; *done* is told of each period.

    Raises:
        UnknownError: there is no such rulebook.
        RuleFault: rule code failed; what was played until then is in the ledger.
    """
    secret = hashlib.sha256(f"simulate {plan.seed}".encode()).digest()
    day = FIRST_DAY
    open_game(ledger, game, load(rulebook), at=day, recorded_at=day, secret=secret)
    world, examples = Game(ledger, game).world, examples_of(rulebook)
    commit = Commit(ledger, game, world)

    def pieces() -> Iterator[bytes]:
        course = SeasonRun(world, secret, plan, examples)
        for batch in course.play():
            yield BATCH + encode_batch(batch)
        yield REPORT + msgspec.msgpack.encode(course.report(game))

    season = None
    for piece in stream_from_worker(pieces):
        if piece[:1] == REPORT:
            season = msgspec.msgpack.decode(piece[1:], type=Season)
            continue
        batch = decode_batch(piece[1:])
        commit.append(batch)
        done(sum(isinstance(event, e.PeriodClosed) for event in batch))
    assert season is not None
    return _with_cited(season, ledger)


def _with_cited(season: Season, ledger: Ledger) -> Season:
    """*season*, in which those rules acted, too, that an event names, as at the opening."""
    cited = {
        rule.partition("@")[0] for entry in ledger.read(season.game) for rule in entry.body.rules
    }
    silent = tuple(number for number in season.silent if number not in cited)
    more = tuple(number for number in season.silent if number in cited)
    return msgspec.structs.replace(season, fired=(*season.fired, *more), silent=silent)


class SeasonRun:
    """The season as it goes on, in the worker."""

    def __init__(self, world: World, secret: bytes, plan: Plan, examples: Any) -> None:
        self.world = world
        self.plan = plan
        self.watched = Linker(WatchedProgram, PROGRAMS_MAX)
        self.engine = new_engine(world, seeded_oracle(secret), secret, link=self._linked)
        self.chance = Random(plan.seed)
        self.bots = Bots(self.engine, self.chance, examples)
        self.at = FIRST_DAY
        self.count = self.refused = 0
        self.first = self.world.period
        self.fired: set[str] = set()

    def play(self) -> Iterator[Batch]:
        """Everybody joins; then period after period, until the plan or the game is over."""
        self._notice()
        for name in _names(self.plan.players):
            yield from self._take(e.JoinRequested, name=name, details=self.bots.details(name))
        for period in range(self.plan.periods):
            yield from self._period(FIRST_DAY + timedelta(days=period * self.plan.days))
            if self.world.game["ended"] is not None:
                return
        if self.plan.ends:
            yield from self._last_words()

    def report(self, game: str) -> Season:
        """What came of it."""
        known = with_code(self.world.rules)
        self.fired |= set(self.engine.link(self.world.rules).links.rules_with("on_enact"))
        return Season(
            game=game,
            periods=self.world.period - self.first,
            events=self.world.head + 1,
            requests=self.count,
            refused=self.refused,
            ended=self.world.game["ended"],
            faults=self.bots.faults,
            fired=tuple(rule.number for rule in self.world.rules if rule.number in self.fired),
            silent=tuple(
                rule.number for rule in self.world.rules if rule.number in known - self.fired
            ),
        )

    def _period(self, begins: datetime) -> Iterator[Batch]:
        self.at = begins + timedelta(hours=1)
        self.bots.now = to_seconds(self.at)
        yield from self._opening()
        for hour in self._hours():
            self.at = begins + timedelta(hours=hour)
            self.bots.now = to_seconds(self.at)
            yield from self._somebody()
            if self.world.game["ended"] is not None:
                return
        self.at = begins + timedelta(days=self.plan.days, hours=-1)
        yield from self._take(e.CloseAsked)

    def _hours(self) -> list[int]:
        """When something is asked for, in hours from the beginning of the period: rather soon."""
        count = self.plan.players * self.plan.requests
        last = self.plan.days * 24 - 2
        return sorted(2 + int((last - 2) * self.chance.random() ** 2) for _ in range(count))

    def _somebody(self) -> Iterator[Batch]:
        players = self.world.kinds.get("player", ())
        if not players:
            return
        by = self.chance.choice(players)
        if self.chance.random() < ADMIN:
            by = "admin"
        if by != "admin" and self.chance.random() < self.plan.proposals / self.plan.requests:
            yield from self._propose(by)
            return
        decided = list(self._decide(by)) if by != "admin" and self.chance.random() < 0.5 else []
        yield from decided or self._request(by)

    def _opening(self) -> Iterator[Batch]:
        """What the admin does as a period begins: nothing twice, or it would happen to all."""
        asked: set[str] = set()
        for _ in range(ADMIN_FIRST):
            wanted = self.bots.request("admin", but=asked)
            if wanted is None:
                return
            asked.add(wanted[0])
            yield from self._ask("admin", *wanted)

    def _request(self, by: str) -> Iterator[Batch]:
        wanted = self.bots.request(by)
        if wanted is not None:
            yield from self._ask(by, *wanted)

    def _ask(self, by: str, action: str, arguments: dict[str, Any]) -> Iterator[Batch]:
        audience = self.bots.audience(by, action)
        fields = {"by": by, "action": action, "arguments": arguments}
        yield from self._take(e.SubmissionReceived, audience=audience, **fields)

    def _last_words(self) -> Iterator[Batch]:
        """Whoever is first to find what ends the game asks for it."""
        askers = ["admin", *self.world.kinds.get("player", ())]
        for by in self.chance.sample(askers, len(askers)):
            wanted = self.bots.last_word(by)
            if wanted is not None:
                yield from self._ask(by, *wanted)
                return

    def _propose(self, player: str) -> Iterator[Batch]:
        amendment = self.bots.samples.amendment()
        if amendment is not None and self.bots.would("propose", player, (player, 0)):
            text = f"{amendment.number}: {amendment.parameters}"
            number = max(self.world.proposals, default=0) + 1
            fields: dict[str, Any] = {"by": player, "number": number, "text": text}
            yield from self._take(e.ProposalMade, changes=(amendment,), **fields)

    def _decide(self, player: str) -> Iterator[Batch]:
        """A vote, or the admin's verdict, on one of the latest proposals."""
        latest = list(self.world.proposals)[-8:]
        for proposal in self.chance.sample(latest, len(latest)):
            verdict = self.chance.choice(("accepted", "rejected"))
            if self.bots.would("judge", "admin", (proposal, verdict)):
                yield from self._take(e.ProposalJudged, proposal=proposal, verdict=verdict)
                return
            choice = self.chance.choice(("yes", "yes", "no", "abstain"))
            if self.bots.would("vote", player, (player, proposal, choice)):
                fields: dict[str, Any] = {"by": player, "proposal": proposal, "choice": choice}
                audience = self.bots.audience(player, "vote")
                yield from self._take(e.VoteCast, audience=audience, **fields)
                return

    def _linked(self, rules: tuple[Rule, ...]) -> Program:
        """*rules*, linked: which is not yet acting."""
        before, child.notice = child.notice, lambda rule: None
        try:
            return self.watched.link(rules)
        finally:
            child.notice = before

    def _notice(self) -> None:
        """Gather the numbers of all rules that act from now on, but for trials."""
        before = child.notice

        def notice(rule: str) -> None:
            if not self.bots.is_trying:
                self.fired.add(rule)
            before(rule)

        child.notice = notice

    # --- one input

    def _take(self, kind: type[e.Input], /, **fields: Any) -> Iterator[Batch]:
        yield from self._taken(kind, fields)
        while (question := self.world.waiting) is not None:
            yield from self._taken(*self.bots.answer(question))

    def _taken(self, kind: type[e.Input], fields: dict[str, Any]) -> Iterator[Batch]:
        self.count += 1
        fields |= {"received_at": self.at, "recorded_at": self.at, "period": self.world.period}
        event = kind(id=f"s{self.count}", **fields)
        try:
            for batch in self.engine.take(event):
                self.refused += any(isinstance(each, e.AttemptRefused) for each in batch)
                yield batch
        except RuleFault as fault:
            told = f"{fault} (seed {self.plan.seed}, request {self.count}: {event})"
            raise RuleFault(told, rule=fault.rule) from None


def _names(count: int) -> list[str]:
    return [NAMES[n] if n < len(NAMES) else f"{NAMES[n % len(NAMES)]} {n}" for n in range(count)]
