"""What everybody can check, and what nobody can guess."""
