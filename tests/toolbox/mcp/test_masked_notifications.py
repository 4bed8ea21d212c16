"""Progress and log messages over MCP have their secrets masked, in both eras and in a task's row."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.mcp.client import _SdkSession
from toolbox.mcp.protocol_2025 import StreamedCall
from toolbox.mcp.task_worker import _LeasedChannel

SECRET = "zq9Marked-Secret7"
TEXT = f"connecting with password {SECRET}"
NOTIFICATIONS = [
    ("notifications/progress", {"progressToken": "a", "progress": 1, "message": TEXT}),
    ("notifications/message", {"level": "info", "logger": "toolroom", "data": TEXT}),
]


@pytest.mark.parametrize(("method", "params"), NOTIFICATIONS)
async def test_a_client_of_2025_gets_masked_texts(method: str, params: dict[str, Any]) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await StreamedCall(send, request_id="1", caller=LOCAL_OPERATOR).notify(method, params=params)

    assert "connecting" in str(sent)
    assert SECRET not in str(sent)


@pytest.mark.parametrize(("method", "params"), NOTIFICATIONS)
async def test_a_client_of_the_sdk_gets_masked_texts(method: str, params: dict[str, Any]) -> None:
    sent: list[Any] = []

    async def send_notification(notification: Any, **_: Any) -> None:
        sent.append(notification)

    session: Any = SimpleNamespace(session=SimpleNamespace(send_notification=send_notification), request_id=1)
    await _SdkSession(session).notify(method, params=params)

    assert "connecting" in str(sent)
    assert SECRET not in str(sent)


async def test_the_progress_of_a_task_is_stored_masked() -> None:
    channel = _LeasedChannel()
    lease: Any = SimpleNamespace(progress={})
    channel.lease = lease

    await channel.progress(1, total=2, message=TEXT)

    assert json.dumps(lease.progress) == '{"progress": "1 of 2: connecting with password [redacted]"}'
