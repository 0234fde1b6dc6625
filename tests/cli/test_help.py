"""Help texts, versions and what importing the command line loads."""

import subprocess
import sys

import click
import pytest

from cli.commands import ok
from nomoledger.cli import program


def commands() -> dict[str, click.Command]:
    """Return every command by the words that run it."""
    by_name = program.every_command()
    for name, group in list(by_name.items()):
        if isinstance(group, click.Group):
            by_name |= {f"{name} {n}": command for n, command in group.commands.items()}
    return by_name


@pytest.mark.parametrize("name", commands())
def test_every_command_has_a_line_of_help_and_an_example(name: str) -> None:
    text = ok(*name.split(), "--help")
    command = name.removesuffix(" of")
    assert f"Example: nomoledger {command}" in text.replace("\n ", "")
    line = commands()[name].get_short_help_str(200)
    assert 10 < len(line) <= 65


@pytest.mark.parametrize("name", commands())
def test_every_option_has_help(name: str) -> None:
    options = [x for x in commands()[name].params if isinstance(x, click.Option)]
    assert [option.name for option in options if not option.help] == []
    assert all(option.help.endswith(".") for option in options if option.help)


def test_the_help_lists_every_command_once() -> None:
    text = ok("--help")
    for name in program.every_command():
        assert text.count(f"\n  {name} ") == 1


def test_the_help_has_one_line_for_each_command() -> None:
    lines = ok("--help").splitlines()
    for section in program.sections.values():
        for name, (_, text) in section.items():
            assert f"  {name:11}  {text}" in lines


def test_what_concerns_proposals_and_rules_stands_together() -> None:
    (group,) = (part for part in program.sections.values() if "propose" in part)
    assert {"proposals", "proposal", "vote", "judge", "rules", "test", "simulate"} <= group.keys()


def test_the_version_is_printed() -> None:
    assert ok("--version").startswith("nomoledger 0.")


def test_help_loads_no_heavy_library() -> None:
    script = (
        "import sys; from nomoledger.cli import program\n"
        "heavy = {'rich', 'starlark', 'eventsourcing', 'markdown_it', 'yaml', 'sqlite3'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
