"""The past of a game event by event, computed only from what a reader may see."""
