"""Fixes for refused documents: validation against the stored schema, and hints that are rows."""
