"""The sandbox: child processes with limits, which run all rule code that players wrote."""
