"""The embedded PostgreSQL: its folders, start and stop, roles."""
