"""Tables of facts: what is understood of them, what is wrong with them, and what they become."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.commands import data, ok, run, wrong

from nomoledger.errors import RecordError
from nomoledger.game.csv_record import RecordTable, read_table
from nomoledger.game.game import Game
from nomoledger.ledger.ledger import Ledger
from nomoledger.rulebook.loading import load

PAGE = Path(__file__).parents[1] / "docs" / "records.md"
RULES = """
### 1 Turns

```yaml
declares:
  player: {name: Text key, square: Square, team: Text}
  square: {number: Number key, owner: Player}
accounts: [The Bank]
commodities:
  $: {}
facts:
  roll: {attempt: turn, given: [player], dice: dice}
  land: {subject: player, attribute: square, value: square}
  buy: {asks: price, given: [player, square], value: amount, attempt: buy_square}
  rent: {subject: payee, payer: player, paid: "rent", value: amount}
  growth: {asks: size, value: board_size}
```

```python
def on_enact():
    for n in range(20):
        create("square", {"number": n + 1})

def define_join(name: Text) -> Player:
    player = create("player", {"name": name}, name)
    move(player, find("square", 1), "place")
    return player

def value_successor(square: Square) -> Square:
    return find("square", get(square, "number") + 1) or find("square", 1)

def define_turn(player: Player):
    thrown = roll(2, 6, "turn")
    for pip in range(thrown[0] + thrown[1]):
        move(player, successor(get(player, "square")), "step")
    owner = get(get(player, "square"), "owner")
    if owner not in (None, player):
        pay(player, owner, get(get(player, "square"), "number"), "rent")

def value_price(player: Player, square: Square):
    return 10 * get(square, "number")

def define_buy_square(player: Player, square: Square):
    pay(player, "The Bank", price(player, square), "square")
    set(square, "owner", player)

def value_size():
    return len(all("square"))
```
"""
NARROW = """\
week,kind,player,dice,square,amount,payee
,start,Ann,,3,900,
,start,Bob,,1,900,
1,roll,Ann,2+4,,,
1,land,Ann,,9,,
1,buy,Ann,,9,90,
1,roll,Bob,3+5,,,
1,land,Bob,,9,,
1,rent,Bob,,9,9,Ann
"""


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.md").write_text("# squares game\n" + RULES)


def understood(text: str | bytes, players: list[str] | None = None) -> RecordTable:
    """What is understood of a table with this *text*."""
    file = Path("t.csv")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(file, load("rules.md").rules, players)


def facts(table: RecordTable) -> list[dict[str, object]]:
    assert table.problems == ()
    return [line.fields for line in table.lines]


# --- what is understood


def test_a_row_becomes_the_fields_of_a_line_of_a_record() -> None:
    table = understood(NARROW)
    assert facts(table)[:3] == [
        {"week": 1, "kind": "roll", "player": "Ann", "dice": [2, 4]},
        {"week": 1, "kind": "land", "player": "Ann", "square": 9},
        {"week": 1, "kind": "buy", "player": "Ann", "square": 9, "amount": 90},
    ]
    assert [line.place for line in table.lines][:2] == ["t.csv:4", "t.csv:5"]
    assert table.header.opening["players"]["Ann"] == {"square": 3, "money": 900}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_spreadsheets_of_all_countries_are_read(separator: str, start: str) -> None:
    table = understood(start + NARROW.replace(",", separator).replace("\n", "\r\n"))
    assert facts(table) == facts(understood(NARROW))


def test_headings_and_kinds_are_matched_in_a_forgiving_way() -> None:
    text = NARROW.replace(
        "week,kind,player,dice,square,amount,payee",
        " Round , What happened,WHO,Die,Landed  on,Price,paid-to",
    )
    text = text.replace("roll", "Rolled").replace("land", "Landing").replace("buy", "purchase")
    assert facts(understood(text)) == facts(understood(NARROW))


def test_dice_may_stand_in_one_cell_or_in_one_each() -> None:
    for dice in ("3 5", "3+5", '"3, 5"', "3/5", "3 and 5", "[3; 5]"):
        table = understood(f"week,kind,player,dice\n1,roll,Ann,{dice}\n")
        assert facts(table)[0]["dice"] == [3, 5], dice
    table = understood("week,kind,player,Die 1,Die 2\n1,roll,Ann,3,5\n")
    assert facts(table)[0]["dice"] == [3, 5]


def test_numbers_are_read_as_people_write_them() -> None:
    table = understood('week,kind,player,square,amount\nWeek 1,buy,Ann,#9,"$1,200.50"\n')
    assert facts(table)[0] | {"square": 9, "amount": "1200.50", "week": 1} == facts(table)[0]
    table = understood("week;kind;player;square;amount\n1.0;buy;Ann;9.0;1.200,50\n")
    assert facts(table)[0] | {"square": 9, "amount": "1200.50", "week": 1} == facts(table)[0]


def test_without_a_column_of_kinds_each_cell_is_a_fact() -> None:
    table = understood(
        "Week,Player,Dice,Landed on,Bought for,Rent,Paid to\n"
        "1,Ann,2+4,9,90,-,\n1,Bob,3+5,9,,9,Ann\n1,Bob,1+1,,,,\n"
    )
    assert [(line["player"], line["kind"]) for line in facts(table)] == [
        ("Ann", "roll"), ("Ann", "land"), ("Ann", "buy"),
        ("Bob", "roll"), ("Bob", "land"), ("Bob", "rent"), ("Bob", "roll"),
    ]  # fmt: skip
    assert facts(table)[2] | {"square": 9, "amount": 90} == facts(table)[2]
    assert facts(table)[5] | {"square": 9, "amount": 9, "payee": "Ann"} == facts(table)[5]
    assert [line.place for line in table.lines][:3] == ["t.csv:2", "t.csv:2-2", "t.csv:2-3"]


def test_quoted_cells_and_empty_rows_keep_the_numbers_of_lines() -> None:
    table = understood(
        'week,kind,player,note,dice\n\n1,roll,Ann,"one\ntwo",1+2\n,,,,\n1,roll,Ann,,2\n'
    )
    assert [line.place for line in table.lines] == ["t.csv:3", "t.csv:6"]
    assert facts(table)[0]["text"] == "one\ntwo"


def test_names_are_found_without_capital_letters_and_accounts_are_known() -> None:
    text = "week,kind,player,amount,payee\n1,rent,Ann,9,the bank\n1,rent,ANN,9,ann\n"
    assert [(fact["player"], fact["payee"]) for fact in facts(understood(text))] == [
        ("Ann", "The Bank"),
        ("Ann", "Ann"),
    ]


def test_columns_that_nobody_knows_are_said_and_attributes_are_known() -> None:
    table = understood("week,kind,player,dice,Wether,Team,Board Size\n1,roll,Ann,3,fine,red,20\n")
    assert [column.heading for column in table.columns if not column.is_known] == ["Wether"]
    assert facts(table)[0] | {"wether": "fine", "team": "red", "board_size": 20} == facts(table)[0]


# --- what is wrong


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (",roll,Ann,3+5,,,", "has no week"),
        ("x,roll,Ann,3+5,,,", "'x' is no week"),
        ("0,roll,Ann,3+5,,,", "there is no week 0"),
        ("1,,Ann,3+5,,,", "what happened"),
        ("1,roll,Ann,3+five,,,", "are no dice"),
        ("1,roll,Ann,0+5,,,", "no die shows 0"),
        ("1,roll,Ann,,,,", "a roll needs dice"),
        ("1,roll,,3+5,,,", "a roll needs player"),
        ("1,land,Ann,,,,", "a land needs square"),
        ("1,rent,Ann,,9,much,Ann", "'much' is no amount"),
        ("1,rent,Ann,,9,9,", "a rent needs payee"),
        ("1,rent,Ann,,9,9,Bbo", "there is no payee 'Bbo' (did you mean Bob?)"),
        ("1,roll,Zed,3+5,,,", "there is no player 'Zed': the players are Ann, Bob"),
        ("1,roll,Ann,3+5,,,,,9", "9 cells, the header 7"),
        (",start,Ann,,,,", "earlier row"),
        (",start,,,,5,", "describes nothing"),
        ("1,rules,,,,,", "names no file of rules"),
        ("1,proposal,Ann,,,,", "has no number: write it in a column proposal"),
    ],
)
def test_a_bad_row_is_named_with_file_and_line(row: str, what: str) -> None:
    (problem,) = understood(f"{NARROW}{row}\n").problems
    assert problem.startswith("t.csv:10: ")
    assert what in problem


def test_rows_of_proposals_become_lines_with_proposals() -> None:
    head = "week,kind,player,dice,proposal,verdict,text\n,start,Ann,,,,\n1,roll,Ann,3,,,\n"
    table = understood(f"{head}1,proposal,ann,,2,accepted,A park\n1,Proposals,,,3,,\n")
    assert facts(table)[1:] == [
        {"week": 1, "text": "A park", "proposal": 2, "by": "Ann", "verdict": "accepted"},
        {"week": 1, "proposal": 3, "by": "admin", "verdict": None},
    ]
    (problem,) = understood(f"{head}1,proposal,Ann,,2,maybe,A park\n").problems
    assert problem == "t.csv:4: a verdict is accepted or rejected, not 'maybe'"
    (problem,) = understood(f"{head}1,proposal,Zed,,2,,A park\n").problems
    assert problem.startswith("t.csv:4: there is no player 'Zed'")


def test_a_column_of_days_makes_each_period_a_day_and_rows_may_have_times() -> None:
    table = understood(
        "Day,kind,player,dice,at\n3,roll,Ann,3,2001-03-05T09:30\n3,roll,Ann,3,9:45\n"
    )
    assert (table.header.days, table.header.start, table.header.period) == (1, "2001-03-05", 3)
    assert understood("week,kind,player,dice\n3,roll,Ann,3\n").header.days == 7
    (problem,) = understood("day,kind,player,dice,at\n3,roll,Ann,3,25:00\n").problems
    assert "t.csv:2: '25:00' is no time: write it as in" in problem
    table = understood("week,kind,player,dice,at\n3,roll,Ann,3,Inn-by-the-sea\n")
    assert (table.header.start, table.problems) == ("", ())


def test_weeks_do_not_run_backwards() -> None:
    text = "week,kind,player,dice\n2,roll,Ann,3\n1,roll,Ann,3\n"
    assert understood(text).problems == ("t.csv:3: week 1 after week 2: sort the rows by week",)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"", "t.csv: is empty"),
        (b"\n\n", "t.csv: is empty"),
        (b"kind,player\nroll,Ann\n", "t.csv:1: no column names the week"),
        (b"week,player\n1,Ann\n", "t.csv:1: no column says what happened"),
        (b"week,kind,player,who\n1,roll,Ann,Bob\n", "both mean player"),
        (b"week,kind,player,player\n1,roll,Ann,Bob\n", "both mean player"),
        (b'week,kind\n1,"roll\n', "t.csv:2: not a row"),
        ("week,kind\n1,caf\xe9\n".encode("latin-1"), "save it as CSV UTF-8"),
    ],
)
def test_a_file_that_is_no_table_is_an_error(text: bytes, what: str) -> None:
    with pytest.raises(RecordError) as raised:
        understood(text)
    assert what in str(raised.value)


def test_a_table_without_facts_is_a_problem() -> None:
    assert understood("week,kind\n").problems == ("t.csv:1: no fact follows: add a row for each",)
    (problem,) = understood("week,kind,dice\n1,roll,²\n").problems
    assert problem == "t.csv:2: '²' are no dice: write them as in 3+5"


# --- what it becomes


def stored(ledger: str) -> list[tuple[str, object, object]]:
    """The events of the game, without their times and numbers of lines."""
    with Ledger.open(ledger) as opened:
        bodies = [entry.body for entry in Game(opened, "g").history.entries()]
    return [(type(b).__name__, getattr(b, "fields", 0), getattr(b, "postings", 0)) for b in bodies]


def test_a_table_becomes_the_same_game_as_lines_of_json() -> None:
    Path("t.csv").write_text(NARROW)
    lines = [
        {
            "rulebook": "rules.md",
            "opening": {
                "players": {
                    "Ann": {"square": 3, "money": 900},
                    "Bob": {"square": 1, "money": 900},
                }
            },
        },
        *facts(understood(NARROW)),
    ]
    Path("t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ok("import", "a.db", "t.csv", "--rulebook", "rules.md", "--game", "g")
    ok("import", "b.db", "t.jsonl", "--game", "g")
    assert stored("a.db") == stored("b.db")
    assert data("standings", "a.db") == data("standings", "b.db")
    assert "nothing differs" in ok("replay", "a.db", "--period", "1")


def test_findings_of_a_row_with_several_facts_name_its_line() -> None:
    Path("t.csv").write_text("Week,Player,Dice,Landed on\n1,Ann,2+4,7\n1,Bob,1+1,4\n")
    ok("import", "g.db", "t.csv", "--rulebook", "rules.md")
    (found,) = data_of_failure("replay", "g.db", "--period", "1")["divergences"]
    assert (found["line"], found["recorded"], found["by_rules"]) == (3, 4, 3)


def data_of_failure(*words: str) -> dict[str, list[dict[str, object]]]:
    result = run(*words, "--json")
    assert result.exit_code == 1
    report: dict[str, list[dict[str, object]]] = json.loads(result.stdout)
    return report


def test_a_table_continues_a_game() -> None:
    Path("t.csv").write_text(NARROW)
    ok("import", "g.db", "t.csv", "--rulebook", "rules.md")
    Path("next.csv").write_text("week,kind,player,dice,square\n2,roll,ann,1+1,\n2,land,ann,,11\n")
    ok("import", "g.db", "next.csv")
    assert "nothing differs" in ok("replay", "g.db", "--period", "2")
    Path("more.csv").write_text("week,kind,player\n,start,Zed\n")
    assert "more.csv:2: the game has begun" in run("import", "g.db", "more.csv").stderr


def test_rows_bring_in_rules() -> None:
    Path("t.csv").write_text(
        "week,kind,rules,player,dice,square\n1,rules,rules.md,,,\n1,rolls,,Ann,1+2,\n1,land,,Ann,,4\n"
    )
    ok("import", "g.db", "t.csv", "--rulebook", "weekly-vote-opening")
    assert "1 recorded facts compared" in ok("replay", "g.db", "--period", "1")


def test_a_preview_says_what_is_understood_and_writes_nothing() -> None:
    Path("t.csv").write_text(NARROW + "1,dance,Ann,,,,\n1,roll,Ann,9+9,,,\n")
    text = ok("import", "g.db", "t.csv", "--rulebook", "rules.md", "--preview")
    assert "players: Ann, Bob\nweeks: 1\n" in text
    assert "facts: 3 roll, 2 land, 1 buy, 1 rent, 1 dance\n" in text
    assert "  t.csv:4: week 1, Ann: roll, dice 2 and 4\n" in text
    assert "t.csv:10: dance is unexplained: no rule in force speaks of 'dance'" in text
    assert "t.csv:11: roll is unexplained: dice left over: 9, 9" in text
    assert not Path("g.db").exists()
    told = data("import", "g.db", "t.csv", "--rulebook", "rules.md", "--preview")
    assert [row["place"] for row in told["unexplained"]] == ["t.csv:10", "t.csv:11"]


def test_all_bad_rows_are_listed_up_to_ten_and_nothing_is_imported() -> None:
    Path("t.csv").write_text(NARROW + 12 * "1,roll,Zed,3,,,\n")
    result = run("import", "g.db", "t.csv", "--rulebook", "rules.md")
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert [line.split(": ")[1] for line in lines[:10]] == [f"t.csv:{n}" for n in range(10, 20)]
    assert lines[10:] == ["nomoledger: t.csv: 2 more bad rows: correct those above first"]
    assert not Path("g.db").exists()


def test_a_table_that_is_turned_down_leaves_the_game_as_it_was() -> None:
    Path("t.csv").write_text(NARROW)
    ok("import", "g.db", "t.csv", "--rulebook", "rules.md", "--game", "g")
    with Ledger.open("g.db") as ledger:
        head = Game(ledger, "g").world.head
    Path("bad.csv").write_text("week,kind,player,dice\n2,roll,Ann,1+1\n1,roll,Ann,1+1\n")
    assert "bad.csv:3: " in wrong("import", "g.db", "bad.csv")
    with Ledger.open("g.db") as ledger:
        assert Game(ledger, "g").world.head == head


def test_options_of_tables_are_turned_down_elsewhere() -> None:
    Path("t.jsonl").write_text('{"rulebook": "rules.md"}\n')
    for words in (("--preview",), ("--rulebook", "mail")):
        assert "are for tables" in wrong("import", "g.db", "t.jsonl", *words)
    assert "there is no such file" in wrong("import", "g.db", "no.csv", "--rulebook", "mail")
    Path("t.csv").write_text(NARROW)
    assert "begin one with --rulebook" in wrong("import", "g.db", "t.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("section", "commands"), [("Importing a table", 4), ("What is unknown", 2)]
)
def test_the_examples_of_the_page_print_what_the_page_says(
    play_page: Callable[[Path], list[str]], section: str, commands: int
) -> None:
    text = PAGE.read_text("utf-8").partition(f"\n## {section}\n")[2]
    Path("section.md").write_text(text.partition("\n## ")[0], "utf-8")
    assert len(play_page(Path("section.md"))) == commands
