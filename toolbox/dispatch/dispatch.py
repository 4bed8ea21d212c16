"""Dispatch of tool calls through the one entry (toolbox.dispatch.entry)."""

from dataclasses import dataclass, field

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.encoding import encode
from toolbox.contract.errors import PAYLOAD_TOO_LARGE, UNKNOWN_TOOL, Refusal
from toolbox.contract.tool import Tool
from toolbox.dispatch.arguments import parse_arguments
from toolbox.dispatch.entry import ActiveCall, Operation, Reply, Request, perform

__all__ = ["MAX_ARGUMENTS", "Call", "Reply", "dispatch"]

MAX_ARGUMENTS = 1_048_576


@dataclass(slots=True, kw_only=True)
class Call(Request):
    """
    One tool call as a transport received it: raw JSON arguments, None if they were too large to read.

    Without a `domain`, the tool is found by its name alone.
    """

    tool: str
    domain: str | None = None
    client: ClientChannel = field(default_factory=ClientChannel)


async def dispatch(call: Call) -> Reply:
    """
    Answer one call; every outcome is a Reply, and writes one audit row.

    Queries: the tool's own, and at most one key look-up per key and 4 s. Raises only CancelledError, when the caller
    has gone: the running statement is then cancelled in the database.
    """
    await dynamic_tools.wait_until_loaded()
    tool = registry.find(call.tool, domain=call.domain)
    if tool is None:
        unknown = Operation(name=call.tool, domain=call.domain or "", scope=None, is_known=False)
        return await perform(unknown, request=call, work=_refuse_unknown_tool)
    return await perform(tool, request=call, work=lambda active: _call_tool(tool, call, active))


async def _call_tool(tool: Tool, call: Call, active: ActiveCall) -> Reply:
    if call.arguments is None or len(call.arguments) > MAX_ARGUMENTS:
        raise Refusal(
            PAYLOAD_TOO_LARGE,
            f"The arguments are larger than {MAX_ARGUMENTS:,} bytes.",
            suggestion="Send less: tools take names, ids and short texts.",
        )
    question = parse_arguments(tool, call.arguments)
    client = call.client
    client.call, client.deadline = active.context, active.deadline
    output = await tool.ask(question, client=client)
    rows = output.row_count() if hasattr(output, "row_count") else None
    errors = output.error_count() if hasattr(output, "error_count") else 0
    links = tuple(tool.links(question, answer=output)) if tool.links else ()
    body = encode(output if tool.returns_contents else tool.envelope.success(output))
    return Reply(body=body, rows=rows, errors=errors, links=links)


async def _refuse_unknown_tool(active: ActiveCall) -> Reply:
    names = registry.find_nearest(active.operation.name, caller=active.caller)
    suggestion = f"Tools of this key: {', '.join(names)}." if names else "This key may use no tool; ask for scopes."
    raise Refusal(UNKNOWN_TOOL, "There is no tool of that name here.", suggestion=suggestion)
