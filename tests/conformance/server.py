"""The real server, and a door before it that knocks with a key: the official suite sends none."""

import os

from starlette.types import Receive, Scope, Send

from config.asgi import application as toolroom

_KEY = os.environ["CONFORMANCE_KEY"].encode()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Hand the request on, with the key."""
    if scope["type"] == "http":
        scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + _KEY)]}
    await toolroom(scope, receive, send)
