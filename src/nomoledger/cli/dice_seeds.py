"""The command dice: seeds of the players for the dice of a game."""

import secrets as random
from typing import TYPE_CHECKING, Any

import click

from nomoledger.cli import options
from nomoledger.cli.context import open_game_at
from nomoledger.cli.outcome import run_request
from nomoledger.cli.output import print_json, print_line

if TYPE_CHECKING:
    from nomoledger.state.world import World

_SEED_BYTES = 32


@click.group()
def dice() -> None:
    """Mix seeds of the players into the dice; show who did.

    This is for games that were opened with --dice players. A player makes a seed and keeps it
    secret, commits to it at least two periods before its dice, and reveals it in the period before
    its dice.

    Example: nomoledger dice show game.db
    """


@dice.command()
@options.as_json
def seed(as_json: bool) -> None:
    """Make a random seed, and its commitment.

    Keep the seed secret until it is time to reveal it.

    Example: nomoledger dice seed
    """
    from nomoledger.state.player_seeds import commitment_to

    made = random.token_hex(_SEED_BYTES)
    if as_json:
        print_json({"seed": made, "commitment": commitment_to(made)})
        return
    print_line(f"seed:       {made}")
    print_line(f"commitment: {commitment_to(made)}")


@dice.command()
@options.ledger
@click.argument("player")
@click.argument("commitment")
@click.option(
    "--period",
    type=int,
    metavar="N",
    help="Commit for the dice of period N (default: the period after the next).",
)
@click.option(
    "--by-admin", is_flag=True, help="Record that the admin chose the seed on behalf of PLAYER."
)
@options.request
def commit(player: str, commitment: str, period: int | None, by_admin: bool, **request: Any) -> int:
    """Commit PLAYER to the seed whose SHA-256 is COMMITMENT.

    The seed has 16 to 200 characters. A commitment is never changed.

    Example: nomoledger dice commit game.db Ann 9f86d081884c7d659a2feaa0c55ad015...
    """
    return run_request(
        lambda game, when: game.commit_seed(player, commitment, period, by_admin=by_admin, **when),
        **request,
    )


@dice.command()
@options.ledger
@click.argument("player")
@click.argument("seed")
@click.option(
    "--period", type=int, metavar="N", help="Reveal the seed for period N (default: the next)."
)
@options.request
def reveal(player: str, seed: str, period: int | None, **request: Any) -> int:
    """Reveal the SEED of PLAYER for the dice of the next period.

    A seed that is not revealed when the next period opens is left out.

    Example: nomoledger dice reveal game.db Ann "my long secret seed"
    """
    return run_request(lambda game, when: game.reveal_seed(player, seed, period, **when), **request)


@dice.command()
@options.ledger
@options.game
@options.as_json
def show(location: str, game_name: str | None, as_json: bool) -> None:
    """Show who committed to a seed, and revealed or withheld it.

    Example: nomoledger dice show game.db
    """
    with open_game_at(location, game_name) as game:
        table = _seeds(game.world)
    if as_json:
        print_json(table)
        return
    kinds = {"seeded": "drawn from seeds of the admin", "entered": "entered by hand"}
    kinds["players"] = "drawn from seeds of the admin and the players"
    print_line(f"the dice are {kinds[table['dice']]}")
    for number, period in table["periods"].items():
        parts = [f"{word} {', '.join(period[word])}" for word in period if period[word]]
        print_line(f"period {number}: {'; '.join(parts)}")


def _seeds(world: "World") -> dict[str, Any]:
    """Return the dice of the game, and per period who committed, revealed and withheld a seed."""
    periods: dict[int, dict[str, list[str]]] = {}
    for period, players in world.dice.get("withheld", {}).items():
        periods[period] = {"withheld by": list(players)}
    for period, mixed in world.dice.get("mixes", {}).items():
        periods.setdefault(period, {})["mixed:"] = [mixed]
    for period, players in world.dice.get("seeds", {}).items():
        periods[period] = {
            "committed by": [player for player, (_, seed) in players.items() if not seed],
            "revealed by": [player for player, (_, seed) in players.items() if seed],
        }
    return {"dice": world.game["dice"], "periods": dict(sorted(periods.items()))}
