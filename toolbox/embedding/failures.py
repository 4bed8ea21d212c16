"""How embedding fails."""


class EmbeddingFailed(Exception):
    """The model cannot be loaded or run; the message says what the operator must fix."""


class StillLoading(EmbeddingFailed):
    """The process has just started, and its model is not there yet."""
