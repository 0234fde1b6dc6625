"""Retroactive rulings: editing the input log, replaying it, and settling the present."""
