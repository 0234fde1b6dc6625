"""Time passes in a served game: by itself while the server runs, or when the admin says so."""

import re
import time
from datetime import UTC, datetime, timedelta

from nomoledger.web.clock_keeper import ClockKeeper
from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs, let_ann_move

DAY = 86_400


def test_timers_of_a_live_game_fire_when_they_are_due(enter_as: EnterAs, host: GameHost) -> None:
    admin = enter_as("admin")
    let_ann_move(host)
    its = ClockKeeper(host).time_of("mail")
    assert its is not None
    assert its.due is not None
    due = its.due
    before = host.head("mail")
    ClockKeeper(host, lambda: due - 1).look()
    assert host.head("mail") == before
    ClockKeeper(host, lambda: due).look()
    after = host.head("mail")
    assert after > before
    ClockKeeper(host, lambda: due).look()
    assert host.head("mail") == after
    assert f"{datetime.fromtimestamp(due, UTC):%Y-%m-%d %H:%M}" in admin.open("/games/mail/admin")


def test_the_clock_of_a_game_that_rests_is_not_moved(host: GameHost) -> None:
    let_ann_move(host)
    before = host.head("mail")
    ClockKeeper(host, lambda: time.time() + 400 * DAY).look()
    assert host.head("mail") == before


def test_the_admin_lets_time_pass_after_a_look_at_what_falls_due(
    enter_as: EnterAs, host: GameHost
) -> None:
    admin = enter_as("admin")
    let_ann_move(host)
    later = datetime.now(UTC) + timedelta(days=30)
    shown = admin.open(f"/games/mail/admin/clock?to={later:%Y-%m-%dT%H:%M}")
    before = host.head("mail")
    assert "fall due" in shown or "falls due" in shown
    assert "Is the time right?" in shown
    admin.send({}, to="/admin/clock")
    assert host.head("mail") > before
    assert f"{later:%Y-%m-%d %H:%M}" in admin.open("/games/mail/admin")
    ann = enter_as("Ann")
    told = ann.open("/games/mail/play")
    ended = "the timer “lapse (the option of Ann on {})” ran out"
    square = re.search(r"lapse \(the option of Ann on ([^)]*)\)” ran out", told)
    assert square, told
    assert f"because {ended.format(square[1])}, which was set when this happened: proposal" in told
    link = re.search(r'href="(\S*/why\.html#e(\d+))"[^>]*>#\d+</a> the option of Ann', ann.text)
    assert link, ann.text
    assert ended.format(square[1]) in ann.open(f"/games/mail/past/{link[2]}")
    assert "is not a time" in admin.open("/games/mail/admin/clock?to=yesterday")
