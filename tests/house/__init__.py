"""The house rules."""
