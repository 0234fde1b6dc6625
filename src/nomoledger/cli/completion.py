"""The command completion: the script by which a shell completes our commands and options."""

import click
from click.shell_completion import ShellComplete, get_completion_class

VARIABLE = "_NOMOLEDGER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes your shell complete commands and options.

    For good: put `eval "$(nomoledger completion bash)"` into ~/.bashrc (or zsh into ~/.zshrc); for
    fish, write it into ~/.config/fish/completions/nomoledger.fish.

    Example: nomoledger completion bash
    """
    found = get_completion_class(shell)
    assert found is not None
    script = ShellComplete.source(found(ctx.find_root().command, {}, "nomoledger", VARIABLE))
    click.echo(script)
