"""Which tools say `openWorldHint`: those whose function leads to a request to another host, and no other."""

import inspect
import types
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import httpx

from toolbox.catalogue.registry import registry
from toolbox.mcp.tool_listing import mcp_tool
from toolbox.outbound.web import Web

OURS = ("linescore", "backtests", "sprints", "devassist", "graphql_proxy", "agents", "toolbox")
CALLS_ANY_TOOL = {"ask_agent"}
"""Reaches what the tools reach that its model chooses; no name in its code says which."""


def _is_ours(name: str | None) -> bool:
    return (name or "").partition(".")[0] in OURS and not (name or "").startswith(("toolbox.model", "toolbox.oauth"))


def reaches_other_hosts(function: Any) -> bool:
    """Follow every name that the function uses, through our own code, to httpx or to toolbox.outbound."""
    found: set[int] = set()
    waiting = [function]
    while waiting:
        thing = waiting.pop()
        if thing is httpx or isinstance(thing, Web) or (getattr(thing, "__module__", None) or "").startswith("httpx"):
            return True
        if id(thing) not in found:
            found.add(id(thing))
            waiting += _follow(thing)
    return False


def _follow(thing: Any) -> Iterator[Any]:
    thing = inspect.unwrap(thing) if inspect.isfunction(thing) else getattr(thing, "__func__", thing)
    if inspect.isfunction(thing) and _is_ours(thing.__module__):
        yield from _follow_code(thing.__code__, known=thing.__globals__)
        yield from (cell.cell_contents for cell in thing.__closure__ or ())
    elif inspect.isclass(thing) and _is_ours(thing.__module__):
        yield from (value for value in vars(thing).values() if inspect.isfunction(value))
    elif is_dataclass(thing) and not isinstance(thing, type) and _is_ours(type(thing).__module__):
        yield type(thing)
        yield from (getattr(thing, field.name, None) for field in fields(thing))
    elif _is_ours(type(thing).__module__):
        yield type(thing)


def _follow_module(module: Any, *, names: Sequence[str]) -> Iterator[Any]:
    """Yield what the names mean in a module of ours, and in its own modules that are among them."""
    if not inspect.ismodule(module) or not _is_ours(module.__name__):
        return
    for name in names:
        inner = f"{module.__name__}.{name}"
        is_module = hasattr(module, "__path__") and "." not in name and find_spec(inner) is not None
        value = import_module(inner) if is_module else getattr(module, name, None)
        yield value
        if is_module:
            yield from (getattr(value, other, None) for other in names)


def _follow_code(code: types.CodeType, *, known: dict[str, Any]) -> Iterator[Any]:
    for name in code.co_names:
        value = import_module(name) if "." in name and _is_ours(name) else known.get(name)
        yield value
        yield from _follow_module(value, names=code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _follow_code(constant, known=known)


def test_the_tools_that_reach_other_hosts_say_so() -> None:
    reaching = {tool.name for tool in registry.tools() if reaches_other_hosts(tool.function)}
    declared = {tool.name for tool in registry.tools() if tool.is_open_world}

    assert declared == reaching | CALLS_ANY_TOOL
    assert {"web_search_wiki", "execute_graphql", "ingest_linescore_games", "ingest_jira_issues"} <= declared


def test_the_hint_of_mcp_is_the_declaration_of_the_tool() -> None:
    for tool in registry.tools():
        hints = mcp_tool(tool).annotations
        assert hints
        assert hints.open_world_hint is tool.is_open_world
