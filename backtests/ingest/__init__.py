"""Ingestion of runs' logs: parse (pure), check (pure), load."""
