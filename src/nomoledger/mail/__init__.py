"""Mails to players and to the admin: what they say, when they are sent, and how."""
