"""Drawing a read model into a file."""

from pathlib import Path
from typing import Any

import click

from nomoledger.cli.context import view_at

KINDS = ("svg", "png")


def draw(
    name: str,
    file: str,
    *,
    ledger: str,
    game: str | None,
    period: int | None,
    known: int | None,
    **given: Any,
) -> None:
    """Draw the projection called *name* into *file*, which takes its place only when whole."""
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.game.read_models import Drawing, projection

    kind = Path(file).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise click.UsageError(f"{file!r} is no picture: name it something.svg or something.png")
    with view_at(ledger, game, period, known=known) as view:
        model = projection(name)(view, **given)
    if not isinstance(model, Drawing):
        raise click.UsageError(f"{name} as it is installed here cannot be drawn")
    picture = model.drawn(kind)
    with atomic_file(file) as target:
        target.write(picture)
