"""
MCP's documents, prompts and completions: what domains offer beside tools, to callers who may read the domain.

Reading a document and getting a prompt leave an audit row each; lists and completions none.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import mcp_types as types
import orjson
from mcp.shared.exceptions import MCPError

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import CallContext, Caller
from toolbox.contract.client_channel import ClientChannel, InputRequired
from toolbox.contract.contents import Document
from toolbox.contract.encoding import encode
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.contract.resources import Completer, Prompt, Resource, Typed
from toolbox.database.event_loop import run_on_loop
from toolbox.mcp.client import Context, get_request_id, make_client_channel, render_input_required
from toolbox.mcp.requests import Entry, recorded

logger = logging.getLogger(__name__)

MAX_COMPLETIONS = 100
MAX_TYPED = 200
COMPLETION_SECONDS = 3.0
Offer = TypeVar("Offer", Prompt, Resource)
Handler = Any


class CallerOf(Protocol):
    """Finds out who asks; raises the protocol's error for nobody."""

    async def __call__(self, ctx: Context, /) -> Caller:
        """Give the caller."""


@dataclass(frozen=True, kw_only=True)
class Offers:
    """The handlers of one server: all domains', or one's."""

    registry: Registry
    caller_of: CallerOf
    transport: str
    domain: str | None

    def handlers(self) -> dict[str, Handler]:
        """Give the handlers by the SDK's names."""
        return {
            "on_list_resources": self._list_readables,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read,
            "on_list_prompts": self._list_prompts,
            "on_get_prompt": self._get_prompt,
            "on_completion": self._complete,
        }

    async def _list_readables(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """List the documents that have an address of their own."""
        caller = await self.caller_of(ctx)
        shown = [
            types.Resource(name=one.name, title=one.title, uri=one.uri, description=one.description,
                           mime_type=one.mime_type, size=one.measure() if one.measure else None)
            for one in _visible(self.registry.readables(domain=self.domain), caller=caller) if not one.is_template
        ]  # fmt: skip
        return types.ListResourcesResult(resources=shown)

    async def _list_templates(
        self, ctx: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List the documents whose address is filled in."""
        caller = await self.caller_of(ctx)
        shown = [
            types.ResourceTemplate(name=one.name, title=one.title, uri_template=one.uri, description=one.description,
                                   mime_type=one.mime_type, _meta=_limits(one))
            for one in _visible(self.registry.readables(domain=self.domain), caller=caller) if one.is_template
        ]  # fmt: skip
        return types.ListResourceTemplatesResult(resource_templates=shown)

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Give a document; one that is not there, or not for this caller, is an invalid parameter."""
        caller = await self.caller_of(ctx)
        entry = self._entry("resources/read", {"uri": params.uri}, ctx=ctx, caller=caller)
        client = ClientChannel(call=self._context(entry))
        one, content = await recorded(entry, work=lambda: self._found(params.uri, entry=entry, client=client))
        document = Document.of(content, uri=params.uri, mime_type=one.mime_type)
        read = _plain({"contents": [document]}) | _caching(one)
        return types.ReadResourceResult.model_validate(read, by_name=False)

    async def _found(self, uri: str, *, entry: Entry, client: ClientChannel) -> tuple[Resource, str | bytes]:
        for one in _visible(self.registry.readables(domain=self.domain), caller=entry.caller):
            values = one.values(uri)
            if values is None:
                continue
            entry.domain = one.domain
            content = await one.filled(values, client=client)
            if content is not None:
                entry.size = _size(content, of=one, uri=uri)
                return one, content
        raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list has them.", {"uri": uri})

    async def _list_prompts(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """List the prompts."""
        caller = await self.caller_of(ctx)
        await dynamic_tools.ready()
        return types.ListPromptsResult(
            prompts=[_prompt(one) for one in _visible(self.registry.prompts(domain=self.domain), caller=caller)]
        )

    async def _get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Fill a prompt in; one that has a question asks it as tools do."""
        caller = await self.caller_of(ctx)
        await dynamic_tools.ready()
        given = params.arguments or {}
        entry = self._entry("prompts/get", {"name": params.name, "arguments": given}, ctx=ctx, caller=caller)
        client = make_client_channel(ctx, params=params, caller=caller)
        client.call = self._context(entry)
        try:
            filled = await recorded(entry, work=lambda: self._filled(params.name, given, entry=entry, client=client))
        except InputRequired as continuation:
            return render_input_required(continuation, ctx=ctx, client=client, caller=caller)
        return types.GetPromptResult.model_validate(filled, by_name=False)

    async def _filled(self, name: str, given: dict[str, str], *, entry: Entry, client: ClientChannel) -> dict[str, Any]:
        prompt = self._prompt(name, caller=entry.caller)
        entry.domain = prompt.domain
        messages = await prompt.messages(_checked(prompt, given), client=client)
        body = encode({"description": prompt.description, "messages": messages})
        entry.size = len(body)
        filled: dict[str, Any] = orjson.loads(body)
        return filled

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Complete an argument of a prompt or of a document's address; nothing where nobody knows."""
        caller = await self.caller_of(ctx)
        await dynamic_tools.ready()
        if isinstance(params.ref, types.PromptReference):
            offer: Prompt | Resource = self._prompt(params.ref.name, caller=caller)
        else:
            offer = self._template(params.ref.uri, caller=caller)
        completer = offer.completes.get(params.argument.name)
        chosen = (params.context.arguments if params.context else None) or {}
        typed = Typed(text=params.argument.value, chosen=chosen, caller=caller)
        values = await _completed(completer, typed) if completer else []
        shown = types.Completion(values=values[:MAX_COMPLETIONS], has_more=len(values) > MAX_COMPLETIONS)
        return types.CompleteResult(completion=shown)

    def _prompt(self, name: str, *, caller: Caller) -> Prompt:
        for prompt in _visible(self.registry.prompts(domain=self.domain), caller=caller):
            if prompt.name == name:
                return prompt
        raise MCPError(types.INVALID_PARAMS, "There is no prompt of that name; prompts/list has them.")

    def _template(self, uri: str, *, caller: Caller) -> Resource:
        for one in _visible(self.registry.readables(domain=self.domain), caller=caller):
            if one.uri == uri:
                return one
        raise MCPError(types.INVALID_PARAMS, "There is no such resource template.", {"uri": uri})

    def _entry(self, method: str, about: dict[str, Any], *, ctx: Context, caller: Caller) -> Entry:
        return Entry(
            method=method, about=about, caller=caller, transport=self.transport, request_id=get_request_id(ctx)
        )

    def _context(self, entry: Entry) -> CallContext:
        return CallContext(caller=entry.caller, request_id=entry.request_id, transport=self.transport)


async def _completed(completer: Completer, typed: Typed) -> list[str]:
    """Give what fits; nothing where it cannot be found out: a completion is a help, no answer."""
    given = (typed.text, *typed.chosen.values())
    if any("\0" in text or len(text) > MAX_TYPED for text in given):
        return []
    try:
        async with asyncio.timeout(COMPLETION_SECONDS):
            return list(await run_on_loop(lambda: _awaited(completer, typed)))
    except (ToolError, DatabaseUnavailable, TimeoutError):
        return []
    except Exception:  # the entry point of completions: logged here, and nothing is completed
        logger.exception("a completion failed")
        return []


async def _awaited(completer: Completer, typed: Typed) -> Sequence[str]:
    return await completer(typed)


def _size(content: str | bytes, *, of: Resource, uri: str) -> int:
    """Count the bytes; raises MCPError where they are too many."""
    size = len(content.encode("utf-8", "replace") if isinstance(content, str) else content)
    if size > of.most_bytes:
        said = f"The document has {size:,} bytes; at most {of.most_bytes:,} are given. Call a tool for a part of it."
        raise MCPError(types.INVALID_PARAMS, said, {"uri": uri})
    return size


def _visible(offers: Iterable[Offer], *, caller: Caller) -> Iterable[Offer]:
    return (offer for offer in offers if caller.has(offer.scope))


def _prompt(prompt: Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=one.name, description=one.description, required=one.is_required)
        for one in prompt.arguments
    ]
    return types.Prompt(
        name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments or None
    )


def _checked(prompt: Prompt, given: dict[str, str]) -> dict[str, str]:
    known = {one.name: one for one in prompt.arguments}
    lacking = [name for name, one in known.items() if one.is_required and name not in given]
    unknown = [name for name in given if name not in known]
    if lacking or unknown:
        wrong = f"{lacking[0]} is missing" if lacking else f"there is no {unknown[0][:64]}"
        raise MCPError(types.INVALID_PARAMS, f"{prompt.name}: {wrong}. It takes: {', '.join(known) or 'nothing'}.")
    return given


def _limits(one: Resource) -> dict[str, Any]:
    """Say of a template's documents how long they keep and how large they may be."""
    return {"ttlMs": int(one.ttl_seconds * 1000), "mostBytes": one.most_bytes}


def _caching(one: Resource) -> dict[str, Any]:
    return {"ttlMs": int(one.ttl_seconds * 1000), "cacheScope": "public" if one.is_public else "private"}


def _plain(value: object) -> dict[str, Any]:
    plain: dict[str, Any] = orjson.loads(encode(value))
    return plain
