"""Ingestion from a Jira site: its metadata, its boards' sprints, then its issues by page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sprints.ingest.fetch import JiraClient, NoAnswer, TimeIsUp
from sprints.ingest.load import LoadReport, LoadRules, OnProgress, ignore_progress, load_records
from sprints.ingest.record import Doubt, Record
from sprints.ingest.sources import issues_of, list_surveyed_records, list_unused_changes
from sprints.ingest.survey import Survey
from sprints.models import Organisation

PAGE_ISSUES, PAGE_ROWS = 100, 50
MAX_PAGES = 100_000
OVERLAP = timedelta(hours=26)
"""JQL interprets times in the time zone of the token's owner, which may differ by up to 14 hours."""
FIRST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueSelection:
    """The selection of issues: projects (all if empty), changed since, and further JQL."""

    projects: tuple[str, ...] = ()
    since: datetime | None = None
    jql: str = ""

    def write_jql(self) -> str:
        """Write the JQL. Cloud refuses one without a bound, so there is always one."""
        since = max((self.since or FIRST) - OVERLAP, FIRST)
        parts = [f'updated >= "{since:%Y-%m-%d %H:%M}"']
        if self.projects:
            names = ", ".join('"' + key.replace("\\", "").replace('"', "") + '"' for key in self.projects)
            parts.append(f"project in ({names})")
        if self.jql:
            parts.append(f"({self.jql})")
        return f"{' AND '.join(parts)} ORDER BY updated ASC, key ASC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A Jira site and its metadata."""

    client: JiraClient
    is_cloud: bool

    @classmethod
    def meet(cls, client: JiraClient) -> "Site":
        """Detect the kind of Jira."""
        told = client.get("/rest/api/2/serverInfo")
        return cls(client=client, is_cloud=isinstance(told, dict) and told.get("deploymentType") == "Cloud")

    def search(self, jql: str, *, on_total: Callable[[int], None]) -> Iterator[dict[str, Any]]:
        """Iterate the pages of a search, by token on Cloud and by offset on Server."""
        token, start = None, 0
        for _ in range(MAX_PAGES):
            page = self._page(jql, token=token, start=start)
            issues = page.get("issues") if isinstance(page, dict) else None
            if not isinstance(issues, list):
                raise NoAnswer("a search answered without issues")
            if isinstance(page.get("total"), int):
                on_total(page["total"])
            yield page | {"issues": [self._fetch_whole_changelog(one) for one in issues]}
            token, start = page.get("nextPageToken"), start + len(issues)
            if not issues or (not token if self.is_cloud else start >= page.get("total", 0)):
                return
        raise NoAnswer(f"more than {MAX_PAGES:,} pages")

    def rows(self, path: str, **parameters: Any) -> Iterator[Any]:
        """Iterate the pages of a list of the Agile API."""
        start = 0
        for _ in range(MAX_PAGES):
            page = self.client.get(path, startAt=start, maxResults=PAGE_ROWS, **parameters)
            values = page.get("values") if isinstance(page, dict) else page
            if not isinstance(values, list):
                raise NoAnswer(f"{path} answered without values")
            yield from values
            start += len(values)
            is_last = not isinstance(page, dict) or page.get("isLast") is True or start >= page.get("total", start + 1)
            if not values or is_last:
                return

    def _page(self, jql: str, *, token: str | None, start: int) -> Any:
        common = {"jql": jql, "maxResults": PAGE_ISSUES, "fields": "*all", "expand": "names,schema,changelog"}
        if self.is_cloud:
            return self.client.get("/rest/api/3/search/jql", nextPageToken=token, **common)
        return self.client.get("/rest/api/2/search", startAt=start, **common)

    def _fetch_whole_changelog(self, one: Any) -> Any:
        """Fetch the rest of a changelog that the search has truncated. Server never truncates it."""
        log = one.get("changelog") if isinstance(one, dict) else None
        given = log.get("histories") if isinstance(log, dict) else None
        total = log.get("total") if isinstance(log, dict) else None
        if not self.is_cloud or not isinstance(given, list) or not isinstance(total, int) or total <= len(given):
            return one
        try:
            entries = list(self.rows(f"/rest/api/3/issue/{int(one['id'])}/changelog"))
        except TimeIsUp:
            raise
        except (NoAnswer, ValueError, KeyError):
            return one  # the reader of the issue notes that its changelog is not whole
        return one | {"changelog": {"histories": entries, "total": len(entries)}}


def ingest_site(
    client: JiraClient,
    *,
    organisation: Organisation,
    wanted: IssueSelection,
    now: datetime,
    rules: LoadRules | None = None,
    on_progress: OnProgress = ignore_progress,
) -> LoadReport:
    """
    Store a site's issues in the order in which they changed, so that a stopped run can continue.

    What the site does not give of sprints, boards or statuses is named and the rest goes in. Without an answer to the
    search, or when time is up, what was stored so far stays, and the report says how far it came.
    """
    report, survey = LoadReport(), Survey()
    survey.fields.configured = tuple(organisation.points_fields)
    rules = replace(rules or LoadRules(), batch_issues=PAGE_ISSUES, now=now)
    try:
        site = Site.meet(client)
        _survey(site, survey=survey, wanted=wanted, report=report)
        records = _records(site, survey=survey, wanted=wanted, report=report)
        load_records(records, organisation=organisation, report=report, rules=rules, on_progress=on_progress)
    except NoAnswer as error:
        report.unreadable.append(Doubt(kind="answer", name=client.site_url, reason=str(error)))
    return report


def _survey(site: Site, *, survey: Survey, wanted: IssueSelection, report: LoadReport) -> None:
    questions: list[tuple[str, dict[str, Any]]] = [
        ("/rest/api/2/field", {}),
        ("/rest/api/2/status", {}),
        ("/rest/agile/1.0/board", {}),
    ]
    if site.is_cloud:
        questions.append(("/rest/api/3/project/search", {}))
    else:
        questions.append(("/rest/api/2/project", {}))
    for path, parameters in questions:
        for one in _read_until_failure(site.rows(path, **parameters), path=path, report=report):
            survey.take(one, source=path)
    for board, project in list(survey.boards.items()):
        if not wanted.projects or project in wanted.projects:
            path = f"/rest/agile/1.0/board/{board}/sprint"
            for one in _read_until_failure(site.rows(path), path=path, report=report, silent=(400,)):
                survey.take(one, source=path)


def _read_until_failure(
    rows: Iterator[Any], *, path: str, report: LoadReport, silent: tuple[int, ...] = ()
) -> Iterator[Any]:
    """Yield rows until the site fails. A kanban board answers 400 for sprints, which is not an error."""
    try:
        yield from rows
    except TimeIsUp:
        raise
    except NoAnswer as error:
        if error.status not in silent:
            report.unreadable.append(Doubt(kind="answer", name=path, reason=str(error)))


def _records(site: Site, *, survey: Survey, wanted: IssueSelection, report: LoadReport) -> Iterator[Record]:
    def on_total(total: int) -> None:
        report.expected = total

    yield from list_surveyed_records(survey)
    try:
        for page in site.search(wanted.write_jql(), on_total=on_total):
            survey.take(page, source="search")
            yield from issues_of(survey)
    except NoAnswer as error:
        report.unreadable.append(Doubt(kind="answer", name="search", reason=str(error)))
    yield from list_unused_changes(survey)
