"""Where ledgers are stored: SQLite files, PostgreSQL and memory, behind one protocol."""
