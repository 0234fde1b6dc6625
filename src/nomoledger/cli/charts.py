"""Drawing a read model into a file."""

from pathlib import Path
from typing import Any

import click

from nomoledger.cli.context import open_view_at

KINDS = ("svg", "png")


def draw_chart(
    name: str,
    file: str,
    *,
    force: bool,
    dry_run: bool,
    location: str,
    game_name: str | None,
    period: int | None,
    known: int | None,
    **arguments: Any,
) -> None:
    """Draw the projection *name* into *file*; with *force*, also if the file exists.

    For a *dry_run*, everything is checked, and the file is not written.
    """
    from nomoledger.cli.atomic_file import atomic_file
    from nomoledger.game.read_models import Drawing, projection

    kind = Path(file).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise click.UsageError(
            f"{file!r} is not a chart file: name it something.svg or something.png"
        )
    with (
        open_view_at(location, game_name, period, known=known) as view,
        atomic_file(file, force=force, dry_run=dry_run) as target,
    ):
        model = projection(name)(view, **arguments)
        if not isinstance(model, Drawing):
            raise click.UsageError(f"the installed projection {name} cannot draw charts")
        target.write(model.drawn(kind))
