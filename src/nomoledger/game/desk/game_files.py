"""What the admin takes out of a game: the public export, the seal, and the published site."""

from nomoledger.errors import UsageError
from nomoledger.game.command_lines import game_if_ambiguous, written_command
from nomoledger.game.game import Game
from nomoledger.proof.key_chain import current_signer
from nomoledger.proof.public_export import export_public
from nomoledger.proof.seal_observer import SealObserver, kept_seals


def commands_of(game: Game, folder: str) -> dict[str, str]:
    """Return the command lines that make the files; *folder* is that of the site."""
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


def publish_site(game: Game, folder: str) -> int:
    """Publish *game* into *folder*, and return the number of pages."""
    return game.publish(folder)
