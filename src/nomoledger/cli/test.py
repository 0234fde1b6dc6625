"""The command test: run cases, which are examples of what the rules must do."""

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from nomoledger.cli import options
from nomoledger.cli.output import print_json, print_line
from nomoledger.errors import UnknownError

if TYPE_CHECKING:
    from nomoledger.rulebook.cases import Case

FAILED = 1
WRONG = 2


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@options.as_json
def test(files: tuple[str, ...], as_json: bool) -> int:
    """Run cases, and show the first difference in each failed case.

    FILE is a file of cases, a folder of such files, or a rulebook, whose own cases are run. test
    exits with 1 if a case fails, and with 2 if one cannot be run. The other cases are run anyway.

    Example: nomoledger test cases/doubles.yaml
    """
    from nomoledger.rulebook.cases import CaseRunner

    cases = [case for file in files for case in _load(file)]
    runner = CaseRunner()
    if len(cases) == 1:
        results = [runner.run(*cases)]  # what is wrong with the only case is the error
    else:
        results = [runner.result(case) for case in cases]
    failed = [result for result in results if not result.ok]
    broken = sum(not result.run for result in results)
    code = WRONG if broken else FAILED if failed else 0
    if as_json:
        print_json({"cases": len(results), "failed": len(failed), "results": results})
        return code
    for result in failed:
        print_line(f"{result.file}: {result.difference}")
    and_broken = f", {broken} of them could not be run" if broken else ""
    print_line(f"{len(results)} cases, {len(failed)} failed{and_broken}")
    return code


def _load(file: str) -> "list[Case]":
    from nomoledger.rulebook.cases import cases_beside, load_cases

    try:
        return load_cases(file, keeps_faulty=True)
    except UnknownError:
        with suppress(UnknownError):
            if cases := cases_beside(file, keeps_faulty=True):
                return cases
        raise
