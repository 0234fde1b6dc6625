"""The API for programs: the services of the served site, as JSON."""
