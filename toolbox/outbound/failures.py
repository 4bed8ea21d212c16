"""Why another host gave no answer."""


class WebFailure(Exception):
    """There is no answer. The message says why, and names neither addresses nor headers."""


class AddressRefused(WebFailure):
    """The host stands where requests may not go."""


class Unreachable(WebFailure):
    """No connection could be made."""


class UnknownHost(Unreachable):
    """The host's name is not known."""


class TlsFailed(Unreachable):
    """The host cannot prove who it is, or speaks no TLS."""


class DeadlineExceeded(WebFailure):
    """The deadline passed before the answer was whole."""


class AnswerTooLarge(WebFailure):
    """The answer is larger than the cap."""


class InvalidAnswer(WebFailure):
    """What came is not HTTP, ended early, or is packed in a way nobody asked for."""


class Redirected(WebFailure):
    """The host sent the request elsewhere."""
