"""Curated examples: matched, filled, worded, checked."""
