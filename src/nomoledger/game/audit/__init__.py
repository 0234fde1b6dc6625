"""What the audit of a hand-kept record reports: what differs, where, and what is left out."""
