"""A workspace's language servers made ready by a tool: `warm_workspace`, one of our own."""

import asyncio

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from devassist.contracts.places import WORKSPACE, WorkspaceName
from devassist.warming import Warmed, warm
from devassist.workspaces import workspace_for
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.models import ToolInput, ToolOutput

WARMING_SECONDS = 120.0
TELL_SECONDS = 1.0


class WarmQuestion(ToolInput):
    """Which workspace."""

    workspace: WorkspaceName | None = WORKSPACE


class WarmServer(ToolOutput):
    """How one language server fared."""

    model_config = ConfigDict(alias_generator=to_camel)

    server: str = Field(description="The server's name.")
    files: int = Field(description="How many files of the workspace it is asked about.")
    is_ready: bool = Field(description="It has indexed, and answers.")
    seconds: float = Field(description="How long that took.")
    failure: str | None = Field(None, description="Why it is not ready.")


class WarmWorkspace(ToolOutput):
    """The workspace's language servers."""

    workspace: str = Field(description="The workspace.")
    servers: list[WarmServer] = Field(description="Each server that its files' questions go to.")


async def warmed(ask: WarmQuestion, *, client: ClientChannel) -> WarmWorkspace:
    """Warm the servers of the process that answers, telling every second that it is at work; no task: see design."""
    workspace = await workspace_for(client.caller, named=ask.workspace)
    warming = asyncio.ensure_future(warm(workspace.root))
    waited = 0
    try:
        while not (await asyncio.wait([warming], timeout=TELL_SECONDS))[0]:
            waited += 1
            await client.progress(waited, message="language servers are indexing")
        return WarmWorkspace(workspace=workspace.name, servers=[_server(one) for one in warming.result()])
    finally:
        warming.cancel()


def _server(one: Warmed) -> WarmServer:
    return WarmServer(
        server=one.server.name, files=one.files, is_ready=not one.failure, seconds=round(one.seconds, 1),
        failure=one.failure or None,
    )  # fmt: skip
