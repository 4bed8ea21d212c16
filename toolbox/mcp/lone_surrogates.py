r"""Half an emoji in an argument: JSON's grammar allows `\ud800` alone, strict readers do not."""

import json

import orjson


def split_lone_surrogates(body: bytes) -> tuple[bytes, bytes] | None:
    """
    Give a call without its arguments, and its arguments, still escaped; None where only they are not the trouble.

    So the tool refuses them in its contract's words, as over REST, and a model learns what to send.
    """
    if b"\\ud" not in body and b"\\uD" not in body:
        return None
    try:
        message = json.loads(body)
        arguments = message["params"].pop("arguments")
        return orjson.dumps(message), json.dumps(arguments).encode()
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return None
