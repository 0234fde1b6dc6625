"""The sandbox: child processes under limits, in which everything that players wrote is run."""
