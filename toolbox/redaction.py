"""Take secrets out of text before it is kept."""

import re

REDACTED = "[redacted]"

# Names are looked at 80 characters at most, so that no text makes the search quadratic.
_FIELD = re.compile(r'"([^"\\]{1,80})"(\s{0,20}:\s{0,20})"(?:[^"\\]|\\.)*(?:"|\\?$)')
_SECRET_NAME = re.compile(r"passw|secret|token|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key", re.I)
_OWN_KEY = re.compile(r"tr_[A-Za-z0-9_-]{20,}")
_BEARER = re.compile(r"\b(bearer|basic)\s{1,4}[A-Za-z0-9._~+/=-]{8,}", re.I)


def redacted(text: str) -> str:
    """Blank the values of secret-looking JSON fields, Toolroom's own keys and bearer tokens; also in cut JSON."""
    text = _FIELD.sub(_blank, text)
    text = _OWN_KEY.sub(REDACTED, text)
    # A function, not a template: Python 3.11 reads a template again on every call.
    return _BEARER.sub(lambda found: f"{found[1]} {REDACTED}", text)


def _blank(field: re.Match[str]) -> str:
    name, colon = field.groups()
    return f'"{name}"{colon}"{REDACTED}"' if _SECRET_NAME.search(name) else field[0]
