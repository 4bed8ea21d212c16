"""Answers to questions in plain language, without a language model."""
