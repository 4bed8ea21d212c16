"""Sentences as vectors: one model per process, loaded at first need, away from the event loop."""
