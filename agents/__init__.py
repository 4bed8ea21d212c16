"""Conversations with agents: a language model chooses tools in a run, and every step is stored."""
