"""The views that SQL may read, as the database has them now."""
