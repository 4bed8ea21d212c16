"""Documentation pages: read from files, stored in sections, searched."""
