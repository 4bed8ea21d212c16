"""Errors of requests to other hosts."""


class WebFailure(Exception):
    """The request failed. The message says why, and names neither addresses nor headers."""


class AddressRefused(WebFailure):
    """The host has an address to which requests are not allowed."""


class Unreachable(WebFailure):
    """No connection could be made."""


class UnknownHost(Unreachable):
    """The host's name cannot be resolved."""


class TlsFailed(Unreachable):
    """The host's certificate is not valid, or TLS failed."""


class DeadlineExceeded(WebFailure):
    """The deadline passed before the answer was complete."""


class AnswerTooLarge(WebFailure):
    """The answer is larger than allowed."""


class InvalidAnswer(WebFailure):
    """The answer is not HTTP, ended early, or has an unsupported encoding."""


class Redirected(WebFailure):
    """The host redirected to another place, or without end."""
