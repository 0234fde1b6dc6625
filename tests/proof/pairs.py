"""Pairs of ledgers that share secret, clock and public requests, and differ in sealed ones."""

import io
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from nomoledger import events as e
from nomoledger.errors import NomoledgerError
from nomoledger.game.counterfactual import WhatIfChanges
from nomoledger.game.read_models import LedgerView, projection
from nomoledger.game.start import open_game
from nomoledger.ledger.ledger import Ledger
from nomoledger.proof.public_export import export_public
from nomoledger.rulebook.loading import Rulebook, parse
from nomoledger.views.journals import FORMATS, export_journal
from nomoledger.views.sql.databases import open_views
from nomoledger.views.sql.sql_views import create_tables
from nomoledger.views.sql.sync import sync_tables
from nomoledger.views.sql.table import find_tables

from .plots import NOON, SECRET

RULES = """
### 1 Players
```yaml
declares:
  player: {name: Text key, plan: Text, score: Number, bid: Number, ballot: Text}
  trap: {by: Player}
commodities: {"$": {places: 0}, paint: {places: 2}}
secret: [plot, bid, wonder, decree, vote]
```
```python
def define_join(name: Text):
    player = create("player", {"name": name}, name)
    mint(player, 100, "start")

def define_luck(player: Player):
    return roll(1, 6, "luck")[0]

def action_go(player: Player):
    mint(player, roll(2, 6, "go")[0] + luck(player), "pay")
    set(player, "score", draw([1, 2, 3], "score"), until = now() + 1800)
    schedule("bonus", player, due = now() + 2000)

def define_bonus(player: Player):
    mint(player, 1, "bonus")

def action_choose(player: Player):
    set(player, "score", ask(player, "How many?", [1, 2], 1))
    schedule("bonus", player, due = now() + 1000)

def define_propose(player: Player, proposal: Number):
    pass

def define_judge(proposal: Number, verdict: Text):
    if verdict == "accepted":
        adopt(proposal)

def define_close_period():
    for player in all("player"):
        mint(player, 1, "income")
```

### 2 Secrets
```python
def action_plot(player: Player, n: Number):
    set(player, "plan", "trap %s" % n, until = now() + 3600)
    mint(player, n + roll(1, 6, "plot")[0] + luck(player), "secret fund", "paint")
    create("trap", {"by": player})
    schedule("strike", player, due = now() + 1200)

def define_strike(player: Player):
    mint(player, 1, "strike", "paint")

def action_bid(player: Player, n: Number):
    set(player, "bid", n)

def action_wonder(player: Player, n: Number):
    set(player, "plan", ask(player, "Which?", ["red", "blue"], "red"))

def action_decree(player: Player, n: Number):
    enact("S.%s" % n, "Secret", "Nobody knows.", "def value_secret_%s(): return 1" % n)

def define_vote(player: Player, proposal: Number, choice: Text):
    set(player, "ballot", choice)
```
"""
BOOK: Rulebook = parse(RULES, "pairs.md")
PLAYERS = ("Ann", "Bob", "Cid")
#: Minutes from one public request to the next.
STEP = 30


class Public(NamedTuple):
    """A public request: its kind, and two numbers that select its arguments."""

    kind: str
    one: int
    other: int


class Sealed(NamedTuple):
    """A sealed request: after which public one it comes, how much later, its kind, a number."""

    slot: int
    minutes: int
    kind: str
    number: int


PUBLIC = (
    "go", "go", "choose", "answer", "advance", "close", "propose", "judge", "dispute", "argue",
    "what_if", "uphold", "rule", "ruling", "finality", "leave",
)  # fmt: skip
SEALED = ("plot", "bid", "wonder", "decree", "vote", "order", "cancel", "dispute", "uphold",
          "answer_order", "ruling")  # fmt: skip


