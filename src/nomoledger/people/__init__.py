"""Who may sign in, who is signed in, and who did what: kept beside the ledger, never in it."""
