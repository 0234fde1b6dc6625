"""A simulated season: its calendar, and who requests what when."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import msgspec

from nomoledger import events as e
from nomoledger.engine.agenda import Batch
from nomoledger.engine.batches import decode_batch, encode_batch
from nomoledger.engine.oracles import SeededOracle
from nomoledger.errors import RuleFault
from nomoledger.events.display import CODE_FAILED
from nomoledger.events.rules import Post
from nomoledger.game.commit import Commit
from nomoledger.game.engines import new_engine
from nomoledger.game.game import Game
from nomoledger.game.simulation.bots import Bots
from nomoledger.game.simulation.samples import examples_of, numbers_with_code
from nomoledger.game.simulation.watched import WatchedProgram
from nomoledger.game.start import open_game
from nomoledger.language.program import Linker, Program
from nomoledger.language.values import from_units
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load
from nomoledger.sandbox import inside
from nomoledger.sandbox.sandbox import stream_from_sandbox
from nomoledger.state.clock import to_seconds
from nomoledger.state.world import World

FIRST_DAY = datetime(2001, 1, 1, tzinfo=UTC)  # a Monday
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hugo", "Ida", "Jack", "Kim", "Leo")
#: The share of requests that the admin makes.
ADMIN = 0.03
#: The most requests of the admin at the start of a period.
ADMIN_FIRST = 12
#: The reason of a ruling that takes something away.
LOSS = "loss"
#: How many linked rulesets are cached.
PROGRAMS_MAX = 4
BATCH, REPORT = b"B", b"R"


class Plan(msgspec.Struct, frozen=True):
    """How a season is played.

    Attributes:
        players: number of players.
        periods: number of periods.
        requests: requests of each player per period.
        proposals: proposals of each player per period.
        days: number of days in a period.
        seed: seed of all random choices.
        ends: whether somebody requests an action that ends the game after the last period.
        orders: the share of players' requests that are given as standing orders.
        guests: whether in each period but the first a player joins, and leaves in the next.
        gifts: of everything that can be owned, how much each player is given in each period, except
            one who loses it all.
    """

    players: int = 4
    periods: int = 10
    requests: int = 6
    proposals: float = 0.5
    days: int = 7
    seed: int = 1
    ends: bool = False
    orders: float = 0.0
    guests: bool = False
    gifts: int = 0


class Season(msgspec.Struct, frozen=True):
    """The result of a simulated season.

    Attributes:
        game: name of the game.
        periods: number of periods played.
        events: number of events.
        requests: number of requests.
        refused: how many of them were refused.
        ended: why the game ended early, or None.
        fired: numbers of rules with code that ran.
        silent: numbers of rules with code that never ran.
        faults: errors of rule code on trials, with the request that caused each.
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
    """Play a season of *rulebook* in *ledger*.

    *done* is called after each batch with the number of periods that the batch closed.

    Raises:
        UnknownError: there is no such rulebook.
        RuleFault: rule code failed; what was played until then is in the ledger.
    """
    secret = hashlib.sha256(f"simulate {plan.seed}".encode()).digest()
    day = FIRST_DAY
    open_game(ledger, game, load(rulebook), at=day, recorded_at=day, secret=secret)
    world, examples = Game(ledger, game).world, examples_of(rulebook)
    commit = Commit(ledger, game, world)
    season = None
    for piece in stream_from_sandbox(_play, world, secret, plan, examples, game):
        if piece[:1] == REPORT:
            season = msgspec.msgpack.decode(piece[1:], type=Season)
            continue
        batch = decode_batch(piece[1:])
        commit.append(batch)
        done(sum(isinstance(event, e.PeriodClosed) for event in batch))
    assert season is not None
    return _with_cited(season, ledger)


def _play(world: World, secret: bytes, plan: Plan, examples: Any, game: str) -> Iterator[bytes]:
    """Yield the batches of a season, and its report. This runs in a sandbox."""
    run = SeasonRun(world, secret, plan, examples)
    for batch in run.play():
        yield BATCH + encode_batch(batch)
    yield REPORT + msgspec.msgpack.encode(run.report(game))


