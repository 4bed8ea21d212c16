"""MCP's documents, prompts and completions: what domains offer beside tools, to callers who may read the domain."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import mcp_types as types
import orjson
from mcp.shared.exceptions import MCPError

from toolbox.callers import CallContext, Caller
from toolbox.client import CannotAsk, Client, InputNeeded, Interruption
from toolbox.contents import Document
from toolbox.encoding import encode
from toolbox.errors import ToolError
from toolbox.mcp_clients import Context, client_of, interim, missing
from toolbox.offers import Prompt, Readable
from toolbox.registry import Registry

MOST_COMPLETIONS = 100
Offer = TypeVar("Offer", Prompt, Readable)
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
    face: str
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
                           mime_type=one.mime_type)
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
                                   mime_type=one.mime_type)
            for one in _visible(self.registry.readables(domain=self.domain), caller=caller) if one.is_template
        ]  # fmt: skip
        return types.ListResourceTemplatesResult(resource_templates=shown)

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Give a document; one that is not there, or not for this caller, is an invalid parameter."""
        caller = await self.caller_of(ctx)
        for one in _visible(self.registry.readables(domain=self.domain), caller=caller):
            values = one.values(params.uri)
            content = await one.filled(values, client=self._listener(ctx, caller)) if values is not None else None
            if content is not None:
                document = Document.of(content, uri=params.uri, mime_type=one.mime_type)
                read = _plain({"contents": [document]}) | _caching(one)
                return types.ReadResourceResult.model_validate(read, by_name=False)
        raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list has them.", {"uri": params.uri})

    async def _list_prompts(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """List the prompts."""
        caller = await self.caller_of(ctx)
        return types.ListPromptsResult(
            prompts=[_prompt(one) for one in _visible(self.registry.prompts(domain=self.domain), caller=caller)]
        )

    async def _get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        """Fill a prompt in; one that has a question asks it as tools do."""
        caller = await self.caller_of(ctx)
        prompt = self._prompt(params.name, caller=caller)
        client = client_of(ctx, params=params, caller=caller)
        client.call = self._context(ctx, caller)
        try:
            messages = await prompt.messages(_checked(prompt, params.arguments or {}), client=client)
        except InputNeeded as turn:
            return interim(turn, ctx=ctx, client=client, caller=caller)
        except CannotAsk as error:
            raise missing(error) from error
        except (ToolError, Interruption) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        filled = _plain({"description": prompt.description, "messages": messages})
        return types.GetPromptResult.model_validate(filled, by_name=False)

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Complete an argument of a prompt or of a document's address; nothing where nobody knows."""
        caller = await self.caller_of(ctx)
        if isinstance(params.ref, types.PromptReference):
            offer: Prompt | Readable = self._prompt(params.ref.name, caller=caller)
        else:
            offer = self._template(params.ref.uri, caller=caller)
        completer = offer.completes.get(params.argument.name)
        chosen = (params.context.arguments if params.context else None) or {}
        values = list(await completer(params.argument.value, chosen)) if completer else []
        shown = types.Completion(
            values=values[:MOST_COMPLETIONS], total=len(values), has_more=len(values) > MOST_COMPLETIONS
        )
        return types.CompleteResult(completion=shown)

    def _prompt(self, name: str, *, caller: Caller) -> Prompt:
        for prompt in _visible(self.registry.prompts(domain=self.domain), caller=caller):
            if prompt.name == name:
                return prompt
        raise MCPError(types.INVALID_PARAMS, "There is no prompt of that name; prompts/list has them.")

    def _template(self, uri: str, *, caller: Caller) -> Readable:
        for one in _visible(self.registry.readables(domain=self.domain), caller=caller):
            if one.uri == uri:
                return one
        raise MCPError(types.INVALID_PARAMS, "There is no such resource template.", {"uri": uri})

    def _listener(self, ctx: Context, caller: Caller) -> Client:
        return Client(call=self._context(ctx, caller))

    def _context(self, ctx: Context, caller: Caller) -> CallContext:
        return CallContext(caller=caller, request_id=str(ctx.request_id), face=self.face)


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


def _caching(one: Readable) -> dict[str, Any]:
    return {"ttlMs": int(one.ttl_seconds * 1000), "cacheScope": "public" if one.is_public else "private"}


def _plain(value: object) -> dict[str, Any]:
    plain: dict[str, Any] = orjson.loads(encode(value))
    return plain
