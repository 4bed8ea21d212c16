"""Why a request over the web has no answer."""


class WebFailure(Exception):
    """There is no answer. The message says why, and names neither addresses nor headers."""


class AddressRefused(WebFailure):
    """The host stands where requests may not go."""


class Unreachable(WebFailure):
    """No connection could be made."""


class UnknownHost(Unreachable):
    """The host's name is not known."""


class Overdue(WebFailure):
    """The deadline passed before the answer was whole."""


class Oversized(WebFailure):
    """The answer is larger than the cap."""


class Broken(WebFailure):
    """What came is not HTTP, ended early, or is packed in a way nobody asked for."""


class Redirected(WebFailure):
    """The host sent the request elsewhere."""
