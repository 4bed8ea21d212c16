"""The embedded PostgreSQL: where it lies, how it starts, who may use it."""
