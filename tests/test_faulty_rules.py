"""Faulty rules: each is a small change of a sound rulebook, and is found on its line."""

import re
from pathlib import Path

import pytest

from nomoledger.events.levels import NEWEST
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.rulebook.loading import load, parse, shipped
from nomoledger.state.ruleset import Ruleset

SOUND = (Path(__file__).parent / "rulebooks" / "fairground.md").read_text("utf-8")
REPLAYS = Path(__file__).parents[1] / "replays"

#: What is changed, into what, and what the fault says; the fault is on the line that ends with the
#: first line of the new text. A `^` stands before the faulty line where it is another one.
FAULTY: dict[str, list[tuple[str, str, str]]] = {
    "names of hooks": [
        ("def after_land(player, square):\n    owner", "def after_lend(player, square):\n    owner",
         "after_lend bends 'lend', which no rule defines; did you mean 'after_land'?"),
        ("def after_land(player, square):\n    owner", "def befor_land(player, square):\n    owner",
         "nothing calls the function 'befor_land', and it is no hook; did you mean 'before_land'?"),
        ("def after_land(player, square):\n    owner", "def afterland(player, square):\n    owner",
         "did you mean 'after_land'?"),
        ("def forbid_buy(player, square):", "def forbids_buy(player, square):",
         "did you mean 'forbid_buy'?"),
        ("def adjust_rent(visitor):", "def ajust_rent(visitor):", "did you mean 'adjust_rent'?"),
        ("def on_enact():", "def on_enactment():", "there is on_enact and on_repeal"),
        ("def on_enact():", "def onenact():", "did you mean 'on_enact'?"),
        ("def instead_rent(", "def instead_rant(", "did you mean 'instead_rent'?"),
        ("def options_of(player):\n", "def unused():\n    return 1\n\ndef options_of(player):\n",
         "^def unused|nothing calls the function 'unused'"),
        ("def options_of(player):\n", "def forbid_buy(player):\n    return None\n\ndef options_of(player):\n",
         "^def forbid_buy(player):|there are two functions forbid_buy"),
        ("def define_lapse(", "def define_len(", "len is a word of the language"),
        ("def define_lapse(", "def define_pay(", "pay is a verb: bend it with instead_pay"),
    ],
    "parameters of hooks": [
        ("def forbid_buy(player, square):", "def forbid_buy(player, stall):",
         "buy has no argument 'stall': it has (player, square)"),
        ("def adjust_rent(visitor):", "def adjust_rent(visiter):", "did you mean 'visitor'?"),
        ("def instead_rent(proceed, square, visitor):", "def instead_rent(square, visitor):",
         "instead_rent is given proceed first: write (proceed, square, visitor)"),
        ("def after_hurt(player):", "def after_hurt(player, health):", "hurt has no argument 'health'"),
        ("def action_turn(player: Player):", "def action_turn(dice: Number):",
         "action_turn is given who acts first, not 'dice'"),
        ("def on_enact():", "def on_enact(game):", "on_enact is given no arguments"),
        ("def value_may_heal(player: Player)", "def value_may_heal(player: Playr)",
         "there is no type 'Playr'; did you mean 'Player'?"),
        ("def value_first_stall() -> Square:", "def value_first_stall() -> Sqare:",
         "there is no type 'Sqare'; did you mean 'Square'?"),
        ("def value_may_heal(", "def value_rent(stall: Square):\n    return 1\n\ndef value_may_heal(",
         "^def value_rent(stall|rule 4 defines rent with other parameters: (square, visitor)"),
    ],
    "names that are used": [
        ("        hurt(player, loss)", "        hurtt(player, loss)",
         "no rule says what 'hurtt' is; did you mean 'hurt'?"),
        ("    destroy(option)", "    destory(option)", "did you mean 'destroy'?"),
        ("    pay(player, \"bank\", price", "    pay(player, \"bank\", prise",
         "no rule says what 'prise' is; did you mean 'price'?"),
        ("        pay(player, owner, rent(", "        pay(player, onwer, rent(", "did you mean 'owner'?"),
        ("    if get(visitor, \"sick\"):", "    if get(visitor, \"sik\"):",
         "no rule declares the attribute 'sik'; did you mean 'sick'?"),
        ("    set(square, \"owner\", player)", "    set(square, \"ownr\", player)",
         "the attribute 'ownr'; did you mean 'owner'?"),
        ("    if get(visitor, \"sick\"):", "    if get(visitor, \"color\"):",
         "no rule declares the attribute 'color' of player"),
        ("create(\"square\", {\"number\": n + 1})", "create(\"square\", {\"nummer\": n + 1})",
         "the attribute 'nummer' of square; did you mean 'number'?"),
        ("where(\"option\", player = player, state = \"open\")",
         "where(\"option\", player = player, status = \"open\")",
         "the attribute 'status' of option; did you mean 'state'?"),
        ("create(\"square\", {", "create(\"sqare\", {",
         "no rule declares the kind 'sqare'; did you mean 'square'?"),
        ("    return find(\"square\", 1)", "    return find(\"squares\", 1)", "did you mean 'square'?"),
        ("pay(player, \"bank\", price", "pay(player, \"bankk\", price",
         "no rule declares the account 'bankk'; did you mean 'bank'?"),
        ("balance(player, \"health\") <= 0", "balance(player, \"helth\") <= 0",
         "no rule declares the commodity 'helth'; did you mean 'health'?"),
        ("schedule(\"lapse\", option", "schedule(\"lapze\", option",
         "no rule says what the operation 'lapze' is; did you mean 'lapse'?"),
        ("cancel(\"lapse\", option)", "cancel(\"laps\", option)", "did you mean 'lapse'?"),
        ("    if not options_of(player):", "    if may(\"buyy\", player, square):", "did you mean 'buy'?"),
        ("    if not options_of(player):", "    if would(\"bui\", player, square).refused:",
         "did you mean 'buy'?"),
        ("    if not options_of(player):", "    if param(\"7\", \"los\") > 2:",
         "rule 7 has no parameter 'los'; did you mean 'loss'?"),
        ("    if not options_of(player):", "    if param(\"71\", \"loss\") > 2:", "there is no rule 71"),
        ("follows = \"days_open\")", "follows = \"days_opened\")",
         "this rule has no parameter 'days_opened' to follow; did you mean 'days_open'?"),
        ("follows = \"days_open\")", "follows = \"price\")", "follows a parameter with a unit of time"),
        ("first_stall(), \"place\")", "first_stall(), \"plase\")",
         "'plase' is no way to move: step, slide, jump, drive, place; did you mean 'place'?"),
        ("    mark(\"turn\", player)", "    mark(\"turn\", player, per = \"week\")", "per is \"period\" or \"game\""),
        ("    mark(\"turn\", player)", "    once(\"turn\", player, per = \"tern\")", "did you mean 'turn'?"),
        ("        return \"there is a player called \" + name", "        return name.uper()",
         "a text has no .uper(); did you mean 'upper'?"),
        ("    owner = get(square, \"owner\")", "    owner = get(square, \"owner\") or owners",
         "no rule says what 'owners' is; did you mean 'owner'?"),
        ("    thrown = roll(dice, sides, \"turn\")\n    set(player, \"thrown\", thrown, \"period\")",
         "    set(player, \"thrown\", thrown, \"period\")\n    thrown = roll(dice, sides, \"turn\")",
         "'thrown' has no value yet here"),
        ("    if get(square, \"number\") == stall:", "    if square.number == stall:",
         "attributes are read by get(square, 'number')"),
        ("        pay(player, owner, rent(square, player)", "        rent = rent(square, player)\n        pay(player, owner, rent",
         "'rent' is a name within this function: give what it assigns another name"),
        ("    if not options_of(player):", "    if kind(player) == \"plyer\":", "did you mean 'player'?"),
    ],
    "arguments": [
        ("        hurt(player, loss)", "        hurt(player)",
         "hurt is not given 'amount': it takes (player, amount)"),
        ("        hurt(player, loss)", "        hurt(player, loss, \"stall\")", "hurt is given 3 arguments"),
        ("        hurt(player, loss)", "        hurt(player, amont = loss)",
         "hurt has no parameter 'amont': it takes (player, amount); did you mean 'amount'?"),
        ("    move(player, first_stall(), \"place\")", "    move(player)", "move is not given 'square'"),
        ("    destroy(option)", "    destroy(option, player)", "destroy is given 2 arguments"),
        ("    destroy(option)", "    set(option, \"state\")", "set is not given 'value'"),
        ("pay(player, \"bank\", price, \"a stall\")", "pay(player, \"bank\", price, reason = \"a stall\")",
         "pay has no parameter 'reason'"),
        ("schedule(\"lapse\", option, due", "schedule(\"lapse\", due", "lapse is not given 'option'"),
        ("cancel(\"lapse\", option)", "cancel(\"lapse\", option, 1)", "lapse is given 2 arguments"),
        ("    for option in options_of(player):", "    for option in options_of(player, square):",
         "options_of is given 2 arguments: it takes (player)"),
        ("proceed(square, visitor))", "proceed(square))", "proceed is not given 'visitor'"),
        ("return times(100 - percent_off, 100, \"sick\")", "return times()", "times is not given 'n'"),
        ("    if not options_of(player):", "    if len(all(\"player\"), 1):", "len is given 2 arguments"),
        ("\"%s has had a turn in period %s\" % (label(player), period())",
         "\"%s has had a turn in period %s\" % (label(player),)", "the text has 2 places for values"),
        ("        hurt(player, loss)", "        hurt(loss, player)",
         "the player of hurt is a player, and this is a number of health"),
        ("        hurt(player, loss)", "        hurt(square, loss)",
         "the player of hurt is a player, and this is a square"),
    ],
    "types": [
        ("    return dollars_per_number * get(square, \"number\")", "    return \"cheap\"",
         "value_rent says that it returns Money, but this is a text"),
        ("    return dollars_per_number * get(square, \"number\")", "    return get(square, \"owner\")",
         "value_rent says that it returns Money, but this is a player"),
        ("    return dollars_per_number * get(square, \"number\")", "    dollars_per_number * 1",
         "^def value_rent|says that it returns Money, but it returns nothing"),
        ("    return dollars_per_number * get(square, \"number\")", "    return dollars_per_number * get(square, \"color\") + 1",
         "|a text and a number cannot be added"),
        ("pay(player, \"bank\", price, ", "pay(player, \"bank\", \"30\", ",
         "the amount of pay is a number, and this is a text"),
        ("pay(player, \"bank\", price, ", "pay(player, \"bank\", player == square, ", "a player is compared with a square"),
        ("pay(player, \"bank\", price, ", "pay(player, \"bank\", get(player, \"sick\"), ",
         "the amount of pay is a number, and this is yes or no"),
        ("pay(player, \"bank\", price, ", "pay(player, 5, price, ", "the payee of pay is a player or an account"),
        ("    thrown = roll(dice, sides, \"turn\")", "    thrown = [roll(dice, sides, \"turn\") + 1]",
         "a list and a number cannot be added"),
        ("    thrown = roll(dice, sides, \"turn\")", "    thrown = roll(\"two\", sides, \"turn\")",
         "the dice of roll is a number, and this is a text"),
        ("    for step in range(sum(thrown)):", "    for step in sum(thrown):",
         "for visits the items of a list, and this is a number: write range(…) to count"),
        ("    for step in range(sum(thrown)):", "    for step in range(roll(1, sides) > 3):", "a list is compared with a number"),
        ("        move(player, successor(get(player, \"square\")))", "        move(player, 5)",
         "the square of move is a square, and this is a number: write find('square', …)"),
        ("        move(player, successor(get(player, \"square\")))", "        move(player, successor(player))",
         "the square of successor is a square, and this is a player"),
        ("        move(player, successor(get(player, \"square\")))", "        move(player, get(player, \"name\") + 1)",
         "a text and a number cannot be added: write str(…) round the number"),
        ("    set(square, \"owner\", player)", "    set(square, \"owner\", 5)",
         "the attribute 'owner' is a player, and this is a number"),
        ("    set(square, \"owner\", player)", "    set(square, \"owner\", square)", "and this is a square"),
        ("        set(player, \"sick\", True)", "        set(player, \"sick\", \"yes\")",
         "the attribute 'sick' is yes or no, and this is a text"),
        ("\"square\": square, \"state\": \"open\"})", "\"square\": player, \"state\": \"open\"})",
         "the attribute 'square' of option is a square, and this is a player"),
        ("    if get(square, \"number\") == stall:", "    if get(square, \"color\") == stall:",
         "a text is compared with a number"),
        ("    if get(square, \"number\") == stall:", "    if square == stall:",
         "a square is compared with a number: write label(…)"),
        ("    if get(square, \"number\") == stall:", "    if get(player, \"name\") > 3:", "a text is compared with a number"),
        ("        return \"not enough money\"", "        return True",
         "forbid_buy returns a text, the reason to refuse, or None; this is yes or no"),
        ("        return times(100 - percent_off, 100, \"sick\")", "        return 100 - percent_off",
         "adjust_rent returns a step, such as add(5), or None"),
        ("    return longest([get(player, \"name\")]) != \"\"", "    return longest([get(player, \"name\")])",
         "value_may_heal says that it returns Flag, but this is a text"),
        ("def instead_rent(", "def adjust_longest(names):\n    return add(1)\n\ndef instead_rent(",
         "^def adjust_longest|steps change numbers, and longest is a text"),
        ("    return find(\"square\", 1)", "    return find(\"square\", \"one\")", "people call a square by a number"),
        ("    if balance(player) < price:", "    if player < price:", "a player is neither more nor less"),
        ("    if balance(player) < price:", "    if price[0] > 1:", "has no items: a list is needed"),
        ("    return dollars_per_number * get(square, \"number\")", "    return dollars_per_number / 2", "write divide(a, b)"),
        ("    if not options_of(player):", "    if len(price) > 1 or len(price + \"\"):", "cannot be added"),
    ],
    "code that only looks": [
        ("    return dollars_per_number * get(square, \"number\")",
         "    return dollars_per_number * roll(1, 6)[0]", "value_ code may not roll, draw or ask"),
        ("    return dollars_per_number * get(square, \"number\")",
         "    return mint(visitor, 1)", "value_ code may not change the game, and mint does so"),
        ("        return \"too early\"", "        return hurt(player, 1)",
         "forbid_ code may not change the game, and hurt does so (by burn)"),
        ("    if get(visitor, \"sick\"):", "    if set(visitor, \"sick\", True):", "adjust_ code may not change"),
        ("    return first(sorted(", "    return first([\"\"] * 2 + sorted(", "holds no number of the game, such as 2"),
        ("def value_longest(names: List) -> Text:", "def define_longest(names: List) -> Text:",
         "a common definition only has value_ functions, and no define_longest"),
        ("common: true", "common: true\nparameters: {most: 3}", "^parameters: {most|a common definition has no parameters"),
    ],
    "units": [
        ("due = now() + days(days_open), ", "due = now() + days_open, ",
         "days_open is a number of days: write days(days_open)"),
        ("due = now() + days(days_open), ", "due = now() + 7 * 86400, ",
         "7 * 86400 is a plain number: write days(7)"),
        ("due = now() + days(days_open), ", "due = now() + 7, ", "7 is a plain number: write days(7)"),
        ("due = now() + days(days_open), ", "due = days(days_open), ",
         "the due of schedule is a time, and this is a duration: write now() + days(days_open)"),
        ("due = now() + days(days_open), ", "due = days_open, ", "the due of schedule is a time"),
        ("due = now() + days(days_open), ", "due = now() + days(hours_between), ",
         "hours_between is a number of hours: write hours(hours_between)"),
        ("due = now() + days(days_open), ", "due = now() + now(), ", "a time and a time cannot be added"),
        ("due = now() + days(days_open), ", "due = now() + price, ", "price is an amount of money"),
        ("    set(square, \"opened\", now())", "    set(square, \"opened\", days(1))",
         "the attribute 'opened' is a time, and this is a duration"),
        ("< hours(hours_between):", "< hours_between:", "write hours(hours_between)"),
        ("< hours(hours_between):", "< now():", "a duration is compared with a time"),
        ("    if balance(player) < price:", "    if balance(player) < days_open:",
         "an amount of money is compared with a number of days"),
        ("    if balance(player) < price:", "    if balance(player) < balance(player, \"health\"):",
         "an amount of money is compared with a number of health"),
        ("    if balance(player) < price:", "    if balance(player) + days_open < price:", "cannot be added"),
        ("pay(player, \"bank\", price, ", "pay(player, \"bank\", days_open, ",
         "the amount of pay is counted in money, and this is a number of days"),
        ("        hurt(player, loss)", "        pay(player, \"bank\", loss)", "this is a number of health"),
        ("    burn(player, amount, \"sickness\", \"health\")", "    burn(player, param(\"6\", \"price\"), \"sickness\", \"health\")",
         "the amount of burn is counted in health, and this is an amount of money"),
        ("    return max(least, proceed(", "    mint(visitor, percent_off)\n    return max(least, proceed(",
         "^    mint(visitor|this is a number of percent"),
        ("        return times(100 - percent_off, 100, \"sick\")", "        return add(-percent_off)",
         "rent is an amount of money, and this is a number of percent"),
        ("{value: 100, unit: dollars}", "{value: 100, unit: dolars}",
         "there is no unit 'dolars'; did you mean 'dollars'?"),
        ("{value: 7, unit: days}", "{value: 7, unit: day}", "the unit of days_open is written in the plural: days"),
        ("{value: 12, unit: hours}", "{value: 12, units: hours}", "written {value: …, unit: …}"),
    ],
    "data": [
        ("parameters: {dice: 2, sides: 6}", "paramters: {dice: 2, sides: 6}",
         "unknown data 'paramters'; did you mean 'parameters'?"),
        ("parameters: {dice: 2, sides: 6}", "parameters: {dice: 2, sides: 6, spare: 1}",
         "the parameter 'spare' is never used"),
        ("parameters: {dice: 2, sides: 6}", "parameters: {dise: 2, sides: 6}",
         "the parameter 'dise' is never used; did you mean 'dice'?"),
        ("owner: Player, color: Text", "owner: Playr, color: Text", "there is no type 'Playr'"),
        ("  player: {square: Square, thrown: List}", "  plyer: {square: Square, thrown: List}",
         "nothing uses the kind 'plyer'; did you mean 'player'?"),
        ("  land: {player: Player, square: Square}", "  land: {player: Player, square: Sqare}",
         "there is no type 'Sqare'; did you mean 'Square'?"),
        ("  rent: {asks: rent,", "  rent: {asks: rant,",
         "no rule says what the operation 'rant' is; did you mean 'rent'?"),
        ("  rent: {asks: rent,", "  rent: {ask: rent,", "did you mean 'asks'?"),
        ("  turn: {attempt: turn, given: [player]}", "  turn: {atempt: turn, given: [player]}",
         "did you mean 'attempt'?"),
        ("  turn: {attempt: turn, given: [player]}", "  turn: {attempt: turn, given: [player, dice]}",
         "turn takes (player), and is given 2 fields"),
        ("  turn: {attempt: turn, given: [player]}", "  turn: {subject: player, attribute: squar, value: x}",
         "the attribute 'squar'; did you mean 'square'?"),
        ("overrides: [\"4\"]", "overrides: [\"41\"]", "there is no rule 41 to override"),
        ("overrides: [\"4\"]", "secret: [turm]", "no rule defines the action 'turm'; did you mean 'turn'?"),
        ("hooks: [after_hurt]", "hooks: [after_hurt, after_hert]", "there is no hook 'after_hert'; did you mean 'after_hurt'?"),
        ("verbs: [set]", "verbs: [sett]", "there is no verb 'sett'; did you mean 'set'?"),
        ("attributes: [sick]", "attributes: [sik]", "did you mean 'sick'?"),
        ("subject: may_heal", "subject: may_heel", "no rule defines the value 'may_heel'; did you mean 'may_heal'?"),
        ("when_gone: [{kind: option,", "when_gone: [{kind: opton,", "did you mean 'option'?"),
        ("where: {state: open}", "where: {stat: open}", "did you mean 'state'?"),
        ("set: {state: dropped}", "set: {state: 5}", "the attribute 'state' of option is a text, not 5"),
        ("commodities:\n", "comodities:\n", "did you mean 'commodities'?"),
    ],
}  # fmt: skip
CHANGES = [change for changes in FAULTY.values() for change in changes]


