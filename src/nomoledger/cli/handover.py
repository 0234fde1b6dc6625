"""The command handover: a game passes to another admin, who signs its seals from then on."""

from typing import Any

import click

from nomoledger.cli import options
from nomoledger.cli.arguments import command_line
from nomoledger.cli.context import open_game_at, open_ledger_at, open_ledger_of_game
from nomoledger.cli.dry_runs import print_unwritten
from nomoledger.cli.outcome import run_request
from nomoledger.cli.output import print_blocks, print_json, print_line
from nomoledger.cli.proofs import key, key_lines, output
from nomoledger.game.command_lines import game_if_ambiguous

text = click.option(
    "--text", default="", metavar="TEXT", help="Record TEXT as the statement of whoever signs."
)


@click.group()
def handover() -> None:
    """Hand a game over to another admin.

    From then on, the key of the new admin signs the seals.

    The new admin makes a key and a request. The old admin signs a statement that names the new key,
    which becomes an event of the game. The ledger itself, with its secret, passes by copy or
    export.

    Example: nomoledger handover show game.db
    """


@handover.command("key")
@click.argument("file", type=options.OutputFile())
@options.force
@options.dry_run
@options.as_json
def key_(file: str, force: bool, dry_run: bool, as_json: bool) -> None:
    """Make a private key to sign seals with, and write it to FILE.

    Only its owner may read FILE. Whoever has it can sign in the name of the admin: keep a second
    copy in a safe place, and give it to nobody. Each run makes another
    key, so --dry-run names none.

    Example: nomoledger handover key bob.key
    """
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.proof.signing import new_key

    data, signer = new_key()
    with atomic_file(file, force=force, is_private=True, dry_run=dry_run) as target:
        target.write(data)
    if dry_run:
        print_unwritten(file)
    elif as_json:
        print_json({"key": signer.public, "file": file})
    else:
        print_line(f"public key: {signer.public}")


@handover.command()
@click.argument("game")
@click.option(
    "--key", "key_file", metavar="FILE", type=click.Path(dir_okay=False), required=True,
    help="Sign the request with the Ed25519 key in FILE.",
)  # fmt: skip
@output
@options.force
@options.dry_run
def request(game: str, key_file: str, output: str, force: bool, dry_run: bool) -> None:
    """Write a request to take GAME over, for the old admin.

    The request names the public key of the new admin and is signed with it. It holds no secret.

    Example: nomoledger handover request mail-opening --key bob.key -o bob.request
    """
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.proof.key_chain import request_key
    from nomoledger.proof.signing import read_signer

    signer = read_signer(key_file)
    with atomic_file(output, force=force, dry_run=dry_run) as target:
        target.write(request_key(game, signer).encoded() + b"\n")
    if dry_run:
        print_unwritten(output)


@handover.command()
@options.ledger
@click.argument("request_file", metavar="REQUEST", type=click.Path(dir_okay=False))
@key
@text
@options.request
def give(request_file: str, key_file: str | None, text: str, **request: Any) -> int:
    """Hand the game over to the key that made REQUEST.

    The current key signs. The statement becomes a public event, and covers all that was sealed
    before. From then on, only the new key may sign seals.

    Example: nomoledger handover give game.db bob.request --text "Bob takes over."
    """
    from nomoledger.proof.key_chain import read_request

    code = run_request(
        lambda game, when: game.hand_over(read_request(request_file), key_file, text, **when),
        **request,
    )
    if not (request["as_json"] or request["dry_run"]):
        export = command_line("export", request["location"], "FILE", request["game_name"])
        print_line(f"next: {export}, and pass FILE to the new admin")
    return code


@handover.command()
@options.ledger
@click.option(
    "--key", "key_file", metavar="FILE", type=click.Path(dir_okay=False), required=True,
    help="Take the game over with the Ed25519 key in FILE.",
)  # fmt: skip
@text
@options.request
def take(key_file: str, text: str, **request: Any) -> int:
    """Take the game over without the old key, because it is lost.

    The new key alone signs the statement. The record, and every check of it, says that the old key
    has not confirmed it.

    Example: nomoledger handover take game.db --key bob.key --text "Ann has lost her key."
    """
    return run_request(lambda game, when: game.take_over(key_file, text, **when), **request)


@handover.command()
@options.ledger
@output
@options.force
@options.game
@options.dry_run
def secret(location: str, output: str, force: bool, game_name: str | None, dry_run: bool) -> None:
    """Write the secret of a game to a file of its own.

    Whoever has the file and the events can foresee dice. Only its owner may read it. An export and
    a copy of the ledger hold the secret, too.

    Example: nomoledger handover secret game.db -o game.secret
    """
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.proof.secret_file import SecretFile

    with (
        open_ledger_of_game(location, game_name) as (ledger, name),
        atomic_file(output, force=force, is_private=True, dry_run=dry_run) as target,
    ):
        target.write(SecretFile(name, ledger.secret(name).hex()).encoded() + b"\n")
    if dry_run:
        print_unwritten(output)


@handover.command()
@options.ledger
@click.argument("file", type=click.Path(dir_okay=False))
def restore(location: str, file: str) -> None:
    """Put the secret in FILE back into a ledger that lost it.

    FILE is a file of handover secret, or an export of the game. The secret must fit every record,
    and the commitments to the dice; otherwise nothing changes.

    Example: nomoledger handover restore game.db game.secret
    """
    from nomoledger.proof.secret_file import read_secret, restore_secret

    found = read_secret(file)
    with open_ledger_at(location) as ledger:
        restore_secret(ledger, found)
    print_line(f"{found.game}: the secret fits every record, and is in the ledger")


@handover.command()
@options.ledger
@options.game
@options.as_json
def show(location: str, game_name: str | None, as_json: bool) -> None:
    """Show the keys of a game, and since when each signs.

    Example: nomoledger handover show game.db
    """
    with open_game_at(location, game_name) as game:
        keys, name = game.world.game.get("keys", ()), game.name
        seal = command_line("seal", location, "--key FILE", game_if_ambiguous(game.ledger, name))
    if as_json:
        print_json({"game": name, "keys": keys})
    elif keys:
        print_blocks(key_lines(name, keys))
    else:
        print_line(f"{name} was never handed over: its own key signs, or a key in a file ({seal})")
