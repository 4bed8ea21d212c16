"""The result of one source in a search."""

from dataclasses import dataclass

from devassist.contracts.web_search_wiki import SourceName, Status
from devassist.web.source_answers import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The result of one source. See contracts.web_search_wiki.SourceReport."""

    source: SourceName
    status: Status
    hits: tuple[Hit, ...] = ()
    note: str | None = None
    age_seconds: int | None = None
    retry_after_seconds: int | None = None
