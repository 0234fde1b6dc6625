"""The sandbox: child processes without rights, which run everything that players wrote."""
