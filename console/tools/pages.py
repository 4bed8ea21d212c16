"""The list of tools that a person may use, and each tool's page: its contract and a form that calls it."""

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET, require_http_methods

from console.markdown import render_markdown, render_markdown_line
from console.tools.call_snippets import render_snippets
from console.tools.calls import Outcome, call_tool, send_call
from console.tools.form_fields import Field, make_fields, read_arguments
from console.tools.result_table import format_json, parse_json
from toolbox.access.people import require_person
from toolbox.catalogue.documentation import describe_property, describe_type, iterate_fields
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import domain_title, registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_CODES
from toolbox.contract.tool import Tool
from toolbox.database import event_loop
from toolbox.http.form_submissions import mark_submission
from toolbox.http.pages import page
from toolbox.tool_search.catalogue import catalogue_search, summarize_tool

MAX_WORDS = 100


@require_GET
@page(domain="console")
def index(request: HttpRequest) -> HttpResponse:
    """List the tools that this person may use, by domain; with a search, those that fit."""
    event_loop.run(dynamic_tools.wait_until_loaded())
    caller = require_person(request)
    words = request.GET.get("q", "").strip()[:MAX_WORDS]
    visible = registry.visible_to(caller)
    found = event_loop.run(catalogue_search.find(words, tools=visible)) if words else visible
    domains = [
        {
            "toolkit": toolkit,
            "title": domain_title(toolkit.domain),
            "tools": [summarize_tool(tool) for tool in of_domain],
        }
        for toolkit in registry.toolkits()
        if (of_domain := [tool for tool in found if tool.domain == toolkit.domain])
    ]
    shown = {"domains": domains, "words": words, "count": len(found), "all": len(visible)}
    template = "console/tool_list.html" if request.headers.get("HX-Request") else "console/tools.html"
    return render(request, template, shown)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def show(request: HttpRequest, *, name: str) -> HttpResponseBase:
    """Show a tool; on POST, call it as the person and show what an agent would get."""
    return _call(request, name=name) if request.method == "POST" else show_form(request, name=name)


@page(domain="console")
def show_form(request: HttpRequest, *, name: str) -> HttpResponse:
    """Show a tool's contract, and the form that calls it."""
    event_loop.run(dynamic_tools.wait_until_loaded())
    tool = _find_tool(name, caller=require_person(request))
    fields = make_fields(tool.input_schema, values=_initial_arguments(request, tool=tool))
    return _render(request, tool=tool, fields=fields)


def _call(request: HttpRequest, *, name: str) -> HttpResponse:
    event_loop.run(dynamic_tools.wait_until_loaded())
    caller = require_person(request)
    try:
        tool = _find_tool(name, caller=caller)
    except (Http404, PermissionDenied):
        send_call(name, arguments=b"{}", caller=caller)  # the kernel refuses it, and writes the audit row
        raise
    schema = tool.input_schema
    values = {field: request.POST.get(field, "") for field in schema.get("properties", {})}
    outcome = call_tool(tool, arguments=read_arguments(schema, values=values), caller=caller)
    fields = make_fields(schema, values=values, wrong=outcome.wrong, why=outcome.why)
    response = _render(request, tool=tool, fields=fields, outcome=outcome)
    return mark_submission(response, is_done=tool.writes and not outcome.code)


def _render(request: HttpRequest, *, tool: Tool, fields: list[Field], outcome: Outcome | None = None) -> HttpResponse:
    arguments = outcome.arguments if outcome else tool.example_arguments
    context = {
        "tool": tool,
        "domain_title": domain_title(tool.domain),
        "fields": fields,
        "outcome": outcome,
        "calls": render_snippets(tool, arguments=arguments, server=request.build_absolute_uri("/").rstrip("/")),
    }
    if request.headers.get("HX-Request"):
        return render(request, "console/try.html", context)
    return render(request, "console/tool.html", context | _contract(tool))


def _find_tool(name: str, *, caller: Caller) -> Tool:
    tool = registry.find(name)
    if tool is None:
        raise Http404
    if not tool.is_listed_for(caller):
        raise PermissionDenied(
            f"{tool.name} requires the right {tool.scope}. Ask an administrator to add you to the group of that name."
        )
    return tool


def _initial_arguments(request: HttpRequest, *, tool: Tool) -> dict[str, Any]:
    """Return the arguments in the address, such as those of a suggested fix, or the example's."""
    sent = parse_json(request.GET.get("arguments", ""))
    values = sent if isinstance(sent, dict) else parse_json(tool.example_arguments.decode())
    return values if isinstance(values, dict) else {}


def _contract(tool: Tool) -> dict[str, Any]:
    required = tool.input_schema.get("required", [])
    parameters = [
        [f"`{name}`", describe_type(part), "yes" if name in required else "", describe_property(part)]
        for name, part in tool.input_schema.get("properties", {}).items()
    ]
    return {
        "described": render_markdown(tool.description),
        "parameters": _lines(parameters),
        "answers": _lines(iterate_fields(tool.success_schema)),
        "codes": tool.codes,
        "kernel_codes": KERNEL_CODES,
        "example": format_json(parse_json(tool.example_arguments.decode())),
    }


def _lines(rows: Iterable[list[str]]) -> list[list[SafeString]]:
    return [[render_markdown_line(cell) for cell in row] for row in rows]