class PairedGame:
    """One ledger of a pair."""

    def __init__(self, file: Path) -> None:
        self.ledger = Ledger.open(file, create=True)
        self.game = open_game(self.ledger, "pair", BOOK, at=NOON, recorded_at=NOON, secret=SECRET)
        self.game.clock = lambda: self.when["at"]
        self.at = NOON
        self.count = 0
        self.said: list[str] = []

    def play(self, public: Sequence[Public], sealed: Sequence[Sealed]) -> None:
        """Make the requests *public*, with those *sealed* in between."""
        joins = [Public("join", number, 0) for number in range(len(PLAYERS))]
        for slot, move in enumerate([*joins, *public]):
            self._make(NOON + timedelta(minutes=STEP * (slot + 1)), f"p{slot}", "public", move)
            here = sorted(each for each in sealed if each.slot == slot - len(joins))
            for minute, secret in enumerate(here):
                at = self.at + timedelta(minutes=min(secret.minutes, STEP - 9 + minute))
                self._make(at, f"s{self.count}", "sealed", secret)
        at = NOON + timedelta(minutes=STEP * (len(public) + len(joins) + 1))
        self._make(at, "last", "public", Public("close", 0, 0))

    def _make(self, at: datetime, id: str, kind: str, move: Any) -> None:
        self.count += 1
        self.when: dict[str, Any] = {"at": at, "id": id}
        try:
            getattr(self, f"_{kind}_{move.kind}")(move)
            said = ""
        except NomoledgerError as error:
            said = type(error).__name__
        if kind == "public":
            self.at = at
            self.said.append(said)

    def _event(self, of: type[e.Event] | tuple[type[e.Event], ...], number: int) -> int | None:
        """Return the number in the ledger of one of the public events of some types."""
        found = [
            entry.number
            for entry in self.ledger.read("pair")
            if isinstance(entry.body, of) and entry.body.audience is None
        ]
        return found[number % len(found)] if found else None

    def _sealed_event(self, number: int) -> int | None:
        found = [x.number for x in self.ledger.read("pair") if x.body.audience is not None]
        return found[number % len(found)] if found else None

    def _player(self, number: int) -> str:
        return PLAYERS[number % len(PLAYERS)]

    # --- public requests

    def _public_join(self, move: Public) -> None:
        self.game.join(PLAYERS[move.one], **self.when)

    def _public_go(self, move: Public) -> None:
        self.game.submit(self._player(move.one), "go", **self.when)

    def _public_choose(self, move: Public) -> None:
        self.game.submit(self._player(move.one), "choose", **self.when)

    def _public_answer(self, move: Public) -> None:
        self.game.answer(1 + move.one % 2, **self.when)

    def _public_advance(self, move: Public) -> None:
        self.game.advance(**self.when)

    def _public_close(self, move: Public) -> None:
        self.game.close(**self.when)

    def _public_leave(self, move: Public) -> None:
        self.game.leave(self._player(move.one), **self.when)

    def _public_propose(self, move: Public) -> None:
        self.game.propose(self._player(move.one), "See #1000000 and #3.", **self.when)

    def _public_judge(self, move: Public) -> None:
        proposals = len(self.game.world.proposals)
        self.game.judge(1 + move.one % max(1, proposals), "rejected", **self.when)

    def _public_dispute(self, move: Public) -> None:
        about = self._event(e.Posted, move.one) if move.other % 2 else None
        period = None if about is not None else max(1, self.game.world.period - move.one % 2)
        self.game.dispute("Ann", "No.", period=period, about=about, **self.when)

    def _known_dispute(self) -> int:
        known = [x for x in self.game.world.disputes.values() if x["audience"] is None]
        return int(known[-1]["number"]) if known else 99

    def _public_argue(self, move: Public) -> None:
        self.game.argue(self._known_dispute(), self._player(move.one), "But #1000000.", **self.when)

    def _public_what_if(self, move: Public) -> None:
        edited = self._event((e.SubmissionReceived, e.DrawRecorded), move.one)
        edit: e.Edit = e.LeftOut(edited or 0)
        if edited is not None:
            (entry,) = self.ledger.read("pair", after=edited - 1, upto=edited)
            if isinstance(entry.body, e.DrawRecorded):
                edit = e.Replaced(edited, list(entry.body.values[::-1]))
        changed = WhatIfChanges(edits=(edit,))
        self.game.argue(self._known_dispute(), "Bob", "See.", changed, **self.when)

    def _public_uphold(self, move: Public) -> None:
        cited = self._event(e.Posted, move.other)
        self.game.close_dispute(self._known_dispute(), "So.", cites=(f"#{cited}",), **self.when)

    def _public_rule(self, move: Public) -> None:
        self.game.rule_on(
            "ratify", "It stands.", about=self._event(e.DrawRecorded, move.one), **self.when
        )

    def _public_ruling(self, move: Public) -> None:
        edited = self._event(e.DrawRecorded, move.one)
        if edited is not None:
            (entry,) = self.ledger.read("pair", after=edited - 1, upto=edited)
            assert isinstance(entry.body, e.DrawRecorded)
            edit = e.Replaced(edited, list(entry.body.values[::-1]))
            self.game.rule_on("replace", "Other.", edits=(edit,), settle="all", **self.when)

    def _public_finality(self, move: Public) -> None:
        self.game.set_finality(move.one % 3, **self.when)

    # --- sealed requests

    def _secretly(self, action: str, move: Sealed) -> None:
        self.game.submit(self._player(move.number), action, {"n": move.number}, **self.when)

    def _sealed_plot(self, move: Sealed) -> None:
        self._secretly("plot", move)

    def _sealed_bid(self, move: Sealed) -> None:
        self._secretly("bid", move)

    def _sealed_wonder(self, move: Sealed) -> None:
        """Ask a sealed question, and answer it: public play stands still while it is open."""
        if self.game.world.waiting is not None:
            return
        self._secretly("wonder", move)
        question = self.game.world.waiting
        if question is not None and question.audience is not None:
            value = ("red", "blue")[move.number % 2]
            when = self.when | {"id": f"{self.when['id']}a"}
            self.game.answer(value, self._player(move.number), **when)

    def _sealed_decree(self, move: Sealed) -> None:
        self._secretly("decree", move)

    def _sealed_vote(self, move: Sealed) -> None:
        self.game.vote(self._player(move.number), 1, ("yes", "no")[move.number % 2], **self.when)

    def _sealed_order(self, move: Sealed) -> None:
        player = self._player(move.number)
        when = (f"money({player}) > 105", "period() > 1", "period() == 2")[move.number % 3]
        self.game.order(player, when, (e.Act("plot", {"n": move.number}),), **self.when)

    def _sealed_answer_order(self, move: Sealed) -> None:
        """Order an answer to a question that is never asked."""
        player = self._player(move.number)
        self.game.order(player, f"money({player}) > 900", answer=1, **self.when)

    def _sealed_ruling(self, move: Sealed) -> None:
        about = self._sealed_event(move.number)
        self.game.rule_on("ratify", "It stands.", about=about, **self.when)

    def _sealed_cancel(self, move: Sealed) -> None:
        orders = self.game.world.orders
        if orders:
            key = next(iter(orders))
            self.game.cancel_order(orders[key][0].by, key, **self.when)

    def _sealed_dispute(self, move: Sealed) -> None:
        about = self._sealed_event(move.number)
        self.game.dispute("admin", "Who?", about=about, **self.when)

    def _sealed_uphold(self, move: Sealed) -> None:
        known = [x for x in self.game.world.disputes.values() if x["audience"] is not None]
        if known:
            self.game.close_dispute(known[-1]["number"], "So.", **self.when)


