"""Explanations: why something is as it is, and why something else did not happen."""
