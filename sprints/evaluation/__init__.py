"""Evaluation of answers against gold statements written by people."""
