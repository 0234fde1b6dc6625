"""The tables that come with nomoledger: one a file, each found by its entry point."""
