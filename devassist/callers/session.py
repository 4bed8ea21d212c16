"""A language server on one workspace: started, indexed, notified of changes, stopped."""

import asyncio
import logging
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from urllib.parse import quote, unquote

import msgspec

from devassist.callers.client import Client, Gone, Refused, Silent
from devassist.callers.code import Code, Function
from devassist.callers.documents import Documents, choose_representatives, is_wanted
from devassist.callers.languages import LanguageServer, found_command
from devassist.callers.process import ServerProcess
from devassist.files import sources
from devassist.files.sources import Sources

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

_REST_SECONDS = 5.0
_LOOKED_AT = 50
_MADE, _CHANGED, _DELETED = 1, 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Timeouts of a server: to start and index, and to answer one request."""

    start_seconds: float = 180.0
    answer_seconds: float = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The environment of servers: placeholders in commands, environment variables, data folders."""

    places: Mapping[str, str]
    environment: Mapping[str, str]
    data: Path
    patience: Patience = Patience()

    def command(self, server: LanguageServer, *, data: str) -> list[str]:
        """Return the server's command on this machine. Raises NoCommand."""
        path = self.environment.get("PATH", os.defpath)
        return found_command(server, places={**self.places, "data": data}, path=path)


class Session:
    """
    A running server. `ready` is done when it has started and indexed, with an error when it could not.

    After `gone` is set nothing can be asked any more; its owner calls `end`.
    """

    def __init__(
        self,
        server: LanguageServer,
        *,
        root: str,
        machine: Machine,
        read: Callable[[str], bytes | None],
        starts: asyncio.Semaphore,
    ) -> None:
        self.server, self.root = server, root
        self._machine = machine
        self._read = read
        self._process: ServerProcess | None = None
        self._client: Client | None = None
        self._offers: dict[str, Any] = {}
        self._sources = sources.NONE
        self._documents = Documents(server, tell=self._tell, uri=self.uri, read=read)
        self._looking = asyncio.Lock()
        self._data: Path | None = None
        self._starts = starts
        self.ready = asyncio.create_task(self._begin())
        self.ready.add_done_callback(lambda done: done.cancelled() or done.exception())

    @property
    def is_gone(self) -> bool:
        """Return whether no request is possible any more."""
        return (self.ready.done() and (self.ready.cancelled() or self.ready.exception() is not None)) or (
            self._client is not None and self._client.gone is not None
        )

    @property
    def is_ready(self) -> bool:
        """Return whether it is running and has indexed."""
        return self.ready.done() and not self.is_gone

    @property
    def process_id(self) -> int | None:
        """The process id, if a process was started."""
        return self._process.id if self._process else None

    @property
    def has_call_hierarchy(self) -> bool:
        """Return whether it supports the call hierarchy."""
        return bool(self._offers.get("callHierarchyProvider"))

    async def ask(self, method: str, *, params: Mapping[str, Any], answer: type[Answer]) -> Answer:
        """Send a request. A server that is silent for too long is stopped. Raises Gone and Refused."""
        client = self._get_client()
        try:
            return await client.ask(method, params=params, answer=answer, seconds=self._machine.patience.answer_seconds)
        except Silent as silent:
            client.close("it hangs")
            raise Gone(str(silent)) from silent

    async def at_rest(self) -> bool:
        """Wait a little for the server's work in progress. Returns True if it is done."""
        return await self._get_client().wait_until_quiet(seconds=_REST_SECONDS)

    @property
    def is_busy(self) -> bool:
        """Return whether it reports work in progress."""
        return self._client is not None and self._client.is_busy

    async def place(self, path: str, *, line: int, character: int) -> dict[str, Any]:
        """Return a place as LSP parameters. The file is opened at the server first."""
        if self.server.opens != "nothing":
            await self._documents.show([path])
        return {"textDocument": {"uri": self.uri(path)}, "position": {"line": line, "character": character}}

    async def keep_up(self) -> Sources:
        """Notify the server of files that changed since the last call, and return the current files."""
        async with self._looking:
            found = await asyncio.to_thread(sources.look, self.root, wanted=partial(is_wanted, server=self.server))
            before, self._sources = self._sources, found
            made, changed, deleted = found.changes_since(before)
            if made or changed or deleted:
                self._tell_changes(made, changed=changed, deleted=deleted)
                await self._documents.refresh(changed, deleted=deleted)
                await self._documents.show(choose_representatives(made, among=found.files, server=self.server))
            return found

    async def show(self, paths: Sequence[str]) -> None:
        """Open the files at the server."""
        await self._documents.show(paths)

    def uri(self, path: str) -> str:
        """Return the URI of a file by its path in the workspace."""
        return "file://" + quote(os.path.join(self.root, path))  # noqa: PTH118  # stays text, as it must be sent

    def path(self, uri: str) -> str | None:
        """Return a file's path in the workspace, or None if it is outside."""
        if not uri.startswith("file://"):
            return None
        found = os.path.normpath(unquote(uri.removeprefix("file://")))
        inside = found.removeprefix(self.root.rstrip("/") + "/")
        return None if inside == found else inside

    async def end(self, why: str) -> None:
        """Stop the process and delete its files."""
        self.ready.cancel()
        if self._client:
            self._client.close(why)
            await self._client.wait_until_closed()
        if self._process:
            await self._process.end()
        if self._data:
            await asyncio.to_thread(shutil.rmtree, self._data, ignore_errors=True)

    async def _begin(self) -> None:
        try:
            async with self._starts, asyncio.timeout(self._machine.patience.start_seconds):
                await self._start()
                await self._index()
        except TimeoutError as late:
            raise Gone(f"it did not start within {self._machine.patience.start_seconds:g} s") from late
        except (Refused, Silent) as refused:
            raise Gone(str(refused)) from refused

    async def _start(self) -> None:
        self._data = self._machine.data / f"{self.server.name}-{os.getpid()}-{id(self):x}"
        command = self._machine.command(self.server, data=str(self._data))
        self._data.mkdir(parents=True, exist_ok=True)
        self._process = await ServerProcess.start(
            command,
            folder=str(self._data),
            environment={**self._machine.environment, "HOME": str(self._data)},
            most_megabytes=self.server.most_megabytes,
        )
        self._client = Client(
            reader=self._process.stdout,
            writer=self._process.stdin,
            configuration=self._get_setting,
            on_gone=self._log_end,
        )
        seconds = self._machine.patience.start_seconds
        told = await self._client.ask("initialize", params=self._introduction(), answer=dict[str, Any], seconds=seconds)
        offers = told.get("capabilities")
        self._offers = offers if isinstance(offers, dict) else {}
        self._client.tell("initialized", params={})

    async def _index(self) -> None:
        """Open the files, send one request that makes it read them all, and wait until it reports no progress."""
        files = (await self.keep_up()).files
        seconds = self._machine.patience.start_seconds
        if found := await asyncio.to_thread(self._any_function, sorted(files)):
            path, function = found
            at = await self.place(path, line=function.line, character=function.character)
            try:
                await self._try_out(at, seconds=seconds)
            except Refused as refused:
                logger.info("%s, about %s: %s", self.server.name, path, refused)
        await self._get_client().wait_until_quiet(seconds=seconds)

    async def _try_out(self, at: dict[str, Any], *, seconds: float) -> None:
        client = self._get_client()
        if not self.has_call_hierarchy:
            question = {**at, "context": {"includeDeclaration": False}}
            await client.ask("textDocument/references", params=question, answer=object, seconds=seconds)
            return
        items = await client.ask("textDocument/prepareCallHierarchy", params=at, answer=object, seconds=seconds)
        for item in items[:1] if isinstance(items, list) else ():
            await client.ask("callHierarchy/incomingCalls", params={"item": item}, answer=object, seconds=seconds)

    def _any_function(self, paths: Sequence[str]) -> tuple[str, Function] | None:
        for path in [path for path in paths if self.server.language_of(path)][:_LOOKED_AT]:
            text = self._read(path)
            code = Code.parse(text, path=path) if text else None
            if functions := code.functions() if code else []:
                return path, functions[0]
        return None

    def _introduction(self) -> dict[str, Any]:
        uri = "file://" + quote(self.root)
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "toolroom"},
            "rootUri": uri,
            "rootPath": self.root,
            "workspaceFolders": [{"uri": uri, "name": PurePosixPath(self.root).name}],
            "initializationOptions": msgspec.to_builtins(dict(self.server.options)),
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "window": {"workDoneProgress": True},
                "workspace": {
                    "configuration": True,
                    "workspaceFolders": True,
                    "didChangeWatchedFiles": {"dynamicRegistration": True},
                },
                "textDocument": {
                    "callHierarchy": {},
                    "references": {},
                    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                    "synchronization": {},
                },
            },
        }

    def _get_setting(self, section: str) -> object:
        return self.server.settings.get(section)

    def _get_client(self) -> Client:
        if self._client is None:
            raise Gone("it has not started")
        return self._client

    def _tell_changes(self, made: list[str], *, changed: list[str], deleted: list[str]) -> None:
        kinds = ((made, _MADE), (changed, _CHANGED), (deleted, _DELETED))
        changes = [{"uri": self.uri(path), "type": kind} for paths, kind in kinds for path in paths]
        self._tell("workspace/didChangeWatchedFiles", {"changes": changes})

    def _tell(self, method: str, params: dict[str, Any]) -> None:
        self._get_client().tell(method, params=params)

    def _log_end(self, why: str) -> None:
        complaints = list(self._process.complaints)[-3:] if self._process else []
        logger.info("the language server %s of %s: %s %s", self.server.name, self.root, why, complaints)
