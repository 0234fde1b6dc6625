"""Dice: what is drawn in secret comes from a seed of its own, and moves no public die."""

from rulings.game import SECRET, RuledGame
from rulings.rules import RULES

from nomoledger import events as e
from nomoledger.engine import dice
from nomoledger.proof.dice_audit import DiceAudit, fits

ROLL = 'def action_gamble(player: Player):\n    mint(player, roll(1, 6, "luck")[0], "luck")\n'


def draws(game: RuledGame) -> list[e.DrawRecorded]:
    return [x.body for x in game.entries if isinstance(x.body, e.DrawRecorded)]


def gambling(*secret: str) -> RuledGame:
    from nomoledger.events.rules import Rule

    game = RuledGame([*RULES, Rule(number="9", code=ROLL, secret=secret)])
    game.ask("join", "Ann")
    game.go("Ann", "gamble")
    game.go("Ann", "go")
    return game


def test_sealed_draws_come_from_the_sealed_seed() -> None:
    secret, public = draws(gambling("gamble")), draws(gambling())
    assert secret[0].audience == ("Ann",)
    assert public[0].audience is None
    assert fits(secret[0], dice.sealed_seed(SECRET, 1))
    assert fits(public[0], dice.period_seed(SECRET, 1))
    assert secret[1].values == public[1].values  # the next public roll


def test_the_revealed_seed_does_not_reveal_sealed_draws() -> None:
    game = gambling("gamble")
    game.ask("close")
    while game.world.waiting is not None:
        game.ask("answer", "money")
    closed = next(x.body for x in game.entries if isinstance(x.body, e.PeriodClosed))
    throws = [DiceAudit(), DiceAudit(SECRET)]
    for entry in game.entries:
        assert [each.take(entry.body) for each in throws[1:]] == [None]
    sealed = draws(game)[0]
    rolls = {
        tuple(dice.roll(bytes.fromhex(closed.seed or "00"), f"{n}|{sealed.address}", [6]))
        for n in range(50)
    }
    assert len(rolls) == 6


def test_a_draw_that_does_not_follow_from_the_seed_is_found() -> None:
    game = gambling()
    throws = DiceAudit(SECRET)
    found = []
    for entry in game.entries:
        body = entry.body
        if isinstance(body, e.DrawRecorded):
            wrong = tuple(1 + value % 4 for value in body.values)
            body = e.DrawRecorded(
                **{name: getattr(body, name) for name in body.__struct_fields__} | {"values": wrong}
            )
        found.append(throws.take(body))
    assert any(found)
    assert "is not what the seed of its period gives" in str([*filter(None, found)])


def test_a_die_of_a_ruling_names_its_period() -> None:
    game = RuledGame(RULES)
    for name in ("Ann", "Bob"):
        game.ask("join", name)
    after = len(game.entries) - 1
    game.ask("close")
    while game.world.waiting is not None:
        game.ask("answer", "money")
    made = game.rule_on("replace", e.TakenIn(after, "Ann", "go"), questions="default")
    rolled = [each for each in made if isinstance(each, e.DrawRecorded)]
    assert {(each.effective, each.period) for each in rolled} == {(1, 2)}
    throws = DiceAudit(SECRET)
    assert [text for x in game.entries if (text := throws.take(x.body))] == []
