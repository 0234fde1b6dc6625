"""The state of one game, and `apply`: the one function that changes it."""
