"""The MCP resource of a run, with its completions."""

from typing import Annotated
from uuid import UUID

from backtests import resource_queries
from backtests.addresses import JSON, RUN
from backtests.contracts.questions import GUID
from backtests.runs.paging import make_run
from backtests.tools import toolkit
from toolbox.contract.encoding import encode
from toolbox.contract.resources import CompletionRequest

KEEP_SECONDS = 60.0


async def _runs(typed: CompletionRequest) -> list[str]:
    return await resource_queries.runs(typed.text)


async def _symbols(typed: CompletionRequest) -> list[str]:
    return await resource_queries.symbols(typed.text, run=typed.chosen.get("run", ""))


toolkit.completers.update(run=_runs, symbol=_symbols)


@toolkit.resource(RUN, title="A backtest run", mime_type=JSON, ttl_seconds=KEEP_SECONDS, completes={"run": _runs})
async def backtest_run(run: Annotated[str, "The run's GUID."]) -> str | None:
    """Show the facts of a run: its times, its configuration's hash, its events by type and severity, its securities."""
    row = await resource_queries.facts(UUID(run)) if GUID(run) else None
    return encode(make_run(row)).decode() if row else None
