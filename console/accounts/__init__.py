"""Logging in, and the connected apps of a person."""
