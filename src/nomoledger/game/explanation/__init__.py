"""Why something is as it is, and why something else did not come about."""
