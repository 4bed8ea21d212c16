"""The current schema of the views that SQL may read."""