def _with_cited(season: Season, ledger: Ledger) -> Season:
    """Return *season* with the rules that events cite counted as fired."""
    cited = {
        rule.partition("@")[0] for entry in ledger.read(season.game) for rule in entry.body.rules
    }
    silent = tuple(number for number in season.silent if number not in cited)
    also_fired = tuple(number for number in season.silent if number in cited)
    return msgspec.structs.replace(season, fired=(*season.fired, *also_fired), silent=silent)


class SeasonRun:
    """One season being played, in a sandbox."""

    def __init__(
        self,
        world: World,
        secret: bytes,
        plan: Plan,
        examples: Any,
        kind: type[Program] = WatchedProgram,
    ) -> None:
        """Prepare to play *plan* on *world*; rules are linked into programs of class *kind*."""
        self.world = world
        self.plan = plan
        self.linker = Linker(kind, PROGRAMS_MAX)
        self.engine = new_engine(world, SeededOracle(secret), secret, link=self.linker.link)
        self.chance = Random(plan.seed)
        self.bots = Bots(self.engine, self.chance, examples)
        self.at = FIRST_DAY
        self.count = self.refused = 0
        self.first = self.world.period
        self.fired: set[str] = set()

    def play(self) -> Iterator[Batch]:
        """Let players join, then play each period until the plan or the game is over."""
        self._watch_rules()
        for name in _names(self.plan.players):
            yield from self._play(e.JoinRequested, name=name, details=self.bots.details(name))
        for period in range(self.plan.periods):
            yield from self._period(FIRST_DAY + timedelta(days=period * self.plan.days))
            if self.world.game["ended"] is not None:
                return
        if self.plan.ends:
            yield from self._last_words()

    def report(self, game: str) -> Season:
        """Return the result of the season."""
        known = numbers_with_code(self.world.rules)
        self.fired |= set(self.engine.link(self.world.ruleset).links.rules_with("on_enact"))
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
        if self.plan.guests and self.world.period > self.first:
            yield from self._guests()
        if self.plan.gifts:
            yield from self._gifts()
        for hour in self._hours():
            self.at = begins + timedelta(hours=hour)
            self.bots.now = to_seconds(self.at)
            yield from self._somebody()
            if self.world.game["ended"] is not None:
                return
        self.at = begins + timedelta(days=self.plan.days, hours=-1)
        yield from self._play(e.CloseAsked)

    def _hours(self) -> list[int]:
        """Return the times of requests in hours from the start of the period, mostly early."""
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
        if by != "admin" and self.plan.orders and self.chance.random() < self.plan.orders:
            yield from self._order(by)
            return
        decided = list(self._decide(by)) if by != "admin" and self.chance.random() < 0.5 else []
        yield from decided or self._request(by)

    def _opening(self) -> Iterator[Batch]:
        """Make the admin's requests at the start of a period, each action once."""
        actions: set[str] = set()
        for _ in range(ADMIN_FIRST):
            request = self.bots.request("admin", but=actions)
            if request is None:
                return
            actions.add(request[0])
            yield from self._ask("admin", *request)

    def _guests(self) -> Iterator[Batch]:
        """Let the guest of the last period leave, and another one join."""
        names = _names(self.plan.players + self.world.period)
        if names[-2] in self.world.kinds.get("player", ()):
            yield from self._play(e.LeaveRequested, by=names[-2])
        yield from self._play(e.JoinRequested, name=names[-1], details=self.bots.details(names[-1]))

    def _gifts(self) -> Iterator[Batch]:
        """Rule that each player gets something of all that can be owned, but one loses it all."""
        players = self.world.kinds.get("player", ())
        loser = self.chance.choice(players or ("nobody",))
        changes: list[Post] = []
        for commodity in self.world.commodities():
            gift = {player: self.plan.gifts for player in players if player != loser}
            changes += [
                Post({player: n, "mint": -n}, commodity, "gift") for player, n in gift.items()
            ]
            changes += loss_of(self.world, loser, commodity)
        number = self.world.game.get("rulings", 0) + 1
        fields: dict[str, Any] = {"number": number, "kind": "correct", "text": "gifts"}
        yield from self._play(e.RulingMade, changes=tuple(changes), **fields)

    def _order(self, by: str) -> Iterator[Batch]:
        """Give a standing order for a request that would be accepted now."""
        request = self.bots.request(by)
        if request is not None:
            acts, when = (e.Act(*request),), self.bots.condition(by)
            yield from self._play(e.OrderGiven, by=by, when=when, acts=acts, audience=(by,))

    def _request(self, by: str) -> Iterator[Batch]:
        request = self.bots.request(by)
        if request is not None:
            yield from self._ask(by, *request)

    def _ask(self, by: str, action: str, arguments: dict[str, Any]) -> Iterator[Batch]:
        audience = self.bots.audience(by, action)
        fields = {"by": by, "action": action, "arguments": arguments}
        yield from self._play(e.SubmissionReceived, audience=audience, **fields)

    def _last_words(self) -> Iterator[Batch]:
        """Make the first request found that ends the game."""
        askers = ["admin", *self.world.kinds.get("player", ())]
        for by in self.chance.sample(askers, len(askers)):
            request = self.bots.last_word(by)
            if request is not None:
                yield from self._ask(by, *request)
                return

    def _propose(self, player: str) -> Iterator[Batch]:
        amendment = self.bots.samples.amendment()
        if amendment is not None and self.bots.would("propose", player, (player, 0)):
            text = f"{amendment.number}: {amendment.parameters}"
            number = max(self.world.proposals, default=0) + 1
            fields: dict[str, Any] = {"by": player, "number": number, "text": text}
            yield from self._play(e.ProposalMade, changes=(amendment,), **fields)

    def _decide(self, player: str) -> Iterator[Batch]:
        """Vote, or give the admin's verdict, on one of the latest proposals."""
        latest = list(self.world.proposals)[-8:]
        for proposal in self.chance.sample(latest, len(latest)):
            verdict = self.chance.choice(("accepted", "rejected"))
            if self.bots.would("judge", "admin", (proposal, verdict)):
                yield from self._play(e.ProposalJudged, proposal=proposal, verdict=verdict)
                return
            choice = self.chance.choice(("yes", "yes", "no", "abstain"))
            if self.bots.would("vote", player, (player, proposal, choice)):
                fields: dict[str, Any] = {"by": player, "proposal": proposal, "choice": choice}
                audience = self.bots.audience(player, "vote")
                yield from self._play(e.VoteCast, audience=audience, **fields)
                return

    def _watch_rules(self) -> None:
        """Collect the numbers of all rules that run from now on, except in trials."""
        before = inside.notice

        def notice(rule: str) -> None:
            if not self.bots.is_trying:
                self.fired.add(rule)
            before(rule)

        inside.notice = notice

    # --- inputs

    def _play(self, kind: type[e.Input], /, **fields: Any) -> Iterator[Batch]:
        yield from self._play_one(kind, fields)
        while (question := self.world.waiting) is not None:
            yield from self._play_one(*self.bots.answer(question))

    def _play_one(self, kind: type[e.Input], fields: dict[str, Any]) -> Iterator[Batch]:
        self.count += 1
        fields |= {"received_at": self.at, "recorded_at": self.at, "period": self.world.period}
        event = kind(id=f"s{self.count}", **fields)
        try:
            for batch in self.engine.process(event):
                refusals = [item for item in batch if isinstance(item, e.AttemptRefused)]
                self.refused += bool(refusals)
                yield batch
                for item in batch:
                    if isinstance(item, e.CheckSuspended):
                        raise RuleFault(f"rule {item.check}: {item.why}", rule=item.rules[0])
                for reason in (reason for item in refusals for reason in item.reasons):
                    if reason.text.startswith(CODE_FAILED):
                        raise RuleFault(f"rule {reason.rule}: {reason.text}", rule=reason.rule)
        except RuleFault as fault:
            message = f"{fault} (seed {self.plan.seed}, request {self.count}: {event})"
            raise RuleFault(message, rule=fault.rule) from None


def loss_of(world: World, player: str, commodity: str) -> list[Post]:
    """Return what takes from *player* all that the player has of *commodity*."""
    held = from_units(world.balance(player, commodity), world.commodities()[commodity].places)
    if held <= 0:
        return []
    return [Post({player: str(-held), "mint": str(held)}, commodity, LOSS)]


def _names(count: int) -> list[str]:
    return [NAMES[n] if n < len(NAMES) else f"{NAMES[n % len(NAMES)]} {n}" for n in range(count)]
