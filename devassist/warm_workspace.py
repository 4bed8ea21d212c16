"""Our own tool `warm_workspace`: start the language servers and build the code graph of a workspace."""

import asyncio

from devassist.code_graph.freshness import ensure_graph
from devassist.code_graph.queries import read_build
from devassist.contracts.warm_workspace import WarmQuestion, WarmServer, WarmWorkspace
from devassist.warmer import WarmResult, warm
from devassist.workspaces import KnownWorkspace, workspace_for
from toolbox.contract.client_channel import ClientChannel

TELL_SECONDS = 1.0
GRAPH_ROUNDS = 50


async def warm_workspace(ask: WarmQuestion, *, client: ClientChannel) -> WarmWorkspace:
    """Warm the servers of the process that answers, reporting progress every second; no task: see design."""
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
    """Wait until the graph is current. Returns False if it takes too long."""
    for _ in range(GRAPH_ROUNDS):
        fresh = await ensure_graph(
            workspace.id, root=workspace.root, shows_secrets=workspace.shows_secrets, seconds=TELL_SECONDS
        )
        if fresh.is_current:
            return True
        await asyncio.sleep(TELL_SECONDS)
    return False


def _server(one: WarmResult) -> WarmServer:
    return WarmServer(
        server=one.server.name, files=one.files, is_ready=not one.failure, seconds=round(one.seconds, 1),
        failure=one.failure or None,
    )  # fmt: skip
