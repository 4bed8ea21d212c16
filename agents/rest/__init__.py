"""REST of conversations and runs."""
