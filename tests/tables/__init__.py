"""Tables for SQL: what stands in them, and how they are kept."""
