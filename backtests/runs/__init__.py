"""Queries of one run: pages of its events, and its state at a moment."""
