"""
Who may see and approve the calls of a run: callers who currently hold the scope of the call's tool.

It does not matter which key started the run, or what else the key's owner may do. Without the scope a caller sees that
a call was made, when and with which outcome, but neither its arguments nor its answer. What the model says is part of
the conversation. A tool that is no longer known needs the scope for every domain.
"""

from collections.abc import Iterable
from typing import Any

from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.errors import FORBIDDEN, UNKNOWN_TOOL, ScopeMissing
from toolbox.tool_search.catalogue import SEARCH_TOOLS

_NEVER_MADE = {FORBIDDEN.code, UNKNOWN_TOOL.code}
"""The kernel refused the call before it reached data, so there is nothing to hide."""
_CONTENTS = {"arguments", "digest", "message", "suggestion"}


def missing_scope(caller: Caller, *, tool: str, code: str = "", right: str = "read") -> str:
    """Return the scope that the caller lacks to see a call, "" if none; `right` is for a tool that is gone."""
    known = registry.find(tool)
    scope = known.scope if known else f"*:{right}"
    is_open = not tool or (tool == SEARCH_TOOLS and known is None)
    return "" if is_open or code in _NEVER_MADE or caller.has(scope) else scope


def require_scope(caller: Caller, *, tool: str, code: str = "", right: str = "read") -> None:
    """Raise ScopeMissing if the caller lacks the scope of a call."""
    if scope := missing_scope(caller, tool=tool, code=code, right=right):
        raise ScopeMissing(scope, held=caller.scopes if caller.issuer else None)


def hide_contents(data: dict[str, Any], *, caller: Caller) -> dict[str, Any]:
    """Return an event's or step's data as the caller may see it: without contents but with the missing scope."""
    scope = missing_scope(caller, tool=data.get("tool") or "", code=data.get("code") or "")
    if not scope:
        return data
    return {name: value for name, value in data.items() if name not in _CONTENTS} | {"requires": scope}


def hide_requested_calls(answer: Any, *, caller: Caller) -> Any:
    """Return the model's answer with the arguments of only those calls that the caller may see."""
    if not isinstance(answer, dict) or not isinstance(answer.get("calls"), Iterable):
        return answer
    shown = [hide_contents(call | {"tool": call["name"]}, caller=caller) for call in answer["calls"]]
    return answer | {"calls": [{name: call[name] for name in call if name != "tool"} for call in shown]}
