"""Call a tool as a transport does, and return the answer as Python objects."""

import json
from decimal import Decimal
from typing import Any

from toolbox.contract.caller import Caller
from toolbox.dispatch.dispatch import Call, dispatch

WHO = Caller(name="tests", scopes=frozenset({"*:read", "*:write"}), key_id=None, calls_per_minute=None)


async def ask(tool: str, /, **arguments: Any) -> tuple[int, Any]:
    """Return status and body; numbers as Decimals."""
    call = Call(
        tool=tool, arguments=json.dumps(arguments).encode(), credential=WHO, transport="rest", request_id="t" * 12
    )
    reply = await dispatch(call)
    return reply.status, json.loads(reply.body, parse_float=Decimal, parse_constant=refuse_constant)


def refuse_constant(name: str) -> None:
    """Refuse NaN and Infinity, which Python accepts and JSON does not have."""
    raise ValueError(f"{name} is not JSON")


async def good(tool: str, /, **arguments: Any) -> Any:
    """Return the body of an answer; fails for a refusal."""
    status, body = await ask(tool, **arguments)
    assert status == 200, body
    return body


async def good_floats(tool: str, /, **arguments: Any) -> Any:
    """Return the body of an answer with numbers as floats; fails for a refusal."""
    return as_floats(await good(tool, **arguments))


def as_floats(value: Any) -> Any:
    """Replace Decimals by floats at any depth."""
    if isinstance(value, dict):
        return {name: as_floats(part) for name, part in value.items()}
    if isinstance(value, list):
        return [as_floats(part) for part in value]
    return float(value) if isinstance(value, Decimal) else value


async def ask_refused(tool: str, /, **arguments: Any) -> tuple[str, int, Any]:
    """Return code, status and the error of a call; fails if it is answered."""
    status, body = await ask(tool, **arguments)
    assert set(body) == {"error"}, body
    assert set(body["error"]) == {"code", "message", "details"}
    return body["error"]["code"], status, body["error"]
