"""Teach the questions that nothing covered, and tell who asked them that they can be answered."""
