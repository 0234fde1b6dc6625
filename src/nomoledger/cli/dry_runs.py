"""What commands print at the end of a dry run."""

import os

from nomoledger.cli.output import print_line


def print_dry_run(is_thrown: bool = False) -> None:
    """Print that this was a dry run; *is_thrown* if it drew from a throwaway seed."""
    if is_thrown:
        print_line("its dice come from a throwaway seed: the real ones will fall otherwise")
    print_line("a dry run: nothing is recorded")


def print_unwritten(file: str) -> None:
    """Print what the real run would do with *file*, which was not written."""
    if file == "-":
        print_line("a dry run: nothing is written")
        return
    verb = "replaced" if os.path.exists(file) else "created"
    print_line(f"a dry run: nothing is written; {file} would be {verb}")
