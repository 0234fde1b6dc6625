"""nomoledger."""
