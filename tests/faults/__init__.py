"""Games played at random while the store fails at random."""
