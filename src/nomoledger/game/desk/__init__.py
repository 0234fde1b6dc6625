"""What a player or the admin sees and may do now, as values for pages, forms and programs."""
