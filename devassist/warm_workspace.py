"""A workspace's language servers and code graph made ready by a tool: `warm_workspace`, one of our own."""

import asyncio

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from devassist.code_graph.freshness import ensure_graph
from devassist.code_graph.queries import read_build
from devassist.contracts.places import WORKSPACE, WorkspaceName
from devassist.warming import Warmed, warm
from devassist.workspaces import KnownWorkspace, workspace_for
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.models import ToolInput, ToolOutput

WARMING_SECONDS = 120.0
TELL_SECONDS = 1.0
GRAPH_ROUNDS = 50


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
    """The workspace's language servers, and its code graph."""

    model_config = ConfigDict(alias_generator=to_camel)

    workspace: str = Field(description="The workspace.")
    graph_is_ready: bool = Field(description="The code graph describes the files as they are.")
    servers: list[WarmServer] = Field(description="Each server that its files' questions go to.")


async def warmed(ask: WarmQuestion, *, client: ClientChannel) -> WarmWorkspace:
    """Warm the servers of the process that answers, telling every second that it is at work; no task: see design."""
    workspace = await workspace_for(client.caller, named=ask.workspace)
    warming = asyncio.ensure_future(asyncio.gather(warm(workspace.root), _finish_graph(workspace)))
    waited = 0
    try:
        while not (await asyncio.wait([warming], timeout=TELL_SECONDS))[0]:
            waited += 1
            row = await read_build(workspace.id)
            graph = f"; code graph: {row.state}, {row.files_done} of {row.files_total}" if row else ""
            await client.progress(waited, message=f"language servers are indexing{graph}")
        servers, is_ready = warming.result()
        return WarmWorkspace(
            workspace=workspace.name, graph_is_ready=is_ready, servers=[_server(one) for one in servers]
        )
    finally:
        warming.cancel()


async def _finish_graph(workspace: KnownWorkspace) -> bool:
    """Wait until the graph is current; False where it takes too long."""
    for _ in range(GRAPH_ROUNDS):
        fresh = await ensure_graph(
            workspace.id, root=workspace.root, shows_secrets=workspace.shows_secrets, seconds=TELL_SECONDS
        )
        if fresh.is_current:
            return True
        await asyncio.sleep(TELL_SECONDS)
    return False


def _server(one: Warmed) -> WarmServer:
    return WarmServer(
        server=one.server.name, files=one.files, is_ready=not one.failure, seconds=round(one.seconds, 1),
        failure=one.failure or None,
    )  # fmt: skip
