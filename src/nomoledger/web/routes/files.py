"""What the admin takes out of a game: the public export, the seal, and the published site."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from litestar import Response, get, post
from litestar.params import FromPath
from litestar.response import Redirect

from nomoledger.errors import UsageError
from nomoledger.game.desk.game_files import commands_of, signed_seal, write_export
from nomoledger.web.page_templates import page
from nomoledger.web.threads import in_thread
from nomoledger.web.visitor import WebRequest, admin_of, host_of


@get("/games/{game:str}/admin/files")
@in_thread
def show_files(request: WebRequest, game: FromPath[str]) -> Response[str]:
    """Show what can be taken out of the game."""
    session, host = admin_of(request, game), host_of(request)
    published = request.query_params.get("published", "")
    commands = host.read(game, commands_of, host.publish_to or "FOLDER", kind=dict[str, str])
    values: dict[str, Any] = {
        "commands": commands,
        "folder": host.publish_to,
        "published": published,
    }
    return page("files.html", game=game, session=session, **values)


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
def publish(request: WebRequest, game: FromPath[str]) -> Response[Any]:
    """Publish the game into the folder that the server was given."""
    session, host = admin_of(request, game), host_of(request)
    if host.publish_to is None:
        raise UsageError("this server was started without --publish DIR")
    folder = Path(host.publish_to)
    target = folder if len(host.games()) == 1 else folder / quote(game, safe=" ")
    pages = host.publish(game, str(target))
    host.deeds.note(session, f"publishes {pages} pages into {target}")
    return Redirect(f"/games/{quote(game)}/admin/files?published={pages}", status_code=303)


def _download(content: bytes, name: str) -> Response[bytes]:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


ROUTES = [show_files, download_export, download_seal, publish]
