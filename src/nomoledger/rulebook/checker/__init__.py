"""The checker of rules: what is wrong with a ruleset, as its text shows without playing."""
