"""What follows from the events and is kept beside them: sums of postings, and snapshots."""
