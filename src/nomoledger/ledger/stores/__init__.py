"""The databases that hold ledgers: SQLite files and PostgreSQL, behind one protocol."""
