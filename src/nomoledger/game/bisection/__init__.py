"""Bisection: the event after which a statement became true."""
