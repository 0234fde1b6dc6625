"""Rulebooks: loading and checking them, their cases, and the shipped rulebooks."""
