"""Golden ledgers: games as earlier versions recorded them, kept and replayed for good."""
