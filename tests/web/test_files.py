"""What the admin takes out of a served game, and what the admin enters for players."""

from pathlib import Path

from nomoledger.game.game import Game
from nomoledger.people.sign_in import Session
from nomoledger.proof.public_check import check_export
from nomoledger.web.game_host import GameHost
from web.conftest import EnterAs


def test_the_public_export_can_be_checked_and_the_seal_is_signed(
    enter_as: EnterAs, host: GameHost, tmp_path: Path
) -> None:
    admin, ann = enter_as("admin"), enter_as("Ann")
    assert "nothing to seal" in admin.open("/games/mail/admin/seal.json")
    admin.open("/games/mail/admin/close")
    admin.send({}, to="/admin/close")
    file = tmp_path / "export.jsonl"
    file.write_bytes(admin.client.get("/games/mail/admin/export.jsonl").content)
    assert check_export(str(file)).ok
    seal = admin.client.get("/games/mail/admin/seal.json").text
    assert '"nomoledger":"seal/1"' in seal
    assert "signature" in seal
    for name in ("files", "export.jsonl", "seal.json"):
        ann.open(f"/games/mail/admin/{name}")
        assert ann.status == 403


def test_the_site_is_published_into_the_folder_that_the_server_was_given(
    enter_as: EnterAs, host: GameHost, tmp_path: Path
) -> None:
    admin = enter_as("admin")
    assert "start this server with --publish" in admin.open("/games/mail/admin/files")
    host.publish_to = str(tmp_path / "site")
    admin.open("/games/mail/admin/files")
    assert "Published" in admin.send({}, to="/publish")
    assert "mail" in (tmp_path / "site" / "index.html").read_text()


def test_a_player_sees_what_the_admin_entered_for_the_player(
    enter_as: EnterAs, host: GameHost
) -> None:
    session = Session("0" * 64, "mail", "admin")
    given = ("Ann", "More money")
    host.request(session, "proposes", Game.propose, *given, acting_for="Ann", id="for-ann")
    assert "The admin proposes" in enter_as("Ann").open("/games/mail/play")
    assert "by the admin" not in enter_as("Bob").open("/games/mail/play")