# --- everything published -------------------------------------------------------------------------


def published(game: PairedGame, folder: Path) -> dict[str, Any]:
    """Return everything that can be published of *game*, by what it is."""
    from nomoledger.views.site import publish

    ledger = game.ledger
    found: dict[str, Any] = {"said": game.said}
    file = io.BytesIO()
    export_public(ledger, "pair", file)
    found["export"] = list(map(without_commitments, file.getvalue().splitlines()))
    for name in FORMATS:
        file = io.BytesIO()
        export_journal(ledger, file, "pair", name, is_public=True)
        found[f"journal {name}"] = file.getvalue()
    for name in ("log", "history", "rulings", "proposals", "disputes"):
        model = projection(name)(LedgerView(ledger, "pair"))
        found[name] = msgspec.json.encode(model, enc_hook=str)
    publish(ledger, "pair", folder / "site")
    for path in sorted((folder / "site").rglob("*")):
        found[str(path.relative_to(folder))] = path.is_file() and path.read_bytes()
    found |= _tables(ledger, folder / "tables.db")
    return found


def _tables(ledger: Ledger, place: Path) -> dict[str, Any]:
    import sqlite3

    with closing(open_views(place, True)) as views:
        create_tables(views, find_tables())
        list(sync_tables(ledger, views, find_tables(), ["pair"], lambda count: None))
    with closing(sqlite3.connect(place)) as file:
        names = [x for (x,) in file.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return {f"table {x}": sorted(file.execute(f"SELECT * FROM {x}"), key=repr) for x in names}


#: Fields of a seal that commit to sealed content, or depend on such a field: docs/proof.md.
COMMITMENTS = ("head", "whole", "rollup", "envelopes", "previous", "signature")


def without_commitments(line: bytes) -> Any:
    """Return a line of a public export with every digit of a commitment as `x`."""
    fields = msgspec.json.decode(line)
    if fields.get("nomoledger") != "seal/1":
        return line
    for name in COMMITMENTS:
        value = fields[name]
        is_table = isinstance(value, dict)
        fields[name] = {x: _veiled(value[x]) for x in value} if is_table else _veiled(value)
    return fields


def _veiled(value: str) -> str:
    return "".join("x" if character in "0123456789abcdef" else character for character in value)


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Return the names of what differs in *one* and *other*."""
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]
