"""SQL tables of a game's read models, stored outside the ledger and rebuilt from it."""
