"""Runs: a language model chooses tools, step by step, until it answers."""
