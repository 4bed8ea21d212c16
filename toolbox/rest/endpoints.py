"""REST: each tool as a django-ninja operation with address, schema and statuses; dispatch() does the work."""

from http import HTTPStatus
from typing import Any

import orjson
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI, Router
from ninja.openapi.schema import OpenAPISchema

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import Registry, registry
from toolbox.contract.errors import KERNEL_CODES, KERNEL_ENVELOPE, Schema
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.http.django_requests import (
    TRANSPORT,
    find_credential,
    find_request_id,
    find_upstream_credentials,
    read_body,
    to_response,
)
from toolbox.http.headers import refuse_method


def tools_router(registry: Registry) -> Router:
    """Build `POST /<domain>/<tool>` for every tool; any other address is refused in the kernel's envelope."""
    router = Router()
    others = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"]
    for tool in registry.tools():
        address = f"/{tool.domain}/{tool.name}"
        router.add_api_operation(address, others, _not_allowed, auth=None, include_in_schema=False)
        router.add_api_operation(
            address,
            ["POST"],
            _operation(domain=tool.domain, name=tool.name),
            auth=None,
            tags=[tool.domain],
            operation_id=tool.name,
            summary=tool.title,
            description=tool.documentation,
            openapi_extra=openapi(tool),
            response=None,
        )
    nothing = _operation(domain="", name="")
    router.add_api_operation("/", ["POST"], nothing, auth=None, include_in_schema=False)
    router.add_api_operation("/", others, _not_allowed, auth=None, include_in_schema=False)
    router.add_api_operation("/{path:rest}", ["POST"], _unknown, auth=None, include_in_schema=False)
    router.add_api_operation("/{path:rest}", others, _not_allowed_there, auth=None, include_in_schema=False)
    return router


class ToolsAPI(NinjaAPI):
    """A NinjaAPI whose OpenAPI page also lists the dynamic tools that everyone may see."""

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """Describe every operation; dynamic tools are added under `/tools/<domain>/<tool>`."""
        root = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        schema = super().get_openapi_schema(path_prefix=root, path_params=path_params)
        # Not by `openapi_extra`, whose components django-ninja overwrites with its own.
        schema["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        event_loop.run(dynamic_tools.wait_until_loaded())
        for tool in registry.tools():
            described = schema["paths"].get(f"/{root.strip('/')}/tools/{tool.domain}/{tool.name}", {})
            described.get("post", {}).update(description=tool.description)  # with the current figures
        for tool in registry.dynamic_tools():
            if tool.is_visible_to:
                continue  # the page is public
            named = {"operationId": tool.name, "summary": tool.title, "description": tool.description}
            address = f"/{root.strip('/')}/tools/{tool.domain}/{tool.name}"
            schema["paths"][address] = {"post": {**named, "tags": [tool.domain], **openapi(tool)}}
        return schema


def openapi(tool: Tool) -> dict[str, Any]:
    """Describe the operation for OpenAPI: the parameters with the example, and a body for every status."""
    content = {"schema": tool.input_schema, "example": orjson.loads(tool.example_arguments)}
    responses: dict[int, Any] = {200: _response("The answer.", tool.success_schema)}
    for status in sorted({code.status for code in (*tool.codes, *KERNEL_CODES)}):
        own = [code for code in tool.codes if code.status == status]
        kernel = [code for code in KERNEL_CODES if code.status == status]
        schemas = [tool.envelope.refusal_schema()] if own else []
        if status == HTTPStatus.OK:  # the contract reports failures within the answer
            schemas.insert(0, tool.success_schema)
        if kernel and KERNEL_ENVELOPE.refusal_schema() not in schemas:
            schemas.append(KERNEL_ENVELOPE.refusal_schema())
        meanings = " ".join(f"`{code.code}`: {code.meaning}" for code in (*own, *kernel))
        responses[status] = _response(meanings, schemas[0] if len(schemas) == 1 else {"anyOf": schemas})
    return {
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": responses,
        "security": [{"key": []}],
    }


def _response(description: str, schema: Schema) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _operation(*, domain: str, name: str) -> Any:
    async def operation(request: HttpRequest) -> HttpResponse:
        return await _call_tool(request, domain=domain, name=name)

    operation.__name__ = name
    return operation


async def _unknown(request: HttpRequest, rest: str) -> HttpResponse:
    domain, _, name = rest.partition("/")
    return await _call_tool(request, domain=domain, name=name)


def _not_allowed_there(request: HttpRequest, rest: str) -> HttpResponse:
    return _not_allowed(request)


def _not_allowed(request: HttpRequest) -> HttpResponse:
    return to_response(refuse_method(), request=request, request_id=find_request_id(request))


async def _call_tool(request: HttpRequest, *, domain: str, name: str) -> HttpResponse:
    call = Call(
        tool=name,
        domain=domain,
        arguments=read_body(request),
        transport=TRANSPORT,
        request_id=find_request_id(request),
        credential=find_credential(request),
        upstream_credentials=find_upstream_credentials(request),
    )
    return to_response(await dispatch(call), request=request, request_id=call.request_id)
