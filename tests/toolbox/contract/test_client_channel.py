"""The other end of a call: who can be asked, how, and what waiting for a person costs."""

import asyncio
from typing import Any

import pytest

from toolbox.contract.client_channel import (
    BecomeTask,
    ClientChannel,
    ClientRequest,
    ConnectedChannel,
    InputRequired,
    MissingCapability,
    RetriedCall,
    make_form_request,
    make_roots_request,
)

NAME = make_form_request("Who?", fields={"name": {"type": "string"}})
GIVEN = {"action": "accept", "content": {"name": "Ada"}}


async def test_a_client_that_declared_nothing_is_asked_nothing() -> None:
    with pytest.raises(MissingCapability) as refused:
        await ClientChannel().ask({"name": NAME})

    assert refused.value.lacking == {"elicitation": {}}


async def test_who_calls_again_is_asked_only_what_is_not_answered_yet() -> None:
    client = RetriedCall(capabilities={"elicitation": {}, "roots": {}}, answers={"name": GIVEN})

    with pytest.raises(InputRequired) as asked:
        await client.ask({"name": NAME, "folders": make_roots_request()})

    assert list(asked.value.client_requests) == ["folders"]
    assert await client.ask({"name": NAME}) == {"name": GIVEN}


async def test_a_person_who_thinks_longer_than_the_deadline_is_waited_for() -> None:
    async def thinks(_: ClientRequest) -> dict[str, Any]:
        await asyncio.sleep(0.05)
        return GIVEN

    client = ConnectedChannel(capabilities={"elicitation": {}}, send=thinks)
    async with asyncio.timeout(0.01) as client.deadline:
        answers = await client.ask({"name": NAME})
        assert client.deadline.when() is not None

    assert answers == {"name": GIVEN}


async def test_only_a_client_that_knows_tasks_gets_one() -> None:
    await RetriedCall().continue_as_task()

    with pytest.raises(MissingCapability):
        await RetriedCall().continue_as_task(required=True)
    with pytest.raises(BecomeTask):
        await RetriedCall(capabilities={"extensions": {"io.modelcontextprotocol/tasks": {}}}).continue_as_task()


async def test_messages_below_the_wanted_level_and_progress_nobody_asked_for_are_not_sent() -> None:
    sent = []

    async def notify(method: str, *, params: dict[str, Any]) -> None:
        sent.append((method, params.get("data")))

    client = ClientChannel(notify=notify, log_level="warning")
    await client.log("fine")
    await client.log("not fine", level="error")
    await client.progress(1)

    assert sent == [("notifications/message", "not fine")]
