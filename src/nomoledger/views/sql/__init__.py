"""Tables for SQL, kept beside a ledger and rebuilt from it."""
