"""The command line: the output of each command, its exit codes, and its errors."""
