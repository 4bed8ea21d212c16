"""The catalogue stays small enough to be shown to a model whole."""

from dataclasses import replace
from io import StringIO

import orjson
import pytest
from django.core.management import call_command

from tests.toolbox.transports import A_TOOL, TOOLS, mcp_in_memory
from toolbox.contract.tool import Tool
from toolbox.mcp.tool_listing import BYTES_PER_TOKEN, measure_cost

MAX_TOKENS_ASKING = 9_000
MAX_TOKENS = 15_000
MAX_LIVE_CHARACTERS = 80
"""As long as the figures of one upstream get, which is what the sample has."""
OURS = {
    "list_backtest_runs", "get_state_delta", "validate_query", "execute_graphql_mutation", "propose_rca",
    "list_game_results", "ingest_linescore_games", "ingest_jira_issues", "evaluate_sql_questions", "warm_workspace",
    "diagnose", "search_code", "list_files", "find_symbol", "find_implementations", "go_to_definition",
    "list_metrics", "query_metric", "forecast_completion", "list_trades", "performance_summary", "group_events",
    "attribute_pnl", "rank_runs", "compare_runs", "ask_sprints", "ingest_backtest",
}  # fmt: skip
"""Tools that no contract asks for; the budget is that of the contracts' tools."""


def test_the_contracts_tools_keep_their_budget() -> None:
    cost = measure_cost([_with_long_figures(tool) for tool in TOOLS if tool.name not in OURS])

    assert cost.request / BYTES_PER_TOKEN < MAX_TOKENS_ASKING
    assert cost.mcp / BYTES_PER_TOKEN < MAX_TOKENS


def _with_long_figures(tool: Tool) -> Tool:
    """Replace the live figures, which depend on what this process ran before, by text of that length."""
    return replace(tool, live=lambda: "x" * MAX_LIVE_CHARACTERS) if tool.live else tool


async def test_the_cost_is_what_a_client_receives() -> None:
    async with mcp_in_memory() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    received = listed[A_TOOL.name].model_dump(mode="json", by_alias=True, exclude_none=True)
    assert measure_cost([A_TOOL]).mcp == len(orjson.dumps(received))


@pytest.mark.parametrize("line", ["query_linescore_data", "/mcp/linescore", "/mcp "])
def test_the_command_names_every_tool_and_address(line: str) -> None:
    said = StringIO()

    call_command("catalogue_cost", stdout=said)

    assert line in said.getvalue()
