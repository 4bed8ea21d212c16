"""MCP's resources, prompts and completions, for callers who may read the domain."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
import orjson
from mcp.shared.exceptions import MCPError

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import ClientChannel, InputRequired
from toolbox.contract.encoding import encode
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.contract.models import Document
from toolbox.contract.resources import Completer, CompletionRequest, Prompt, Resource
from toolbox.database.event_loop import run_on_loop
from toolbox.dispatch.entry import ActiveCall
from toolbox.mcp.client import Context, make_client_channel, render_input_required
from toolbox.mcp.requests import ContinueWithResult

logger = logging.getLogger(__name__)

MAX_COMPLETIONS = 100
MAX_TYPED_CHARACTERS = 200
COMPLETION_SECONDS = 3.0
Offer = TypeVar("Offer", Prompt, Resource)


@dataclass(frozen=True, kw_only=True)
class ResourceHandlers:
    """The handlers of one server, for all domains or one."""

    registry: Registry
    domain: str | None

    def by_name(self) -> dict[str, Any]:
        """Return the handlers by the SDK's names."""
        return {
            "on_list_resources": self._list_resources,
            "on_list_resource_templates": self._list_templates,
            "on_read_resource": self._read_resource,
            "on_list_prompts": self._list_prompts,
            "on_get_prompt": self._get_prompt,
            "on_completion": self._complete,
        }

    async def _list_resources(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """List the resources with a fixed URI."""
        resources = [
            types.Resource(
                name=one.name,
                title=one.title,
                uri=one.uri,
                description=one.description,
                mime_type=one.mime_type,
                size=one.measure() if one.measure else None,
            )
            for one in self._visible_resources(ctx)
            if not one.is_template
        ]
        return types.ListResourcesResult(resources=resources)

    async def _list_templates(
        self, ctx: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """List the resource templates, with their time to live and maximum size."""
        templates = [
            types.ResourceTemplate(
                name=one.name,
                title=one.title,
                uri_template=one.uri,
                description=one.description,
                mime_type=one.mime_type,
                _meta={"ttlMs": int(one.ttl_seconds * 1000), "mostBytes": one.most_bytes},
            )
            for one in self._visible_resources(ctx)
            if one.is_template
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def _read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Return a resource; one that does not exist, or not for this caller, is an invalid parameter."""
        call: ActiveCall = ctx.lifespan_context
        uri, client = params.uri, ClientChannel(call=call.context)
        for one in self._visible_resources(ctx):
            values = one.values(uri)
            if values is None:
                continue
            call.domain = one.domain
            content = await run_on_loop(partial(one.call, values, client=client))
            if content is None:
                continue
            size = len(content.encode("utf-8", "replace") if isinstance(content, str) else content)
            if size > one.most_bytes:
                message = f"The document has {size:,} bytes; at most {one.most_bytes:,} are given."
                raise MCPError(types.INVALID_PARAMS, f"{message} Call a tool for a part of it.", {"uri": uri})
            call.answer_bytes = size
            document = Document.from_content(content, uri=uri, mime_type=one.mime_type)
            scope = "public" if one.is_public else "private"
            caching = {"ttlMs": int(one.ttl_seconds * 1000), "cacheScope": scope}
            result = orjson.loads(encode({"contents": [document]})) | caching
            return types.ReadResourceResult.model_validate(result, by_name=False)
        raise MCPError(types.INVALID_PARAMS, "There is no such resource; resources/list has them.", {"uri": uri})

    async def _list_prompts(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """List the prompts."""
        await dynamic_tools.wait_until_loaded()
        prompts = [_describe_prompt(one) for one in self._visible_prompts(ctx)]
        return types.ListPromptsResult(prompts=prompts)

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Fill in a prompt; it may ask the client questions as tools do."""
        call: ActiveCall = ctx.lifespan_context
        await dynamic_tools.wait_until_loaded()
        client = make_client_channel(ctx, params=params, caller=call.caller)
        client.call, client.deadline = call.context, call.deadline
        prompt, values = self._find_prompt(params.name, ctx=ctx), params.arguments or {}
        call.domain = prompt.domain
        _check_arguments(prompt, values)
        try:
            messages = await run_on_loop(partial(prompt.messages, values, client=client))
        except InputRequired as continuation:
            result = render_input_required(continuation, ctx=ctx, client=client, caller=call.caller)
            raise ContinueWithResult(result) from continuation
        body = encode({"description": prompt.description, "messages": messages})
        call.answer_bytes = len(body)
        return types.GetPromptResult.model_validate(orjson.loads(body), by_name=False)

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Complete an argument of a prompt or resource template; empty if it has no completer."""
        await dynamic_tools.wait_until_loaded()
        if isinstance(params.ref, types.PromptReference):
            offer: Prompt | Resource = self._find_prompt(params.ref.name, ctx=ctx)
        else:
            offer = self._find_template(params.ref.uri, ctx=ctx)
        completer = offer.completes.get(params.argument.name)
        chosen = (params.context.arguments if params.context else None) or {}
        typed = CompletionRequest(text=params.argument.value, chosen=chosen, caller=ctx.lifespan_context.caller)
        values = await _find_completions(completer, typed) if completer else []
        completion = types.Completion(values=values[:MAX_COMPLETIONS], has_more=len(values) > MAX_COMPLETIONS)
        return types.CompleteResult(completion=completion)

    def _find_prompt(self, name: str, *, ctx: Context) -> Prompt:
        for prompt in self._visible_prompts(ctx):
            if prompt.name == name:
                return prompt
        raise MCPError(types.INVALID_PARAMS, "There is no prompt of that name; prompts/list has them.")

    def _find_template(self, uri: str, *, ctx: Context) -> Resource:
        for one in self._visible_resources(ctx):
            if one.uri == uri:
                return one
        raise MCPError(types.INVALID_PARAMS, "There is no such resource template.", {"uri": uri})

    def _visible_resources(self, ctx: Context) -> Iterable[Resource]:
        return _visible(self.registry.resources(domain=self.domain), caller=ctx.lifespan_context.caller)

    def _visible_prompts(self, ctx: Context) -> Iterable[Prompt]:
        return _visible(self.registry.prompts(domain=self.domain), caller=ctx.lifespan_context.caller)


async def _find_completions(completer: Completer, typed: CompletionRequest) -> list[str]:
    """Return the completions; empty on any failure, because a completion is only a help."""
    if any("\0" in text or len(text) > MAX_TYPED_CHARACTERS for text in (typed.text, *typed.chosen.values())):
        return []

    async def complete() -> list[str]:
        return list(await completer(typed))

    try:
        async with asyncio.timeout(COMPLETION_SECONDS):
            return await run_on_loop(complete)
    except (ToolError, DatabaseUnavailable, TimeoutError):
        return []
    except Exception:  # the entry point of completions: logged here, and nothing is completed
        logger.exception("a completion failed")
        return []


def _visible(offers: Iterable[Offer], *, caller: Caller) -> Iterable[Offer]:
    return (offer for offer in offers if caller.has(offer.scope))


def _describe_prompt(prompt: Prompt) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=one.name, description=one.description, required=one.is_required)
        for one in prompt.arguments
    ]
    return types.Prompt(
        name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments or None
    )


def _check_arguments(prompt: Prompt, values: dict[str, str]) -> None:
    known = {one.name: one for one in prompt.arguments}
    missing = [name for name, one in known.items() if one.is_required and name not in values]
    unknown = [name for name in values if name not in known]
    if missing or unknown:
        problem = f"{missing[0]} is missing" if missing else f"there is no {unknown[0][:64]}"
        raise MCPError(types.INVALID_PARAMS, f"{prompt.name}: {problem}. It takes: {', '.join(known) or 'nothing'}.")
