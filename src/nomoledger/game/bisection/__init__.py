"""Where something became so: found by looking at closes, then within one stretch."""
