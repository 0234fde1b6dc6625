"""Durations: the units in which rules state lengths of time."""

#: The units of durations, in seconds.
SECONDS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800}
