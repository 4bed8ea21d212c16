"""Sentences as vectors: one model per process, loaded when first needed, off the event loop."""
