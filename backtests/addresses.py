"""Where this domain's documents are read, and which of them say more than an answer that was cut."""

from backtests.answers import EventPage
from backtests.contracts import RunQuestion
from toolbox.contract.models import Link
from toolbox.contract.resources import fill_uri

RUN = "backtests://runs/{run}"
JSON = "application/json"


def whole_run(ask: RunQuestion, *, answer: EventPage) -> list[Link]:
    """Name the run that events were left out of: its facts say how many there are of each type, and of what."""
    if not (answer.metadata.has_more or answer.metadata.truncated):
        return []
    said = "The run as a whole: its times, its counts of events, its securities."
    uri = fill_uri(RUN, run=ask.run_id)
    return [Link(uri=uri, name=f"run {str(ask.run_id)[:8]}", description=said, mime_type=JSON)]
