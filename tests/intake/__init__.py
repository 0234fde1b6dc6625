"""The one door: what comes from outside is bounded before anything is recorded or computed."""
