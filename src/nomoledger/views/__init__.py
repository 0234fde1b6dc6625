"""Views of a game for people and other programs: the published site, journals, and SQL tables."""
