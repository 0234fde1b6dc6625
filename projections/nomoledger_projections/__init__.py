"""The read models that come with nomoledger, one per file, each found by its entry point."""
