"""Verified queries: questions whose SQL a person has verified."""
