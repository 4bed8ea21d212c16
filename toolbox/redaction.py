"""Take secrets out of text before it is kept."""

import re

REDACTED = "[redacted]"

_SECRET_FIELD = re.compile(
    r'("[^"\\]*(?:passw|secret|token|api_?key|authorization|credential|cookie|private_?key)[^"\\]*"\s*:\s*)'
    r'"(?:[^"\\]|\\.)*(?:"|$)',
    re.IGNORECASE,
)
_OWN_KEY = re.compile(r"tr_[A-Za-z0-9_-]{20,}")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}")


def redacted(text: str) -> str:
    """Blank the values of secret-looking JSON fields, Toolroom's own keys and bearer tokens; also in cut JSON."""
    text = _SECRET_FIELD.sub(rf'\1"{REDACTED}"', text)
    text = _OWN_KEY.sub(REDACTED, text)
    return _BEARER.sub(rf"\1 {REDACTED}", text)
