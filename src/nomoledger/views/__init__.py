"""What people and other programs look at: the published site, journals, and tables for SQL."""
