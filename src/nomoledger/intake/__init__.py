"""The one door: what comes from outside is checked here before anything is recorded or computed."""
