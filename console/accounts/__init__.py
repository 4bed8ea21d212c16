"""Logging in, and applications that a person has allowed."""
