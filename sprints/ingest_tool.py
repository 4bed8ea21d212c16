"""
Issues brought in by a tool: `ingest_jira_issues`.

Only from the Jira that an administrator gave the organisation: JIRA_TOKEN is shown to it, so its
address is no word of a model's.
"""

from typing import Annotated, Literal

from pydantic import Field

from sprints.ingest_jobs import NoSuchSite, from_own_site, from_samples
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import ErrorCode, ToolError
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.work.jobs import run_in_call

INGESTION_FAILED = ErrorCode("INGESTION_FAILED", 502, "The source gave no issue that could be read.")
NO_SUCH_SITE = ErrorCode("NO_SUCH_SITE", 404, "No organisation of that name has a Jira of its own.")
_NAME_ONE = (
    "Name one of those; an administrator gives an organisation its Jira by manage.py ingest_jira or in the admin."
)
ProjectKey = Annotated[str, Field(min_length=1, max_length=100)]


class IngestIssuesQuestion(ToolInput):
    """Whose issues, and which."""

    organisation: str = Field(
        "", max_length=50, description="Its short name; empty: the only one that has a Jira of its own."
    )
    projects: list[ProjectKey] = Field([], max_length=50, description="Only these projects, by key; empty: all.")
    everything: bool = Field(default=False, description="Every issue, not only what changed since the last load.")
    source: Literal["jira", "shipped"] = Field(
        "jira", description="jira: the organisation's site. shipped: what is missing of the sample that came along."
    )


class IngestedIssues(ToolOutput):
    """What became of the issues."""

    summary: str = Field(description="How many were added, changed, skipped, refused.")
    reasons: list[str] = Field(description="What did not go in, and why; 50 lines at most.")


async def ingest(ask: IngestIssuesQuestion, *, client: ClientChannel) -> IngestedIssues:
    """Load the issues. A worker fetches a site's issues if the client supports tasks."""
    if ask.source == "jira":
        await client.continue_as_task()
    values = {"organisation": ask.organisation, "projects": ",".join(ask.projects), "everything": ask.everything}
    work = from_own_site if ask.source == "jira" else from_samples
    try:
        outcome = await run_in_call(client, work=work, values=values, refused=INGESTION_FAILED)
    except ToolError as refusal:
        if isinstance(refusal.__cause__, NoSuchSite):
            raise ToolError(NO_SUCH_SITE, refusal.message, field="organisation", suggestion=_NAME_ONE) from refusal
        raise
    return IngestedIssues(summary=outcome.summary, reasons=list(outcome.reasons))
