"""The served site: players and the admin in a browser. Pages and forms, and no rule of a game."""
