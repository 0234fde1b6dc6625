"""The words of a rulebook."""

import msgspec

from nomoledger.rulebook.cases.requests import ENGINES_OWN
from nomoledger.rulebook.loading import load, parse
from nomoledger.rulebook.vocabulary import INPUTS, Argument, vocabulary

BOOK = '''
### I.1 A little of all

Words.

```yaml
parameters: {sides: 20}
declares:
  player: {name: Text key, square: Square}
  magic_gate: {toll: Money}
commodities: {"$": {places: 2}}
accounts: [bank]
```

```python
def action_fish(player: Player, place: Text = "sea"):
    """Fish somewhere."""
    throw("fish")
    throw("weather")
    draw(all("player"), "visitor")
    question = "Do you, %s, agree?" % label(player)
    ask(player, question, ["yes", "no"])
    ruling("How many?", all("player"))

def define_throw(purpose):
    return roll(1, sides, purpose)
```
'''


def test_the_vocabulary_lists_the_words_of_a_rulebook() -> None:
    words = vocabulary(parse(BOOK, "book.md"))
    (fish,) = words.actions
    assert fish.arguments == [Argument("place", "Text", "'sea'")]
    assert (fish.name, fish.rule, fish.doc) == ("fish", "I.1", "Fish somewhere.")
    assert [each.name for each in words.operations] == ["throw"]
    assert [(k.name, k.key, k.attributes) for k in words.kinds] == [
        ("player", "name", {"name": "Text", "square": "Square"}),
        ("magic_gate", None, {"toll": "Money"}),
    ]
    assert words.commodities == {"$": 2}
    assert words.accounts == ["admin", "mint", "bank"]
    assert words.settings == {"I.1.sides": 20}
    assert [(q.to, q.text, q.options) for q in words.questions] == [
        ("the player", "Do you, %s, agree?", ["yes", "no"]),
        ("admin", "How many?", ["all('player')"]),
    ]
    assert sorted((d.label, d.what) for d in words.draws) == [
        ("fish", "1 dice of 20 sides"),
        ("visitor", "one of all('player')"),
        ("weather", "1 dice of 20 sides"),
    ]
    assert "join" not in [each.name for each in words.inputs]


def test_the_vocabulary_is_printed_as_text_and_as_plain_data() -> None:
    words = vocabulary(load("mail-opening"))
    assert "  buy(square: Square)  [VIII.3]" in words.as_text()
    assert "  'turn': 2 dice of 6 sides  [I.3]" in words.as_text()
    join = next(each for each in words.inputs if each.name == "join")
    assert [each.name for each in join.arguments] == ["name", "email"]
    plain = msgspec.json.decode(msgspec.json.encode(words))
    assert plain["settings"]["VIII.3.days_open"] == 7


def test_the_vocabulary_knows_what_cases_can_do() -> None:
    assert {name for name, *_ in INPUTS} == set(ENGINES_OWN)
