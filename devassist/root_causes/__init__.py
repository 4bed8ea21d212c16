"""Past errors and their causes: told, stored, found again by meaning and by words."""
