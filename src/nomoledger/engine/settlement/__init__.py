"""Rulings on the past: what they edit, play run again with that, and the present settled by it."""
