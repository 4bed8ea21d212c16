"""Pages where people ask."""
