"""Warming of every workspace in advance: starts language servers and builds code graphs."""

import asyncio
import logging
import os
from collections import Counter
from dataclasses import dataclass

from django.conf import settings

from devassist.callers.client import Gone
from devassist.callers.languages import LanguageServer, NoCommand, server_for
from devassist.callers.servers import NotNow
from devassist.code_graph.freshness import ensure_graph
from devassist.files import sources
from devassist.find_callers import get_caller_search, known_servers
from devassist.workspaces import workspaces
from toolbox.contract.errors import DatabaseUnavailable
from toolbox.database import event_loop

logger = logging.getLogger(__name__)

LOOK_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmResult:
    """The result of warming one server on one workspace. `failure` is empty if it is ready."""

    server: LanguageServer
    files: int
    seconds: float
    failure: str = ""


class Warmer:
    """Finds workspaces that are new to this process and warms them. The serving process starts it."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None
        self._known: set[tuple[int, str]] = set()
        event_loop.on_shutdown(self.close)

    def start(self) -> None:
        """Start on the event loop. A workspace that is added later is seen within seconds."""
        if settings.DEVASSIST_WARM and self._task is None:
            self._task = asyncio.create_task(self._look_on())

    async def close(self) -> None:
        """Stop looking."""
        task, self._task = self._task, None
        self._known.clear()
        if task:
            task.cancel()
            await asyncio.wait([task])

    async def _look_on(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except DatabaseUnavailable as away:
                logger.info("workspaces are not warmed for now: %s", away)
            except Exception:  # the next look must come; logged here
                logger.exception("a workspace could not be warmed")

    async def look(self) -> None:
        """Warm what is new, the default workspace first, up to the maximum number of running servers."""
        rows = sorted(await workspaces(), key=lambda row: not row.is_default)
        for row in rows:
            if (row.id, row.root) in self._known or len(
                get_caller_search().servers.list_running()
            ) >= settings.DEVASSIST_MOST_SERVERS:
                continue
            self._known.add((row.id, row.root))
            await ensure_graph(row.id, root=row.root, shows_secrets=row.shows_secrets, seconds=0)
            await warm(row.root)


async def warm(root: str) -> list[WarmResult]:
    """Start the servers of a workspace's languages and wait until they have indexed. Runs on the event loop."""
    real = await asyncio.to_thread(os.path.realpath, root)
    found = await asyncio.to_thread(sources.look, real, wanted=_is_source)
    counted = Counter(server_for(path, servers=known_servers()) for path in found.files)
    return [await _warm(server, root=real, files=files) for server, files in counted.items() if server]


async def _warm(server: LanguageServer, *, root: str, files: int) -> WarmResult:
    loop = asyncio.get_running_loop()
    began, failure = loop.time(), ""
    try:
        search = get_caller_search()
        session = search.servers.session(server, root=root, read=search.get_source_files(root).text)
        await asyncio.shield(session.ready)
    except NoCommand:
        failure = f"not installed; get it by: {server.install}"
    except (Gone, NotNow) as gone:
        failure = str(gone)
    return WarmResult(server=server, files=files, seconds=loop.time() - began, failure=failure)


def _is_source(path: str) -> bool:
    return any(server.language_of(path) for server in known_servers())


warming = Warmer()
