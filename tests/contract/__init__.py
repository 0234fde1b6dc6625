"""The contract of every store, tested on each."""
