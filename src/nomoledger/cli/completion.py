"""The command completion: the script that lets a shell complete commands and options."""

import click
from click.shell_completion import ShellComplete, get_completion_class

VARIABLE = "_NOMOLEDGER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands in your shell.

    To install it, add `eval "$(nomoledger completion bash)"` to ~/.bashrc (zsh: ~/.zshrc); for
    fish, write the script to ~/.config/fish/completions/nomoledger.fish.

    Example: nomoledger completion bash
    """
    shell_class = get_completion_class(shell)
    assert shell_class is not None
    complete = shell_class(ctx.find_root().command, {}, "nomoledger", VARIABLE)
    click.echo(ShellComplete.source(complete))
