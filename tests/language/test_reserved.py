"""Words of the language: no rule can give such a name to anything of its own."""

from typing import Any

import msgspec
import pytest

from nomoledger import events as e
from nomoledger.errors import RulebookError
from nomoledger.events.rules import Commodity, Enact, Rule
from nomoledger.language.linker import analyze_rules
from nomoledger.rulebook.checker.ruleset_check import faults_of
from nomoledger.state.declared_rules import Ruleset

from .inline import Play

#: Words of each kind: values, verbs, durations, functions, keywords, names that statements have.
WORDS = ("none", "true", "false", "yes", "no", "pay", "weeks", "len", "set_to", "if", "load")


def named(what: str, name: str) -> Rule:
    """Return a rule that gives *name* to something of the kind *what*."""
    fields: dict[str, dict[str, Any]] = {
        "kind": {"declares": {name: {"label": "Text key"}}},
        "attribute": {"declares": {"player": {name: "Number"}}},
        "commodity": {"commodities": {name: Commodity()}},
        "account": {"accounts": (name,)},
        "parameter": {"parameters": {name: 3}},
        "moment": {"moments": {name: {"player": "Player"}}},
        "constant": {"code": f"{name} = 3\ndef value_three(): return {name}\n"},
        "function": {"code": f"def {name}(n): return n\ndef value_three(): return {name}(3)\n"},
        "operation": {"code": f"def define_{name}(player): pass\n"},
        "value": {"code": f"def value_{name}(): return 1\n"},
        "action": {"code": f"def action_{name}(player: Player): pass\n"},
    }
    return Rule(number="1", title="T", text_only="x", **fields[what])


def fault(rule: Rule, level: int = 3) -> str:
    try:
        analyze_rules(Ruleset((rule,), level=level))
    except RulebookError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("word", [*WORDS, "None", "TRUE", "number", "period", "engine"])
@pytest.mark.parametrize("what", ["kind", "commodity", "account"])
def test_what_data_declares_has_no_name_of_the_language(what: str, word: str) -> None:
    if what != "kind" and word == "number":
        pytest.skip("only a kind would be a type")
    assert "rule 1: " in fault(named(what, word))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("what", ["parameter", "constant", "function"])
def test_what_code_names_has_no_name_of_the_language(what: str, word: str) -> None:
    assert fault(named(what, word))


@pytest.mark.parametrize("word", ["none", "true", "false", "yes", "no", "money", "period", "asked"])
@pytest.mark.parametrize("what", ["moment", "operation", "value", "action", "attribute"])
def test_what_statements_read_otherwise_is_no_name(what: str, word: str) -> None:
    assert "a word of the language" in fault(named(what, word))


@pytest.mark.parametrize("word", ["roll", "set_to", "len", "weeks"])
@pytest.mark.parametrize("what", ["moment", "operation", "value", "action"])
def test_no_operation_is_called_like_a_verb(what: str, word: str) -> None:
    assert "a word of the language" in fault(named(what, word))


@pytest.mark.parametrize("what", ["kind", "commodity", "account", "parameter", "moment", "value"])
def test_other_names_are_free(what: str) -> None:
    assert fault(named(what, "lantern")) == ""


@pytest.mark.parametrize("kind", ["none", "true", "false"])
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_no_game_links_a_rule_that_would_bind_none_anew(kind: str, level: int) -> None:
    assert "no kind can have this name" in fault(named("kind", kind), level)


@pytest.mark.parametrize("what", ["commodity", "account", "parameter", "constant"])
def test_games_of_old_levels_link_what_they_linked(what: str) -> None:
    assert fault(named(what, "weeks"), level=2) == ""


def test_a_rule_that_would_bind_none_anew_is_refused_and_changes_nothing() -> None:
    play = Play({"1": "def value_nothing(): return get('Ann', 'mark') == None\n"})
    play.rule(Enact(msgspec.structs.replace(named("kind", "none"), number="2")))
    (refusal,) = [x for x in play.last if isinstance(x, e.AttemptRefused)]
    assert "no kind can have this name" in refusal.reasons[0].text


def test_the_check_tells_all_such_names_of_a_rule() -> None:
    rule = Rule(number="1", title="T", declares={"none": {"label": "Text key"}}, accounts=("yes",))
    texts = [each.text for each in faults_of(Ruleset((rule,)))]
    assert len([text for text in texts if "is a word of the language" in text]) == 2
