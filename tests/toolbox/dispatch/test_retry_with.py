"""A refusal's merge patch fixes every mistake in the arguments; otherwise there is no patch."""

import json
from typing import Any

import pytest

from tests.linescore.test_refusals import merge_patch
from toolbox.catalogue.registry import registry
from toolbox.contract.errors import ToolError
from toolbox.contract.tool import Tool
from toolbox.dispatch.arguments import parse_arguments

RUN = "079cbad8-9e31-5383-8c7a-3f85849b9439"


@pytest.mark.parametrize(
    ("tool", "said", "fixed"),
    [
        ("query_linescore_data", {"limit": "10"}, {"limit": 10}),
        ("query_linescore_data", {"wonTwoPlusRegPeriods": "True"}, {"wonTwoPlusRegPeriods": True}),
        (
            "get_events_by_type",
            {"run_id": RUN, "eventType": "TradeExecution"},
            {"runId": RUN, "eventType": "TradeExecution"},
        ),
        (
            "query_linescore_data",
            {"startDate": "2025/02/01", "endDate": "2025/02/28"},
            {"startDate": "2025-02-01", "endDate": "2025-02-28"},
        ),
        (
            "query_linescore_data",
            {"startDate": "2025-02-30", "endDate": "2025-02-01"},
            {"startDate": "2025-02-01", "endDate": "2025-02-28"},
        ),
    ],
)
def test_the_patch_mends_the_whole_call(tool: str, said: dict[str, Any], fixed: dict[str, Any]) -> None:
    patch = _find_refusal(tool, said).retry_with

    assert merge_patch(said, patch) == fixed
    assert parse_arguments(_tool(tool), json.dumps(fixed).encode())


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("query_linescore_data", {"limit": "ten"}),
        ("query_linescore_data", {"limit": "9" * 40}),
        ("query_linescore_data", {"wonTwoPlusRegPeriods": "yes"}),
        ("query_linescore_data", {"startDate": "2025/02/01", "endDate": "the end of February"}),
        ("get_events_by_type", {"stream": RUN, "eventType": "TradeExecution"}),
    ],
)
def test_there_is_no_patch_that_would_mend_half(tool: str, said: dict[str, Any]) -> None:
    assert _find_refusal(tool, said).retry_with == {}


def _find_refusal(tool: str, said: dict[str, Any]) -> ToolError:
    with pytest.raises(ToolError) as refused:
        parse_arguments(_tool(tool), json.dumps(said).encode())
    return refused.value


def _tool(name: str) -> Tool:
    found = registry.find(name, domain=None)
    assert found
    return found
