"""Limits in number and in time, scheduled attempts, and values of closed periods."""

from nomoledger import events as e

from .inline import Play


def score(play: Play, times: int) -> int:
    for _ in range(times):
        play.go()
    return int(play.get("score") or 0)


COUNT = "    set(player, 'score', (get(player, 'score') or 0) + 1)\n"


def test_once_per_period_and_game() -> None:
    for per, expected in (("period", 2), ("game", 1)):
        play = Play({"1": f"def after_go_on(player):\n  if once('x', per = '{per}'):\n{COUNT}"})
        assert score(play, 3) == 1
        assert score(play.close(), 2) == expected


def test_once_for_each_key_and_several_times() -> None:
    code = "def after_go_on(player):\n  if once('x', player, times = 2):\n" + COUNT
    assert score(Play({"1": code}), 5) == 2


def test_once_within_an_operation() -> None:
    play = Play({
        "1": "def after_go_on(player):\n    for n in range(2):\n        round(player)\n"
        "def define_round(player):\n    for n in range(3):\n        step(player)\n"
        f"def define_step(player):\n  if once('x', per = 'round'):\n{COUNT}"
    })  # fmt: skip
    assert score(play, 1) == 2


def test_once_does_not_count_a_refused_attempt() -> None:
    code = (
        "def after_go_on(player):\n    first = once('x')\n    if not get('game', 'open'):\n"
        "        set('game', 'open', None)\n        refuse('closed')\n"
        f"    if first:\n    {COUNT}"
    )
    opening = "def action_open(player): set('game', 'open', True)\n"
    play = Play({"1": code, "2": opening})
    assert play.go().refused == "1@1: closed"
    play.take(e.SubmissionReceived, by="Ann", action="open")
    assert score(play, 2) == 1


def until(value: str) -> Play:
    return Play({
        "1": "def after_go_on(player):\n"
        f"    set(player, 'mark', 'new', until = {value})\n"
        "def action_look(player):\n    set(player, 'score', len(use(player, 'mark') or ''))\n"
    })  # fmt: skip


def test_a_value_until_a_time() -> None:
    play = until("now() + 60").go()
    assert play.wait(seconds=59).get("mark") == "new"
    assert play.wait(seconds=1).get("mark") is None


def test_a_value_until_the_end_of_the_period() -> None:
    play = until("'period'").go()
    assert play.get("mark") == "new"
    assert play.close().get("mark") is None


def test_a_value_until_the_next_use() -> None:
    play = until("'use'").go()
    play.take(e.SubmissionReceived, by="Ann", action="look")
    assert (play.get("score"), play.get("mark")) == (3, None)


def test_scheduled_attempts_run_by_time_and_can_be_cancelled() -> None:
    play = Play({
        "1": "def define_late(n): set('Ann', 'score', n)\n"
        "def after_go_on(player):\n    schedule('late', 2, due = now() + 20)\n"
        "    schedule('late', 1, due = now() + 10)\n    schedule('late', 3, due = now() + 30)\n"
        "    cancel('late', 3)\n    schedule('late', 0)\n"
    })  # fmt: skip
    assert play.go().get("score") == 0
    assert play.wait(seconds=10).get("score") == 1
    assert play.wait(seconds=60).get("score") == 2


def test_history_returns_the_value_at_the_close_of_a_period() -> None:
    play = Play({
        "1": "def after_go_on(player):\n"
        "    set(player, 'mark', history(1, player, 'mark') or 'a')\n"
    })  # fmt: skip
    assert play.go().get("mark") == "a"
    play.close()
    play.world.attributes["Ann"]["mark"] = "b"
    assert play.go().get("mark") == "a"


def test_within_returns_the_arguments_of_an_operation_under_way() -> None:
    play = Play({
        "1": "def after_go_on(player):\n    if within('nothing') == None:\n"
        "        set(player, 'mark', within('go_on')[0])\n"
    })  # fmt: skip
    assert play.go().get("mark") == "Ann"


def test_mentioned_finds_what_a_rule_lists() -> None:
    code = "def after_go_on(player): set(player, 'mark', str(mentioned(player)))\n"
    assert Play({"1": code}).go().get("mark") == "False"
    assert Play({"1": code}, {"1": "mentions: [Ann]"}).go().get("mark") == "True"


def test_a_refused_close_closes_nothing() -> None:
    play = Play({
        "1": "def define_close_period(): pass\n"
        "def forbid_close_period():\n    if not get('Ann', 'mark'): return 'Ann is not ready'\n"
        "def after_go_on(player): set(player, 'mark', 'ready')"
    }).close()  # fmt: skip
    assert play.refused == "1@1: Ann is not ready"
    assert play.world.period == 1
    assert not play.world.agenda
    assert play.go().close().world.period == 2
