"""How embedding fails."""


class EmbeddingFailed(Exception):
    """The model cannot be loaded or run; the message says what to mend, for whoever runs the server."""


class StillLoading(EmbeddingFailed):
    """The process has just started, and its model is not there yet."""
