"""Drawing a read model into a file."""

from pathlib import Path
from typing import Any

import click

KINDS = ("svg", "png")


def draw(name: str, file: str, **where: Any) -> None:
    """Draw the projection called *name* into *file*, which takes its place only when whole."""
    from nomoledger.cli.look import seen
    from nomoledger.cli.written import written
    from nomoledger.projecting import Drawing

    kind = Path(file).suffix.lower().removeprefix(".")
    if kind not in KINDS:
        raise click.UsageError(f"{file!r} is no picture: name it something.svg or something.png")
    model = seen(name, **where)
    if not isinstance(model, Drawing):
        raise click.UsageError(f"{name} as it is installed here cannot be drawn")
    picture = model.drawn(kind)
    with written(file) as target:
        target.write(picture)
