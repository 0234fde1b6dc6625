"""What rules say about how their events are told, and what is said where they say nothing."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from nomoledger import events as e
from nomoledger.errors import RulebookError
from nomoledger.events.rules import Rule
from nomoledger.prose.choices import ask_in_words, label_options, option_called
from nomoledger.prose.names import Names
from nomoledger.prose.teller import Teller
from nomoledger.rulebook.changes import read_changes
from nomoledger.rulebook.checker.rulebook_check import find_faults
from nomoledger.rulebook.loading import load, parse
from nomoledger.state.reducer import apply
from nomoledger.state.world import Attempt, World

SATURDAY = datetime(2026, 1, 10, 20, tzinfo=UTC)
THURSDAY = datetime(2026, 1, 8, 20, tzinfo=UTC)
KINDS = {
    "player": {"name": "Text key", "speeding": "Flag", "color": "Text", "since": "Time"},
    "square": {"number": "Number key", "name": "Text", "owner": "Player"},
    "option": {"player": "Player", "square": "Square", "opened": "Time"},
    "put_off": {"option": "Option"},
    "game": {"riders": "List", "rest": "Duration"},
}


def when() -> dict[str, Any]:
    return {"period": 1, "received_at": THURSDAY, "recorded_at": THURSDAY}


def game_of(told: Any = None, **parameters: Any) -> World:
    """A world of two players, two squares and an option, in which a rule tells events."""
    world = World()
    rule = Rule(number="1", declares=KINDS, told=told or {}, parameters=parameters)
    things: list[tuple[str, str, dict[str, Any]]] = [
        ("Ann", "player", {"name": "Ann"}),
        ("Bob", "player", {"name": "Bob"}),
        ("square:4", "square", {"number": 4}),
        ("square:5", "square", {"number": 5, "name": "Dune"}),
        ("option:b238925f75", "option", OPTION),
    ]
    apply(world, e.RuleEnacted(**when(), rule=rule, source="rulebook"))
    for entity, kind, attributes in things:
        apply(world, e.EntityCreated(**when(), entity=entity, kind=kind, attributes=attributes))
    return world


OPTION = {"player": "Ann", "square": "square:4", "opened": int(THURSDAY.timestamp())}


def set_to(entity: str, attribute: str, value: Any, **fields: Any) -> e.AttributeSet:
    return e.AttributeSet(**when(), entity=entity, attribute=attribute, value=value, **fields)


def tell(world: World, event: e.Event) -> str:
    return Teller(world).tell(event)


# --- without a text -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (set_to("Ann", "speeding", True), "Ann is now speeding"),
        (set_to("Ann", "speeding", False), "Ann is no longer speeding"),
        (set_to("Ann", "speeding", None, was=True), "Ann is no longer speeding"),
        (set_to("Ann", "color", None, was="red"), "Ann's color is no longer set"),
        (
            set_to("Ann", "color", "red", until="period"),
            "color of Ann becomes red until the period closes",
        ),
        (set_to("Ann", "since", int(SATURDAY.timestamp())), "since of Ann becomes Saturday 20:00"),
        (set_to("game", "rest", 90_000), "rest of the game becomes 1 day 1 hour"),
        (set_to("game", "riders", []), "nothing is among the game's riders yet"),
        (set_to("game", "riders", [], was=["Ann"]), "nothing is among the game's riders any more"),
        (set_to("game", "hour", None), "the game's hour is not set"),
        (
            e.Counted(**when(), key="pollutants|Ann", scope="period"),
            "“pollutants” of Ann is counted once more in this period",
        ),
        (set_to("square:4", "owner", "Bob"), "Bob now owns square 4"),
        (set_to("square:5", "owner", None, was="Bob"), "Dune's owner is no longer set"),
        (
            e.EntityCreated(**when(), entity="option:b238925f75", kind="option", attributes=OPTION),
            "there is a new option of Ann on square 4 (opened Thursday 20:00)",
        ),
        (
            e.EntityDestroyed(**when(), entity="option:b238925f75"),
            "an option of Ann on square 4 is gone",
        ),
        (
            e.Posted(**when(), postings=(), why="for option:b238925f75 and ticket:0123456789"),
            " (for an option of Ann on square 4 and ticket)",
        ),
    ],
)  # fmt: skip
def test_without_a_text_events_are_told_plainly(event: e.Event, text: str) -> None:
    assert tell(game_of(), event) == text


def test_a_number_near_the_present_is_a_time_where_no_type_says_so() -> None:
    world = World()
    rule = Rule(number="1", declares={"game": {"opened": "Number", "score": "Number"}})
    apply(world, e.RuleEnacted(**when(), rule=rule, source="rulebook"))
    apply(world, e.ClockAdvanced(**when(), id="now"))
    assert tell(world, set_to("game", "opened", int(SATURDAY.timestamp()))).endswith(
        "Saturday 20:00"
    )
    assert tell(world, set_to("game", "score", 1_000_000_000)).endswith("becomes 1000000000")


# --- with a text ----------------------------------------------------------------------------------


def test_a_text_tells_by_the_value_that_is_set() -> None:
    told = {
        "player.speeding": {"yes": "{it} speeds", "none": "{it} slows down"},
        "player.color": {"red": "{name} blushes", "set": "{it} turns from {was} to {value}"},
    }
    world = game_of(told)
    assert tell(world, set_to("Ann", "speeding", True)) == "Ann speeds"
    assert tell(world, set_to("Ann", "speeding", False)) == "Ann slows down"
    assert tell(world, set_to("Ann", "color", "red")) == "Ann blushes"
    assert tell(world, set_to("Ann", "color", "blue", was="red")) == "Ann turns from red to blue"
    assert tell(world, set_to("Ann", "color", "blue")) == "color of Ann becomes blue"  # no `was`


def test_a_thing_is_called_and_told_by_its_rule() -> None:
    told = {
        "option": {
            "label": "the option of {player} on {square}",
            "created": "{player} may buy {square} until {opened + days days}",
            "destroyed": "{it} is over",
        }
    }
    world = game_of(told, days=2)
    made = e.EntityCreated(**when(), entity="option:b238925f75", kind="option", attributes=OPTION)
    assert tell(world, made) == "Ann may buy square 4 until Saturday 20:00"
    gone = e.EntityDestroyed(**when(), entity="option:b238925f75")
    assert tell(world, gone) == "the option of Ann on square 4 is over"
    assert Names(world).phrase("option:b238925f75") == "the option of Ann on square 4"


def test_an_empty_text_means_no_mention() -> None:
    world = game_of({"player.color": "", "option": "", "player.since": {"set": ""}})
    teller = Teller(world)
    assert not teller.mentions(set_to("Ann", "color", "red"))
    assert not teller.mentions(set_to("Ann", "color", None))
    assert not teller.mentions(e.EntityDestroyed(**when(), entity="option:b238925f75"))
    assert not teller.mentions(set_to("Ann", "since", 1))
    assert teller.mentions(set_to("Ann", "since", None))
    assert teller.mentions(set_to("Ann", "speeding", True))
    assert tell(world, set_to("Ann", "color", "red")) == "color of Ann becomes red"


def test_a_batch_is_told_with_the_names_of_each_moment() -> None:
    world = game_of({"square.owner": "{value} now owns {it}"})
    batch = [
        set_to("square:4", "owner", "Ann"),
        set_to("square:4", "name", "Mill"),
        set_to("square:4", "owner", "Bob", was="Ann"),
    ]
    teller = Teller(world)
    for event in batch:
        apply(world, event)
    teller.rewind(batch)
    assert [teller.tell(event) for event in batch] == [
        "Ann now owns square 4",
        "square 4 is now called “Mill”",
        "Bob now owns Mill",
    ]


def test_a_thing_that_is_gone_keeps_its_name() -> None:
    world = game_of({"option": {"label": "the option of {player}"}})
    teller = Teller(world)
    scheduled = e.Scheduled(
        **when(), attempt="x", operation="lapse", arguments=("option:b238925f75",), due=1
    )
    teller.tell(scheduled)
    gone = e.EntityDestroyed(**when(), entity="option:b238925f75")
    teller.tell(gone)
    apply(world, gone)
    assert teller.tell(e.TimerFired(**when(), attempt="x")) == "due: lapse (the option of Ann)"


# --- texts with faults ----------------------------------------------------------------------------


def rulebook_with(told: str) -> str:
    return (
        "---\nrulebook: r\n---\n### 1 One\n\nWords.\n\n```yaml\ntext_only: words\n"
        f"declares:\n  player: {{name: Text key, speeding: Flag}}\n{told}\n```\n"
    )


@pytest.mark.parametrize(
    ("told", "line", "problem"),
    [
        ('told:\n  player.speeding: "{it} {speding}"', 13, "has no 'speding' to tell; it has"),
        ('told:\n  player.speed: "{it}"', 13, "no rule declares the attribute 'speed' of player"),
        ('told:\n  frog: {label: "x"}', 13, "no rule declares the kind 'frog'"),
        ('told:\n  player: {lable: "x"}', 13, "player is told by label, created, destroyed"),
        ('told:\n  player: {label: "{name"}', 13, "a brace without its counterpart"),
        ('told:\n  player.speeding: "{it.name}"', 13, "is neither a name nor a sum such as"),
        ('told:\n  player.speeding: "{it + 3 days}"', 13, "is neither a name nor a sum such as"),
    ],
)  # fmt: skip
def test_a_fault_in_a_text_is_found_where_it_stands(told: str, line: int, problem: str) -> None:
    try:
        (fault,) = find_faults(parse(rulebook_with(told), "r.md"))
    except RulebookError as error:
        fault = str(error)
    assert fault.startswith(f"r.md:{line}: rule 1: told: ")
    assert problem in fault


def test_yes_and_no_are_words_in_texts() -> None:
    book = parse(rulebook_with('told:\n  player.speeding: {yes: "{it} speeds", no: ""}'), "r.md")
    assert book.rules[0].told == {"player.speeding": {"yes": "{it} speeds", "no": ""}}


def test_a_proposal_can_change_what_is_told() -> None:
    (change,) = read_changes([{"amend": "1", "told": {"player.speeding": {True: "{it} flies"}}}])
    assert change.told == {"player.speeding": {"yes": "{it} flies"}}  # type: ignore[union-attr]
    with pytest.raises(RulebookError, match="amend 1: told: a brace without its counterpart"):
        read_changes([{"amend": "1", "told": {"player.speeding": "{it"}}])


@pytest.mark.parametrize("name", ["mail", "mail-opening", "nomopoly-iii", "origon", "weekly-vote"])
def test_shipped_rulebooks_name_their_things(name: str) -> None:
    rules = load(name).rules
    keyed = {
        kind
        for rule in rules
        for kind, attributes in rule.declares.items()
        if any(type_.endswith(" key") for type_ in attributes.values())
    }
    kinds = {kind for rule in rules for kind in rule.declares} - keyed - {"game"}
    labelled = {
        kind
        for rule in rules
        for kind, entry in rule.told.items()
        if isinstance(entry, dict) and "label" in entry
    }
    assert kinds <= labelled


# --- options of questions -------------------------------------------------------------------------


def asked(*options: Any) -> e.QuestionRaised:
    return e.QuestionRaised(
        **when(), question="q", asks="draw", to="admin", text="draw ticket", options=options
    )


def test_options_go_by_their_labels() -> None:
    names = Names(game_of({"option": {"label": "the option of {player}"}}))
    question = asked("option:b238925f75", "Bob", "Bob")
    assert label_options(names, question) == ["the option of Ann", "Bob"]
    assert option_called(names, question, "the option of Ann") == "option:b238925f75"
    assert option_called(names, question, "option:b238925f75") == "option:b238925f75"
    assert option_called(names, question, "Bob") == "Bob"
    assert option_called(names, question, "1") is None


def test_options_with_one_label_are_numbered() -> None:
    world = game_of()
    made = e.EntityCreated(**when(), entity="option:0123456789", kind="option", attributes=OPTION)
    apply(world, made)
    question = asked("option:b238925f75", "option:0123456789")
    names = Names(world)
    label = "an option of Ann on square 4"
    assert label_options(names, question) == [f"1 {label}", f"2 {label}"]
    assert option_called(names, question, "2") == "option:0123456789"
    assert option_called(names, question, f"1 {label}") == "option:b238925f75"
    assert option_called(names, question, label) is None


def test_options_go_by_the_player_whose_they_are() -> None:
    world = game_of()
    for number, square in ((1, "square:4"), (2, "square:4"), (3, "square:9")):
        made = e.EntityCreated(
            **when(), entity=f"option:{number:010}", kind="option",
            attributes={**OPTION, "square": square},
        )  # fmt: skip
        apply(world, made)
    names, options = Names(world), [f"option:{number:010}" for number in (1, 2, 3)]
    assert option_called(names, asked(options[0], "Bob"), "Ann") == options[0]
    assert option_called(names, asked(*options[:2]), "Ann") == options[0]  # nobody can tell which
    assert option_called(names, asked(options[0], options[2]), "Ann") is None  # they differ
    assert option_called(names, asked(*options), "Bob") is None


@pytest.mark.parametrize(
    ("asks", "text", "options", "words"),
    [
        ("dice", "roll 2d6 (move)", (6, 6), "two dice of six sides for the move"),
        ("dice", "roll 1d100 (way out)", (100,), "one die of 100 sides for the way out"),
        ("dice", "roll 3d1 (luck)", (1, 1, 1), "three dice of one side for the luck"),
        ("draw", "draw lottery", ("Ann", "Bob"), "one drawn at random for the lottery"),
        (
            "draw", "draw heir of option:b238925f75", ("Ann",),
            "one drawn at random for the heir of an option of Ann on square 4",
        ),
        ("choice", "Sell option:b238925f75?", ("yes",), "Sell an option of Ann on square 4?"),
    ],
)  # fmt: skip
def test_a_question_is_asked_in_words(
    asks: str, text: str, options: tuple[Any, ...], words: str
) -> None:
    question = msgspec.structs.replace(asked(*options), asks=asks, text=text)
    assert ask_in_words(Names(game_of()), question) == words


def test_a_question_says_for_whom_it_is() -> None:
    world = game_of()
    for by, arguments, whose in (("Ann", (), "Ann's"), ("", ("square:4", "Bob"), "Bob's")):
        attempt = Attempt(id="q7", operation="turn", by=by, arguments=arguments)
        world.game["agenda"] = (attempt,)
        question = msgspec.structs.replace(
            asked(6, 6), asks="dice", text="roll 2d6 (turn)", question="q7|turn"
        )
        assert ask_in_words(Names(world), question) == f"two dice of six sides for {whose} turn"


def test_labels_of_things_that_name_each_other_come_to_an_end() -> None:
    world = game_of(
        {"put_off": {"label": "{option} later"}, "option": {"label": "{square}, {player}"}}
    )
    put_off = {"option": "put_off:0123456789"}
    made = e.EntityCreated(
        **when(), entity="put_off:0123456789", kind="put_off", attributes=put_off
    )
    apply(world, made)
    assert Names(world).phrase("put_off:0123456789").startswith("put off later")


def test_a_thing_is_called_by_its_key_although_its_key_is_its_id() -> None:
    world = World()
    rule = Rule(
        number="1",
        declares={"blob": {"name": "Text key"}},
        told={"blob": {"label": "the {name}"}},
    )
    world.put(world.game, "rules", (rule,))
    world.put(world.entities, "Blob", "blob")
    world.put(world.kinds, "blob", ("Blob",))
    world.put(world.attributes, "Blob", {"name": "Blob"})
    assert Names(world).phrase("Blob") == "the Blob"
