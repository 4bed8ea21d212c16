"""Remove secrets from text before it is stored."""

import json
import re
from contextlib import suppress
from typing import Any

import orjson

REDACTED = "[redacted]"
DEEPEST = 50

_SECRET_NAME = re.compile(r"passw|secret|token|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key", re.I)
_OWN_KEY = re.compile(r"tr[or]?_[A-Za-z0-9_-]{20,}|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")
_BEARER = re.compile(r"\b(bearer|basic)\s{1,4}[A-Za-z0-9._~+/=-]{8,}", re.I)
# Also for JSON that is cut, and keeps how the rest is written. Names are looked at 80 characters at most, so that no
# text makes the search quadratic.
_FIELD = re.compile(r'"([^"\\]{1,80})"(\s{0,20}:\s{0,20})(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^",\[\]{}\s]+)')

_TRACES = (
    "passw", "secret", "token", "key", "authorization", "credential", "cookie", "tr_", "tro_", "trr_", "eyj", "bearer",
    "basic", "\\",
)  # fmt: skip
"""One of these, in small letters, is in every text that any pattern above could change; or it hides a name."""


def redact(text: str) -> str:
    """Blank the values of secret-looking JSON fields, Toolroom's own keys, tokens of OAuth; also in cut JSON."""
    return text if _is_plain(text) else _redact_secrets(text)


def _is_plain(text: str) -> bool:
    """Tell at a tenth of the cost, as of most calls, that nothing is to be blanked."""
    if not text.isascii() or text.count("{") + text.count("[") > DEEPEST:
        return False
    lowered = text.lower()
    for trace in _TRACES:  # noqa: SIM110 - a generator costs more than the looks
        if trace in lowered:
            return False
    return True


def _redact_secrets(text: str) -> str:
    text = _FIELD.sub(_blank, text)
    with suppress(ValueError):
        parsed = orjson.loads(text)
        clean = _without_secrets(parsed, depth=0)
        text = text if clean == parsed else json.dumps(clean, ensure_ascii=False)
    text = _OWN_KEY.sub(REDACTED, text)
    # A function, not a template: Python 3.11 reads a template again on every call.
    return _BEARER.sub(lambda found: f"{found[1]} {REDACTED}", text)


def _without_secrets(value: Any, *, depth: int) -> Any:
    """Blank what stands under a secret-looking name, and whatever is nested deeper than anybody would look."""
    if not isinstance(value, dict | list):
        return value
    if depth > DEEPEST:
        return REDACTED
    if isinstance(value, list):
        return [_without_secrets(part, depth=depth + 1) for part in value]
    return {
        name: REDACTED if _SECRET_NAME.search(name) else _without_secrets(part, depth=depth + 1)
        for name, part in value.items()
    }


def _blank(field: re.Match[str]) -> str:
    name, colon = field[1], field[2]
    return f'"{name}"{colon}"{REDACTED}"' if _SECRET_NAME.search(name) else field[0]
