"""The addresses of the served site, one subject a file."""
