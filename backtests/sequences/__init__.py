"""Queries of sequences of related events."""
