"""
What is wrong with a message before anybody asks what it says: many at once, a name that comes twice, an id of no kind.

The SDK takes the last of two values, and a request with such an id for a notification, which nobody answers.
"""

from typing import Any

import orjson

from toolbox.dispatch.dispatch import Reply
from toolbox.dispatch.duplicate_keys import DuplicateKey, parse_json_strictly

INVALID_REQUEST = -32600
_SHOWN = 80


def find_message_error(body: bytes) -> Reply | None:
    """Give the protocol's own error for such a message; None for others, and for no JSON, as the SDK says."""
    try:
        message = parse_json_strictly(body)
    except DuplicateKey as twice:
        return _refusal(f"{_short(str(twice))} comes twice in an object. Send it once.")
    except (ValueError, RecursionError):
        return None
    if isinstance(message, list):
        return _refusal("Messages come one at a time; batches were taken out of the protocol.")
    if not isinstance(message, dict):
        return _refusal("A message is a JSON object.")
    if "method" in message and "id" in message and not _is_id(message["id"]):
        return _refusal("The id of a request is a text or a whole number.")
    return None


def _is_id(given: Any) -> bool:
    return isinstance(given, int | str) and not isinstance(given, bool)


def _short(name: str) -> str:
    return repr(name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…").encode("utf-8", "replace").decode()


def _refusal(message: str) -> Reply:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": INVALID_REQUEST, "message": message}}
    return Reply(body=orjson.dumps(body), status=400)
