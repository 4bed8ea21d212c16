"""All SQL of conversations and runs."""
