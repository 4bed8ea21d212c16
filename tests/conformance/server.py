"""The real server behind a middleware that adds a key to requests without one, since the official suite sends none."""

import os

from starlette.types import Receive, Scope, Send

from config.asgi import application as toolroom

_KEY = os.environ["CONFORMANCE_KEY"].encode()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Pass the request on, with the key."""
    if scope["type"] == "http" and b"authorization" not in dict(scope["headers"]):
        scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + _KEY)]}
    await toolroom(scope, receive, send)
