"""Rulebooks: loading and checking them, their cases, and the rulebooks that come with nomoledger."""
