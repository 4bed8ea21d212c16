"""Call a tool the way a transport does, and give the answer as Python."""

import json
from decimal import Decimal
from typing import Any

from toolbox.contract.caller import Caller
from toolbox.dispatch.dispatch import Call, dispatch

WHO = Caller(name="tests", scopes=frozenset({"*:read", "*:write"}), key_id=None, calls_per_minute=None)


async def ask(tool: str, /, **arguments: Any) -> tuple[int, Any]:
    """Give status and body; numbers as Decimals."""
    call = Call(
        tool=tool, arguments=json.dumps(arguments).encode(), credential=WHO, transport="rest", request_id="t" * 12
    )
    reply = await dispatch(call)
    return reply.status, json.loads(reply.body, parse_float=Decimal, parse_constant=refuse_constant)


def refuse_constant(name: str) -> None:
    """Refuse NaN and Infinity, which Python reads and JSON does not have."""
    raise ValueError(f"{name} is not JSON")


async def good(tool: str, /, **arguments: Any) -> Any:
    """Give the body of an answer that must be one."""
    status, body = await ask(tool, **arguments)
    assert status == 200, body
    return body


async def good_floats(tool: str, /, **arguments: Any) -> Any:
    """Give the body of an answer that must be one; numbers as floats."""
    return as_floats(await good(tool, **arguments))


def as_floats(value: Any) -> Any:
    """Put floats in place of Decimals, however deep."""
    if isinstance(value, dict):
        return {name: as_floats(part) for name, part in value.items()}
    if isinstance(value, list):
        return [as_floats(part) for part in value]
    return float(value) if isinstance(value, Decimal) else value


async def ask_refused(tool: str, /, **arguments: Any) -> tuple[str, int, Any]:
    """Give code, status and the error of a call that must be refused."""
    status, body = await ask(tool, **arguments)
    assert set(body) == {"error"}, body
    assert set(body["error"]) == {"code", "message", "details"}
    return body["error"]["code"], status, body["error"]
