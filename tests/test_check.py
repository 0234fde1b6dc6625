"""`rules check`: what is wrong with a rulebook, and what no case notices."""

import re

import msgspec
import pytest

from nomoledger.errors import RulebookError
from nomoledger.rulebook.cases import cases_beside
from nomoledger.rulebook.cases.format import parse_cases
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.check import check
from nomoledger.rulebook.loading import Rulebook, load, parse

BOOK = """
### I.1 Board

Words.

```yaml
parameters: {squares: 3, spare: "x"}
declares: {player: {name: Text key, square: Square}, square: {number: Number key}}
commodities: {"$": {}}
```

```python
def on_enact():
    for n in range(squares):
        create("square", {"number": n + 1})

def value_spare_word():
    return spare
```

### I.2 Words

Words.

```yaml
text_only: nothing to do
```
"""


def book(code: str, data: str = "{}") -> Rulebook:
    rule = f"\n### I.3 More\n\nWords.\n\n```yaml\n{data}\n```\n\n```python\n{code}\n```\n"
    return parse(BOOK + rule, "book.md")


@pytest.mark.slow
def test_every_rule_of_mail_opening_is_noticed_by_a_case() -> None:
    coverage = check(load("mail-opening"), cases_beside("mail-opening"), blank=True)
    assert coverage.errors == coverage.unnoticed == []
    counts = (coverage.executable, coverage.text_only, coverage.by_ruling)
    assert (coverage.rules, sum(counts)) == (27, 27)
    assert list(msgspec.to_builtins(coverage)) == [
        "rulebook", "rules", "executable", "text_only", "by_ruling", "errors", "unnoticed",
    ]  # fmt: skip


def test_a_rule_that_no_case_notices_is_reported() -> None:
    told: list[str] = []
    (case,) = parse_cases({"it.yaml": "case: it\nrulebook: book\nthen: {board: 3}"})
    coverage = check(parse(BOOK, "book.md"), [case], blank=True, progress=told.append)
    assert coverage.unnoticed == ["I.1.value_spare_word", "I.1.parameters.spare"]
    assert (coverage.executable, coverage.text_only) == (1, 1)
    assert sorted(told) == ["I.1", "I.1.on_enact", "I.1.parameters.spare",
                            "I.1.parameters.squares", "I.1.value_spare_word"]  # fmt: skip


def test_a_rule_that_no_case_notices_is_not_executable() -> None:
    coverage = check(parse(BOOK, "book.md"), [], blank=True)
    assert coverage.unnoticed == ["I.1"]
    assert coverage.executable == 0


def test_a_failing_case_is_an_error() -> None:
    (case,) = parse_cases({"it.yaml": "case: it\nrulebook: book\nthen: {board: 4}"})
    coverage = check(parse(BOOK, "book.md"), [case])
    assert coverage.errors == ["it.yaml:1: it, in the end: the board has 3 squares, expected 4"]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def define_x():\n    rent(1)", "book.md:39: rule I.3: no rule says what 'rent' is"),
        ("def define_x(p):\n    get(p, 'mony')", "I.3: no rule declares the attribute 'mony'"),
        ("def define_x(p):\n    set(p, 'mony', 1)", "the attribute 'mony'"),
        ("def define_x(p):\n    get('game', 'number')", "the attribute 'number'"),
        ("def define_x():\n    where('square', name = 'x')", "the attribute 'name' of square"),
        ("def define_x():\n    create('square', {'nr': 1})", "the attribute 'nr' of square"),
        ("def define_x():\n    all('sqare')", "no rule declares the kind 'sqare'"),
        ("def define_x(p):\n    give(p, p, 1, 'mitt')", "no rule declares the commodity 'mitt'"),
        ("def after_rent(p):\n    pass", "after_rent bends 'rent', which no rule defines"),
        ("def define_x():\n    schedule('rent', 1)", "what the operation 'rent' is"),
        ("def define_x():\n    would('rent')", "what the operation 'rent' is"),
        ("def define_x():\n    once('a', per = 'rent')", "what the operation 'rent' is"),
        ("def define_x():\n    return param('I.9', 'x')", "there is no rule I.9"),
        ("def define_x():\n    return param('I.1', 'x')", "rule I.1 has no parameter 'x'"),
        ("def define_x(:", "book.md:38: rule I.3: "),
        ("def define_len():\n    pass", "book.md:38: rule I.3: len is a word of the language"),
    ],
)
def test_faults_are_reported_with_their_place(code: str, says: str) -> None:
    (fault, *_) = check(book(code), []).errors
    assert re.search(re.escape(says), fault)


def test_an_unused_parameter_is_reported() -> None:
    code, data = "def define_x():\n    pass", "parameters: {idle: 1, read: 2}"
    assert check(book(code, data), []).errors[0].endswith("the parameter 'idle' is never used")
    code = "def define_x():\n    return [param('I.3', 'idle'), read]"
    assert check(book(code, data), []).errors == []


def test_sound_rules_have_no_faults() -> None:
    code = (
        "def define_x(p: Player):\n    schedule('x', p)\n    once('a', per = 'x')\n"
        "    return may('pay', p, p, 1)\n\ndef after_move(piece):\n    pass"
    )
    assert check(book(code), []).errors == []


def test_a_number_that_no_event_can_hold_is_refused_with_its_place() -> None:
    huge = 10**30
    with pytest.raises(RulebookError, match=r"book\.md:\d+: .*parameters\.fine: a number is too"):
        book("def define_x():\n    return fine", f"parameters: {{fine: {huge}}}")
    with pytest.raises(RulebookError, match=r"it\.yaml:1: it: given\.board: a number is too large"):
        parse_cases({"it.yaml": f"case: it\nrulebook: book\ngiven: {{period: 1, board: {huge}}}"})
    with pytest.raises(RulebookError, match="a number is too large"):
        read_changes({"amend": "I.3", "parameters": {"fine": huge}})
