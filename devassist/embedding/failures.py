"""How embedding fails."""


class EmbeddingFailed(Exception):
    """The model cannot be loaded or run; the message says what to mend, for whoever runs the server."""
