"""Errors of embedding."""


class EmbeddingFailed(Exception):
    """The model cannot be loaded or run; the message says what the operator must fix."""


class StillLoading(EmbeddingFailed):
    """The process has just started, and the model is not loaded yet."""
