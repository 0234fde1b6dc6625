"""Services for one game in a ledger: play, import, replay, rule, explain, search."""