def changed(old: str, new: str) -> str:
    """Return the sound rulebook with *new* in place of *old*, which stands in it."""
    assert old in SOUND, old
    return SOUND.replace(old, new, 1)


def faults_in(text: str) -> list[str]:
    """Return the faults of the rulebook *text*, or why it cannot be read."""
    from nomoledger.errors import RulebookError

    try:
        return find_faults(parse(text, "fair.md"))
    except RulebookError as error:
        return [str(error)]


def is_in_its_rule(fault: str, text: str) -> bool:
    """Return whether *fault* is one line, and names a line that belongs to its rule in *text*."""
    match = re.fullmatch(r"fair\.md:(\d+): rule (\d+):? .*", fault)
    lines = text.splitlines()
    headings = [n for n, line in enumerate(lines, 1) if line.startswith("### ")] + [len(lines) + 1]
    return match is not None and (
        headings[int(match[2]) - 1] < int(match[1]) < headings[int(match[2])]
    )


@pytest.mark.parametrize(("old", "new", "says"), CHANGES, ids=[new for _, new, _ in CHANGES])
def test_a_faulty_rule_is_found_on_its_line(old: str, new: str, says: str) -> None:
    text = changed(old, new)
    place, what = says.split("|", 1) if "|" in says else ("", says)
    at = text.index(place[1:]) if place else text.index(new, SOUND.index(old))
    line = text[:at].count("\n") + 1
    faults = faults_in(text)
    assert any(f.startswith(f"fair.md:{line}: rule ") and what in f for f in faults), faults
    assert all(is_in_its_rule(fault, text) for fault in faults), faults


