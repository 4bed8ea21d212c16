"""A process in the middle of a writing call, for a test to kill. Takes a request id; prints when it is inside."""

import asyncio
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from toolbox.contract.caller import Caller  # noqa: E402
from toolbox.dispatch.entry import ActiveCall, Operation, Request, perform  # noqa: E402

CALLER = Caller(name="alice", scopes=frozenset({"linescore:write"}))
OPERATION = Operation(name="killed_write", domain="linescore", scope="linescore:write", writes=True)


async def never_ends(_: ActiveCall) -> None:
    """Print that the work has begun, and never end."""
    print("inside", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    request = Request(credential=CALLER, transport="test", request_id=sys.argv[1], arguments=b'{"a": 1}')
    asyncio.run(perform(OPERATION, request=request, work=never_ends))
