"""Errors of upstreams, and how to fix the call: validation against the stored schema, and hints that are rows."""
