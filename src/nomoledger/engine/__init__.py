"""The engine: from inputs to consequences. Pure: no clock, no disk, no randomness."""
