"""How asking a model fails. Messages are sentences to show: no key, no header, no address in them."""


class ModelFailure(Exception):
    """There is no answer from the model, and asking again now will not help."""


class ModelUnavailable(ModelFailure):
    """The server cannot be reached, refuses, or kept failing however often it was asked."""


class ModelMisbehaved(ModelFailure):
    """The server answered, but not in a form that anything can be made of."""


class ContextOverrun(ModelFailure):
    """What was said is longer than the model can read; a shorter conversation may be answered."""


class AskAgain(Exception):
    """
    Something that passes: the same request may be answered in a moment. Stays inside this package.

    `failure` is what it becomes when it does not pass; `after_seconds` is what the server asked for.
    """

    def __init__(
        self, reason: str, *, failure: type[ModelFailure] = ModelUnavailable, after_seconds: float | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.failure = failure
        self.after_seconds = after_seconds


class Declined(Exception):
    """The server refuses the request for what it contains; another form of it may pass. Stays inside this package."""

    def __init__(self, status: int, *, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said
