"""The command group: its help, and how every way to fail becomes one line and an exit code."""

import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from nomoledger.cli.arguments import too_many_words
from nomoledger.errors import NomoledgerError
from nomoledger.ledger.stores.location import redacted

MISUSE = 2
INTERRUPTED = 128 + signal.SIGINT
PIPE_CLOSED = 128 + signal.SIGPIPE


class CommandGroup(click.Group):
    """A group whose help lists its commands in *sections*, and which never shows a traceback."""

    def __init__(self, sections: dict[str, list[click.Command]], **settings: Any) -> None:
        super().__init__(**settings)
        self.sections = sections
        for command in (each for section in sections.values() for each in section):
            self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with a line on each, section by section."""
        width = max(map(len, self.commands))
        for title, commands in self.sections.items():
            rows = [(f"{each.name:{width}}", each.get_short_help_str(80)) for each in commands]
            with formatter.section(title):
                formatter.write_dl(rows)

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run a command and exit: with its own code, or with a line on what went wrong."""
        settings["standalone_mode"] = False
        if isinstance(sys.stdout, io.TextIOWrapper):  # what a terminal cannot write is spelled out
            sys.stdout.reconfigure(errors="backslashreplace")
        sys.exit(_guarded(lambda: super(CommandGroup, self).main(*args, **settings)))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interrupt is told by us, on one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _Interrupted from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, all of which must be text."""
        for arg in args:
            if any("\ud800" <= character <= "\udfff" for character in arg):
                raise click.UsageError(f"{arg!r} is not UTF-8")
        return super().parse_args(ctx, args)


def version_option() -> click.Option:
    """`--version`, which looks the version up only when it is asked for."""

    def tell(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:
        if is_asked:
            from importlib.metadata import version

            click.echo(f"nomoledger {version('nomoledger')}")
            ctx.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=tell,
        help="Show the version and exit.",
    )


class _Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


def _guarded(run: Callable[[], Any]) -> int:
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return MISUSE
    except click.UsageError as error:
        return _fail(_usage(error), MISUSE)
    except click.ClickException as error:
        return _fail(error.format_message(), MISUSE)
    except (_Interrupted, KeyboardInterrupt, click.Abort):
        if sys.stderr.isatty():  # where ^C stands on the line
            click.echo(err=True)
        return _fail("interrupted; what was recorded stays recorded", INTERRUPTED)
    except BrokenPipeError:
        return _leave_quietly()
    except NomoledgerError as error:
        return _fail(str(error), MISUSE)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", MISUSE)
    except Exception as error:
        return _unexpected(error)


def _usage(error: click.UsageError) -> str:
    message = error.format_message().rstrip(".")
    message = message[:1].lower() + message[1:]
    if "unexpected extra argument" in message:
        message += too_many_words()
    command = error.ctx.command_path if error.ctx is not None else "nomoledger"
    return f"{message}: see {command} --help"


def _unexpected(error: Exception) -> int:
    if os.environ.get("NOMOLEDGER_DEBUG"):
        raise error
    last = (str(error).strip() or "no more is known").splitlines()[-1]
    return _fail(
        f"unexpected {type(error).__name__}: {last}; this is a fault of nomoledger: please report"
        " it with what NOMOLEDGER_DEBUG=1 shows",
        MISUSE,
    )


def _fail(message: str, code: int) -> int:
    from nomoledger.cli.output import one_line

    click.echo(f"nomoledger: {one_line(redacted(message))}", err=True)
    return code


def _leave_quietly() -> int:
    """Whoever read our output has gone: nothing more can be said, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE_CLOSED
