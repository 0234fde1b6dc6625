"""What the admin takes out of a game: the public export, the seal, and the published site."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import UsageError
from nomoledger.game.command_lines import game_if_ambiguous, written_command
from nomoledger.game.game import Game
from nomoledger.proof.key_chain import current_signer
from nomoledger.proof.public_export import export_public
from nomoledger.proof.seal_observer import SealObserver, kept_seals
from nomoledger.web.forms import new_request_id
from nomoledger.web.game_host import publish_site
from nomoledger.web.page_templates import page
from nomoledger.web.routes.entrance import Form
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, admin_of, host_of


@get("/games/{game:str}/admin/files")
@in_thread
def show_files(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show what can be taken out of the game."""
    session, host = admin_of(request, game), host_of(request)
    published = request.query_params.get("published", "")
    values: dict[str, Any] = {"game": game, "session": session, "new_id": new_request_id}
    commands = host.read(game, commands_of, host.publish_to or "FOLDER", kind=dict[str, str])
    values |= {"commands": commands, "folder": host.publish_to, "published": published}
    return page("files.html", **values)


@get("/games/{game:str}/admin/export.jsonl")
@in_thread
def download_export(request: WebRequest, game: FromPath[str]) -> Response[bytes]:
    """Send the public export, which anybody can check."""
    admin_of(request, game)
    host = host_of(request)
    with host.scratch_file() as file:
        host.study(game, write_export, str(file), kind=str)
        return _download(file.read_bytes(), "export.jsonl")


@get("/games/{game:str}/admin/seal.json")
@in_thread
def download_seal(request: WebRequest, game: FromPath[str]) -> Response[bytes]:
    """Send the signed seal of the last closed period."""
    admin_of(request, game)
    seal = host_of(request).study(game, signed_seal, kind=bytes)
    return _download(seal + b"\n", "period.seal")


@post("/games/{game:str}/admin/publish")
@in_thread
def publish(request: WebRequest, game: FromPath[str], data: Form) -> Response[Any]:
    """Publish the game into the folder that the server was given."""
    session, host = admin_of(request, game), host_of(request)
    if host.publish_to is None:
        raise UsageError("this server was started without --publish FOLDER")
    folder = Path(host.publish_to)
    target = folder if len(host.games()) == 1 else folder / quote(game, safe=" ")
    pages = host.read(game, publish_again, str(target), str(data.get("id")), kind=int)
    host.deeds.note(session, f"publishes {pages} pages into {target}")
    return Redirect(f"/games/{quote(game)}/admin/files?published={pages}", status_code=303)


# --- what keepers carry out -----------------------------------------------------------------------


def commands_of(game: Game, folder: str) -> dict[str, str]:
    """Return the command lines that do what the page does; *folder* is that of the site."""
    location = game.ledger.store.location
    name = game_if_ambiguous(game.ledger, game.name)
    words = {"export": "--public", "seal": "", "publish": folder}
    return {verb: written_command(verb, location, given, name) for verb, given in words.items()}


def write_export(game: Game, path: str) -> str:
    """Write the public export of *game* to *path*, and return the public head."""
    with open(path, "wb") as file:
        return export_public(game.ledger, game.name, file)


def signed_seal(game: Game) -> bytes:
    """Return the signed seal of the last closed period of *game*.

    Raises:
        UsageError: no period is closed yet.
    """
    SealObserver(game.ledger, game.name).keep_up()
    seals = kept_seals(game.ledger, game.name)
    if not seals:
        raise UsageError("no period is closed yet: there is nothing to seal")
    signer = current_signer(game.ledger, game.name, None)
    return max(seals, key=lambda seal: seal.period).signed(signer).encoded()


def publish_again(game: Game, folder: str, id: str) -> int:
    """Publish *game* into *folder* for the form *id*, and return the number of pages."""
    return publish_site(game, folder)


def _download(content: bytes, name: str) -> Response[bytes]:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


ROUTES = [show_files, download_export, download_seal, publish]
