"""Rules: how they are written, read, linked, run and checked."""
