"""A program that is used for long is compiled again with the names of things, and does the same."""

from collections import OrderedDict
from typing import Any

import pytest

from nomoledger import events as e
from nomoledger.language import program

from .inline import Play

RULES = {
    "1": """
def define_note(player, what):
    set(player, "mark", what)
    set(player, "count", what)

def value_told(player):
    return "%s %s" % (get(player, "mark"), get(player, "count"))

def after_go_on(player):
    seen = []
    for what in [1, 99, 100, -1, True, False, "1", "Ann", "Zoë 😀", None, ["Ann", 1], []]:
        note(player, what)
        seen.append([told(player), type(get(player, "mark")), type(get(player, "count"))])
        seen.append(within_of(what))
        if type(what) != "list":
            seen.append(find("player", what) == player)
    seen.append([find("player", name) for name in ["Ann", "Bob", "Nobody"]])
    pay("Bob", player, 1, "once")
    if not find("player", "Zoë 😀"):
        create("player", {"name": "Zoë 😀", "mark": "Bob"}, "Zoë 😀")
    seen.append([get(each, "mark") for each in all("player")])
    set(player, "log", str(seen))

def within_of(what):
    return inner(what)

def define_inner(what):
    args = within("inner")
    return [type(each) for each in args] + [args == [what]]
"""
}
DATA = {"1": "declares: {player: {log: Text, count: Number}}"}


def played(times: int) -> list[Any]:
    """Return the events of so many turns, and the log of the player after each."""
    play = Play(RULES, DATA)
    results: list[Any] = [play.last]
    for _ in range(times):
        results.append(play.go().last)
        results.append(play.get("log"))
    return results


def test_a_program_compiled_with_names_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program._PLAYED, "programs", OrderedDict())
    monkeypatch.setattr(program, "PAYS_AFTER", 1_000_000)
    plain = played(8)
    monkeypatch.setattr(program._PLAYED, "programs", OrderedDict())
    monkeypatch.setattr(program, "PAYS_AFTER", 2)
    named = played(8)
    (linked,) = program._PLAYED.programs.values()
    assert {"Ann", "Bob", "step"} <= set(linked._names)
    assert any(isinstance(event, e.Posted) for event in named[1])
    assert named == plain
