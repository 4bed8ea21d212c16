"""Root causes in the console: search reasons, and one entry."""
