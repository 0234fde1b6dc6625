"""Tests of SQL tables: their content, and their synchronisation with a ledger."""
