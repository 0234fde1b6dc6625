"""Proofs that everybody can check, and secrets that nobody can guess."""
