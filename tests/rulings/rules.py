"""A small rulebook with everything that a ruling may have to undo."""

from nomoledger.events.rules import Rule
from nomoledger.rulebook.loading import parse

TEXT = """
### 1 Players and squares
```yaml
declares:
  player: {name: Text key, square: Square, slow: Number, lucky: Number, tired: Flag, plan: Text}
  square: {number: Number key, owner: Player}
  token: {holder: Player, made: Number}
commodities: {"$": {places: 0}, paint: {places: 2}}
secret: [plot]
```
```python
def on_enact():
    for n in range(8):
        create("square", {"number": n + 1})

def define_join(name: Text):
    player = create("player", {"name": name}, name)
    mint(player, 100, "start")
    move(player, find("square", 1), "place")

def define_depart(player: Player):
    for square in where("square", owner = player):
        set(square, "owner", None)
    destroy(player)
```

### 2 Going
```yaml
parameters: {fee: 5, prize: 7}
```
```python
def action_go(player: Player):
    go_on(player)

def define_go_on(player: Player):
    thrown = roll(2, 4, "go")
    pips = thrown[0] + thrown[1]
    for n in range(pips):
        number = get(get(player, "square"), "number") % 8 + 1
        move(player, find("square", number))
    land(player, get(player, "square"))
    if thrown[0] == thrown[1]:
        schedule("go_on", player)

def define_land(player: Player, square: Square):
    number = get(square, "number")
    owner = get(square, "owner")
    if owner != None and owner != player:
        pay(player, owner, fee * number, "rent")
    if number == 2:
        set(player, "slow", number, until = now() + 3600)
    if number == 3:
        set(player, "tired", True, until = "period")
    if number == 4:
        set(player, "lucky", roll(1, 6, "luck")[0], until = "use")
    if number == 5:
        schedule("bonus", player, due = now() + 1800)
    if number == 6:
        create("token", {"holder": player, "made": now()})
    if number == 7:
        word = ask(player, "Take money or paint?", ["money", "paint"], "money")
        mint(player, 3, word, "$" if word == "money" else "paint")
    if number == 8:
        lucky = use(player, "lucky") or 0
        mint(player, prize + lucky, "prize")
        for token in where("token", holder = player):
            destroy(token)

def define_bonus(player: Player):
    mint(player, 2, "bonus")
    if get(player, "slow") != None:
        set(player, "slow", get(player, "slow") + 1, until = now() + 7200)
```

### 3 Buying
```python
def action_buy(player: Player):
    square = get(player, "square")
    pay(player, "mint", 10 * get(square, "number"), "square")
    set(square, "owner", player)

def forbid_buy(player):
    square = get(player, "square")
    if get(square, "owner") != None:
        return "it is taken"
    if balance(player) < 10 * get(square, "number"):
        return "not enough money"

def action_steal(player: Player, victim: Player):
    if not once("steal", player):
        refuse("once a week")
    amount = draw([1, 2, 3], "loot")
    pay(victim, player, amount, "theft")

def action_plot(player: Player, plan: Text):
    set(player, "plan", plan)
    mint(player, len(plan), "secret fund", "paint")
```

### 4 Proposals and weeks
```python
def define_propose(player: Player, proposal: Number):
    pass

def define_judge(proposal: Number, verdict: Text):
    if verdict == "accepted":
        adopt(proposal)

def define_close_period():
    for player in all("player"):
        mint(player, 1, "income")
        schedule("go_on", player)

def define_end():
    best = all("player")[0]
    for player in all("player"):
        if balance(player) > balance(best):
            best = player
    end_game("it is over", [best])

def action_finish(player: Player):
    end()
```
"""

RULES: tuple[Rule, ...] = parse(TEXT, "inline.md").rules