def test_there_are_faults_of_every_sort() -> None:
    assert len(CHANGES) > 100
    assert all(len(changes) >= 5 for changes in FAULTY.values())


def test_sound_rules_are_not_blamed() -> None:
    assert faults_in(SOUND) == []


@pytest.mark.parametrize("name", shipped())
def test_no_shipped_rule_is_blamed(name: str) -> None:
    assert find_faults(load(name)) == []


@pytest.mark.parametrize(
    ("opening", "season"),
    [("weekly-vote-opening", "weekly-vote-season"), ("origon-opening", "origon-week1")],
)
def test_no_rule_of_a_recorded_game_is_blamed(opening: str, season: str) -> None:
    rules = {rule.number: rule for rule in load(opening).rules}
    record = (REPLAYS / f"{season}.jsonl").read_text("utf-8")
    files = list(dict.fromkeys(re.findall(r'"rules": "([^"]+)"', record)))
    assert files
    for file in files:
        added = parse((REPLAYS / file).read_text("utf-8"), file).rules
        rules |= {rule.number: rule for rule in added}
        ruleset = Ruleset(tuple(rules.values()))
        assert faults_of(ruleset, [rule.number for rule in added]) == []


def test_many_faults_are_found_at_once() -> None:
    text = SOUND.replace('"owner", player)', '"ownr", player)').replace("    destroy(", "    destory(")
    text = text.replace("def value_may_heal(player: Player) -> Flag:", "def value_may_heal(:")
    faults = [fault.split(": ", 2)[1:] for fault in faults_in(text)]
    assert [rule for rule, _ in faults] == ["rule 6", "rule 6", "rule 9", "rule 10"]


def test_only_the_rules_asked_for_are_examined() -> None:
    rules = parse(changed("    destroy(option)", "    destory(option)"), "fair.md").rules
    assert faults_of(Ruleset(rules), ["4", "5"]) == []
    (fault,) = faults_of(Ruleset(rules), ["6"])
    assert (fault.rule, fault.file) == ("6", "fair.md")


def test_a_game_of_an_old_level_gives_hooks_their_arguments_by_place() -> None:
    rules = parse(changed("def forbid_buy(player, square):\n", "def forbid_buy(player, stall):\n    square = stall\n"), "fair.md").rules
    assert faults_of(Ruleset(rules, level=NEWEST), ["6"]) != []
    old = [fault for fault in faults_of(Ruleset(rules, level=1), ["6"]) if "forbid_buy" in fault.text]
    assert old == []
