"""The real server, and a door before it that knocks with a key for whoever brings none, as the official suite."""

import os

from starlette.types import Receive, Scope, Send

from config.asgi import application as toolroom

_KEY = os.environ["CONFORMANCE_KEY"].encode()


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Hand the request on, with the key."""
    if scope["type"] == "http" and b"authorization" not in dict(scope["headers"]):
        scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + _KEY)]}
    await toolroom(scope, receive, send)
