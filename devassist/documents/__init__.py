"""Pages of documentation: read from files, stored in sections, searched."""
