"""URIs of the domain's MCP resources, and links from a truncated answer to them."""

from backtests.contracts.answers import EventPage
from backtests.contracts.questions import RunQuestion
from toolbox.contract.models import Link
from toolbox.contract.resources import fill_uri

RUN = "backtests://runs/{run}"
JSON = "application/json"


def whole_run(ask: RunQuestion, *, answer: EventPage) -> list[Link]:
    """Link a truncated answer to its run, whose facts have the counts by type and the securities."""
    if not (answer.metadata.has_more or answer.metadata.truncated):
        return []
    description = "The run as a whole: its times, its counts of events, its securities."
    uri = fill_uri(RUN, run=ask.run_id)
    return [Link(uri=uri, name=f"run {str(ask.run_id)[:8]}", description=description, mime_type=JSON)]
