"""The command test: cases, which are examples that say what the rules must do."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.output import json, line
from nomoledger.errors import UnknownError

if TYPE_CHECKING:
    from nomoledger.rulebook.cases import Case, CaseResult

FAILED = 1


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@options.as_json
def test(files: tuple[str, ...], as_json: bool) -> int:
    """Run cases, and say what differs in each that fails.

    FILE is a file, a folder of them, or a rulebook, whose own cases are run. Exit code 1 where one
    fails.

    Example: nomoledger test cases/doubles.yaml
    """
    loaded = [case for file in files for case in _cases(file)]
    results = [_result(case) for case in loaded]
    failed = [each for each in results if not each.ok]
    if as_json:
        json({"cases": len(results), "failed": len(failed), "results": results})
        return FAILED if failed else 0
    for each in failed:
        line(f"{each.file}: {each.difference}")
    line(f"{len(results)} cases, {len(failed)} failed")
    return FAILED if failed else 0


def _cases(file: str) -> "list[Case]":
    from nomoledger.rulebook.cases import cases_beside, load_cases

    try:
        return load_cases(file)
    except UnknownError:
        with suppress(UnknownError):
            if found := cases_beside(file):
                return found
        raise


def _result(case: "Case") -> "CaseResult":
    """What came of *case*, run where its rules can do no harm."""
    from nomoledger.rulebook.cases import CaseResult, run_case
    from nomoledger.sandbox.worker import call_in_worker

    return call_in_worker(lambda: run_case(case), CaseResult)
