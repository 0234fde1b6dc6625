"""The command group: its help, and one line and an exit code for every failure."""

import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

import click

from nomoledger.errors import NomoledgerError

MISUSE = 2
INTERRUPTED = 128 + signal.SIGINT
PIPE_CLOSED = 128 + signal.SIGPIPE


class CommandGroup(click.Group):
    """A group that lists its commands in *sections* and never prints a traceback.

    A section has commands by name: each with its module and attribute, and a line of help. A module
    is imported when one of its commands is run.
    """

    def __init__(self, sections: dict[str, dict[str, tuple[str, str]]], **settings: Any) -> None:
        """Create the group with the commands of *sections*."""
        super().__init__(**settings)
        self.sections = sections
        self._places = {name: at for part in sections.values() for name, (at, _) in part.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, or None."""
        if cmd_name not in self._places:
            return None
        module, _, attribute = self._places[cmd_name].partition(":")
        command = getattr(import_module(f"nomoledger.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def every_command(self) -> dict[str, click.Command]:
        """Return all commands by name."""
        context = click.Context(self)
        found = ((name, self.get_command(context, name)) for name in self._places)
        return {name: command for name, command in found if command is not None}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command with one line of help, section by section."""
        width = max(map(len, self._places))
        for title, commands in self.sections.items():
            rows = [(f"{name:{width}}", line) for name, (_, line) in commands.items()]
            with formatter.section(title):
                formatter.write_dl(rows)

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run a command and exit with its code; print one line if the command fails."""
        settings["standalone_mode"] = False
        if isinstance(sys.stdout, io.TextIOWrapper):  # escape what cannot be encoded
            sys.stdout.reconfigure(errors="backslashreplace")
        words = args[0] if args and args[0] is not None else settings.get("args") or sys.argv[1:]
        run = partial(super().main, *args, **settings)
        sys.exit(_exit_code(run, words))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise our own exception on an interrupt, before Click prints a line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _Interrupted from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args*, all of which must be valid UTF-8."""
        from nomoledger.ledger.stores.location import safe_location

        for arg in args:
            if any("\ud800" <= character <= "\udfff" for character in arg):
                raise click.UsageError(f"{safe_location(arg)!r} is not UTF-8")
        return super().parse_args(ctx, args)


def version_option() -> click.Option:
    """Return the option `--version`, which looks the version up only when it is used."""

    def print_version(ctx: click.Context, param: click.Parameter, is_used: bool) -> None:
        if is_used:
            from importlib.metadata import version

            click.echo(f"nomoledger {version('nomoledger')}")
            ctx.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=print_version,
        help="Show the version and exit.",
    )


class _Interrupted(Exception):
    """The user pressed Ctrl-C."""


def _exit_code(run: Callable[[], Any], words: Sequence[str]) -> int:
    """Return the exit code of *run*; if it fails, print one line.

    *words* are those of the command line. The line repeats no password in them.
    """
    fail = partial(_fail, words)
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return MISUSE
    except click.UsageError as error:
        return fail(_usage_message(error), MISUSE)
    except click.ClickException as error:
        return fail(error.format_message(), MISUSE)
    except (_Interrupted, KeyboardInterrupt, click.Abort):
        if sys.stderr.isatty():  # the terminal echoed ^C on this line
            click.echo(err=True)
        return fail("interrupted; what was recorded stays recorded", INTERRUPTED)
    except BrokenPipeError:
        return _after_closed_pipe()
    except NomoledgerError as error:
        return fail(str(error), MISUSE)
    except OSError as error:
        prefix = f"{error.filename}: " if error.filename else ""
        return fail(f"{prefix}{error.strerror or error}", MISUSE)
    except Exception as error:
        return _unexpected(error, fail)


def _usage_message(error: click.UsageError) -> str:
    message = error.format_message().rstrip(".")
    message = message[:1].lower() + message[1:]
    if "unexpected extra argument" in message:
        from nomoledger.cli.arguments import extra_argument_hint

        message += extra_argument_hint()
    command = error.ctx.command_path if error.ctx is not None else "nomoledger"
    return f"{message}: see {command} --help"


def _unexpected(error: Exception, fail: Callable[[str, int], int]) -> int:
    if os.environ.get("NOMOLEDGER_DEBUG"):
        raise error
    last = (str(error).strip() or "no message").splitlines()[-1]
    return fail(
        f"unexpected {type(error).__name__}: {last}; this is a bug in nomoledger: please report"
        " it with the traceback that NOMOLEDGER_DEBUG=1 shows",
        MISUSE,
    )


def _fail(words: Sequence[str], message: str, code: int) -> int:
    from nomoledger.cli.arguments import ledger_in_environment
    from nomoledger.cli.output import print_failure
    from nomoledger.ledger.stores.location import safe_message

    given = [*words, *(word.partition("=")[2] for word in words), ledger_in_environment()]
    print_failure(safe_message(message, given))
    return code


def _after_closed_pipe() -> int:
    """Discard further output, also what Python flushes at exit: its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
