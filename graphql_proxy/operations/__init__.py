"""Saved operations: tools whose documents are rows."""
