"""Input and output models of `web_search_wiki`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from toolbox.contract.models import ToolInput, ToolOutput, WholeNumber

SourceName = Literal["stackoverflow", "github", "docs", "mdn"]
Status = Literal["answered", "kept", "stale", "late", "limited", "failed", "off"]
MAX_RESULTS = 10


def _drop_repeats(names: list[SourceName]) -> list[SourceName]:
    return list(dict.fromkeys(names))


class WebSearchQuestion(ToolInput):
    """What to search for, and where."""

    query: str = Field(
        description="Search query (error message, function name, or concept).", min_length=3, max_length=200
    )
    sources: Annotated[list[SourceName], AfterValidator(_drop_repeats)] = Field(
        ["stackoverflow", "github"],
        description="Which sources to search; docs are pages that were ingested here.",
    )
    max_results: Annotated[WholeNumber, Field(ge=1, le=MAX_RESULTS)] = Field(
        5, description="Maximum number of results to return."
    )


class WebResult(ToolOutput):
    """One page."""

    model_config = ConfigDict(alias_generator=to_camel)

    title: str = Field(description="Its title.")
    url: str = Field(description="Its address; docs: and a path for ingested pages that have none.")
    snippet: str = Field(description="What it says, in 200 characters.")
    source: SourceName = Field(description="Where it was found.")
    relevance_score: float = Field(description="0 to 1, one measure for all sources: words found, and place.")


class SourceReport(ToolOutput):
    """How a source was searched."""

    model_config = ConfigDict(alias_generator=to_camel)

    source: SourceName = Field(description="Which source.")
    status: Status = Field(
        description="kept: remembered and recent; stale: remembered and old; late, limited, failed, off: no answer."
    )
    note: str | None = Field(None, description="Why there is no fresh answer.")
    age_seconds: int | None = Field(None, description="How old a remembered answer is.")
    retry_after_seconds: int | None = Field(None, description="When the source may be asked again.")


class WebResults(ToolOutput):
    """The best results of all sources, best first."""

    model_config = ConfigDict(alias_generator=to_camel)

    query: str = Field(description="The query as asked.")
    results: list[WebResult] = Field(description="Results, best first.")
    total_found: int = Field(description="How many there were before maxResults was applied.")
    sources: list[SourceReport] = Field(description="How each source was searched.")

    def row_count(self) -> int:
        """Count the results."""
        return len(self.results)
