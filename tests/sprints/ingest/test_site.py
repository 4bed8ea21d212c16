"""A site with a token: pages, patience, increments, an end. A real server on a socket; only waiting is pretended."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from sprints.ingest.fetch import JiraClient, NoAnswer, authorization
from sprints.ingest.load import LoadReport, ensure_organisation
from sprints.ingest.record import NotReadable
from sprints.ingest.site import IssueSelection, ingest_site
from sprints.ingest_jobs import from_own_site
from sprints.models import Issue, Organisation, PointsChange, Sprint, Status, StatusChange, Team
from tests.sprints.ingest.conftest import Answer, Clock, LocalJira
from toolbox.work.job_kinds import Assignment, JobRefused

NOW = datetime(2026, 11, 1, tzinfo=UTC)
SPRINT = {"id": 5, "name": "ALPHA 1", "state": "active", "startDate": "2026-01-05T09:00:00Z", "originBoardId": 3}


def issue(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": str(100 + number),
        "key": f"ALPHA-{number}",
        "fields": {
            "summary": f"Issue {number}", "issuetype": {"name": "Task"}, "project": {"key": "ALPHA", "name": "Alpha"},
            "status": {"id": "1", "name": "Offen", "statusCategory": {"id": 2, "key": "new"}},
            "created": "2026-01-02T09:00:00.000+0000", "updated": f"2026-01-{number + 2:02}T09:00:00.000+0000",
            "customfield_9": number, "customfield_8": [SPRINT],
        } | fields,
        "changelog": {"total": 0, "histories": []},
    }  # fmt: skip


@pytest.fixture
def site(jira: LocalJira) -> LocalJira:
    """Return a Jira Cloud with five issues, a scrum board with a sprint, and custom fields with its own names."""
    jira.issues = [issue(number) for number in range(1, 6)]
    jira.lists = {
        "/rest/api/2/field": [
            {
                "id": "customfield_9",
                "name": "Punkte",
                "schema": {"custom": "com.pyxis.greenhopper.jira:jsw-story-points"},
            },
            {"id": "customfield_8", "name": "Sprint", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-sprint"}},
        ],
        "/rest/api/2/status": [{"id": "1", "name": "Offen", "statusCategory": {"id": 2, "key": "new"}}],
        "/rest/api/2/project": [{"id": "1", "key": "ALPHA", "name": "Alpha team"}],
        "/rest/api/3/project/search": [{"id": "1", "key": "ALPHA", "name": "Alpha team"}],
        "/rest/agile/1.0/board": [
            {"id": 3, "name": "A", "type": "scrum", "location": {"projectKey": "ALPHA"}},
            {"id": 4, "name": "K", "type": "kanban", "location": {"projectKey": "ALPHA"}},
        ],
        "/rest/agile/1.0/board/3/sprint": [SPRINT],
    }
    jira.interruptions["/rest/agile/1.0/board/4/sprint"] = [
        Answer({"errorMessages": ["The board does not support sprints"]}, 400) for _ in range(9)
    ]
    return jira


@pytest.fixture
def organisation(db: None) -> Organisation:
    return ensure_organisation("site-under-test")


@pytest.fixture
def client(jira: LocalJira, clock: Clock) -> Iterator[JiraClient]:
    header = authorization(token="secret", email="me@example.com")
    with JiraClient(site_url=jira.address, authorization=header, sleep=clock.sleep, clock=clock.read) as opened:
        yield opened


def run(client: JiraClient, organisation: Organisation, wanted: IssueSelection | None = None) -> LoadReport:
    return ingest_site(client, organisation=organisation, wanted=wanted or IssueSelection(), now=NOW)


@pytest.mark.parametrize("is_cloud", [True, False])
def test_all_pages_are_stored(
    site: LocalJira, client: JiraClient, organisation: Organisation, *, is_cloud: bool
) -> None:
    site.is_cloud = is_cloud

    report = run(client, organisation)

    assert (report.added, report.doubts, report.unreadable) == (5, [], [])
    assert len(site.searches()) == 3
    stored = Issue.objects.filter(organisation=organisation).order_by("updated_at")
    assert [(row.issue_key, row.story_points) for row in stored] == [(f"ALPHA-{n}", n) for n in range(1, 6)]
    assert Team.objects.get(organisation=organisation).team_key == "ALPHA"
    assert Sprint.objects.get(organisation=organisation).team == Team.objects.get(organisation=organisation)
    assert {row.sprint_id for row in stored} == {Sprint.objects.get(organisation=organisation).pk}


def test_the_token_goes_with_every_question(site: LocalJira, client: JiraClient, organisation: Organisation) -> None:
    run(client, organisation)

    assert site.authorizations == {"Basic bWVAZXhhbXBsZS5jb206c2VjcmV0"}


def test_a_server_takes_a_bearer_token() -> None:
    assert authorization(token="pat") == "Bearer pat"


def test_a_token_is_not_sent_in_the_clear_to_another_machine() -> None:
    with pytest.raises(NotReadable, match="https"):
        JiraClient(site_url="http://jira.example.com", authorization="Bearer pat")


def test_a_redirect_is_not_followed(site: LocalJira, client: JiraClient) -> None:
    site.interruptions["/x"] = [Answer(status=302, headers={"Location": "https://elsewhere.example"})]

    with pytest.raises(NoAnswer, match=r"redirects to https://elsewhere\.example"):
        client.get("/x")


@pytest.mark.parametrize("status", [429, 503])
def test_it_waits_as_long_as_it_is_told(
    site: LocalJira, client: JiraClient, clock: Clock, organisation: Organisation, status: int
) -> None:
    site.interruptions["/rest/api/3/search/jql"] = [Answer(status=status, headers={"Retry-After": "17"})]

    report = run(client, organisation)

    assert report.added == 5
    assert clock.waits == [17.0]


def test_a_search_that_fails_for_good_keeps_what_was_stored(
    site: LocalJira, client: JiraClient, organisation: Organisation
) -> None:
    run(client, organisation)
    site.issues.append(issue(6))
    site.interruptions["/rest/api/3/search/jql"] = [Answer(status=500) for _ in range(6)]

    report = run(client, organisation)

    assert [doubt.reason for doubt in report.unreadable] == ["HTTP 500, 6 times"]
    assert Issue.objects.filter(organisation=organisation).count() == 5


def test_it_ends_when_its_time_is_up(site: LocalJira, clock: Clock, organisation: Organisation) -> None:
    site.interruptions["/rest/api/3/search/jql"] = [Answer(status=429, headers={"Retry-After": "200"})]
    with JiraClient(site_url=site.address, most_seconds=120, sleep=clock.sleep, clock=clock.read) as client:
        report = run(client, organisation)

    assert [doubt.reason for doubt in report.unreadable] == ["the 120 s that the run may take are over"]
    assert clock.waits == []


def test_only_what_changed_is_asked_for_the_second_time(
    site: LocalJira, client: JiraClient, organisation: Organisation
) -> None:
    first = run(client, organisation)
    site.issues[0] = issue(1, summary="Another title", updated="2026-02-01T09:00:00.000+0000")

    second = run(client, organisation, IssueSelection(since=first.latest, projects=("ALPHA", 'x" OR 1=1')))

    assert first.latest == datetime(2026, 1, 7, 9, tzinfo=UTC)
    assert site.searches()[-1]["jql"] == (
        'updated >= "2026-01-06 07:00" AND project in ("ALPHA", "x OR 1=1") ORDER BY updated ASC, key ASC'
    )
    assert (second.added, second.changed, second.skipped) == (0, 1, 4)
    assert Issue.objects.get(organisation=organisation, issue_key="ALPHA-1").title == "Another title"


def test_a_changelog_that_the_search_cut_short_is_fetched_whole(
    site: LocalJira, client: JiraClient, organisation: Organisation
) -> None:
    entries = [
        {"id": str(n), "created": f"2026-01-0{n + 2}T10:00:00Z", "author": None, "items": [
            {"field": "status", "fieldId": "status", "fromString": "Offen", "toString": "Fertig"} if n % 2 else
            {"field": "status", "fieldId": "status", "fromString": "Fertig", "toString": "Offen"}]}
        for n in range(1, 6)
    ]  # fmt: skip
    site.issues = [issue(1) | {"changelog": {"total": 5, "histories": entries[3:]}}]
    site.changelogs["101"] = entries

    run(client, organisation)

    assert StatusChange.objects.filter(issue__organisation=organisation).count() == 5
    assert Status.objects.get(organisation=organisation, status_name="Fertig").status_category == "Done"


def test_a_sprint_that_was_closed_rewrites_what_is_counted_of_issues_that_did_not_change(
    site: LocalJira, client: JiraClient, organisation: Organisation
) -> None:
    run(client, organisation)
    stays = Sprint.objects.get(organisation=organisation).memberships
    assert set(stays.values_list("was_carried_over", flat=True)) == {False}

    closed = SPRINT | {"state": "closed", "completeDate": "2026-01-16T17:00:00Z"}
    site.lists["/rest/agile/1.0/board/3/sprint"] = [closed]
    site.issues = [issue(5)]
    run(client, organisation)

    assert set(stays.values_list("was_carried_over", flat=True)) == {True}


def test_what_is_not_json_is_named(site: LocalJira, client: JiraClient, organisation: Organisation) -> None:
    site.interruptions["/rest/api/2/field"] = [Answer(b"<html>Log in</html>")]

    report = run(client, organisation)

    assert [doubt.name for doubt in report.unreadable] == ["/rest/api/2/field"]
    assert report.added == 5
    assert PointsChange.objects.filter(issue__organisation=organisation).count() == 0


def test_the_command_goes_on_where_the_last_run_was(
    site: LocalJira, db: None, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.JIRA_TOKEN, settings.JIRA_EMAIL = "pat", ""

    call_command("ingest_jira", site.address, "--organisation", "By site")
    call_command("ingest_jira", site.address, "--organisation", "By site")
    call_command("ingest_jira", site.address, "--organisation", "By site", "--all")

    asked = [given["jql"].partition(" ORDER")[0] for given in site.searches() if "nextPageToken" not in given]
    assert asked == [f'updated >= "{since}"' for since in ("1970-01-01 00:00", "2026-01-06 07:00", "1970-01-01 00:00")]
    assert site.authorizations == {"Bearer pat"}
    assert "pat" not in capsys.readouterr().out.split()
    assert Organisation.objects.get(slug="by-site").synced_until == datetime(2026, 1, 7, 9, tzinfo=UTC)


def test_a_run_of_one_project_does_not_count_as_having_seen_the_others(site: LocalJira, db: None) -> None:
    call_command("ingest_jira", site.address, "--organisation", "Part", "--project", "ALPHA")

    assert Organisation.objects.get(slug="part").synced_until is None


def test_a_token_that_is_not_accepted_is_said_so(site: LocalJira, db: None) -> None:
    site.interruptions["/rest/api/2/serverInfo"] = [Answer(status=401)]

    with pytest.raises(CommandError, match="no issue could be read"):
        call_command("ingest_jira", site.address)


def _list_requests(organisation: str = "") -> Assignment:
    values = {"organisation": organisation, "projects": "", "everything": True}
    return Assignment(values=values, file=None, today=date(2026, 1, 5), on_step=lambda *_: None)


def test_a_tool_asks_only_the_jira_that_an_organisation_has(db: None, site: LocalJira, settings: Any) -> None:
    settings.JIRA_TOKEN = "t0ken"
    ensure_organisation("papers", name="Of files")
    with pytest.raises(JobRefused, match="none yet"):
        from_own_site(_list_requests("https://elsewhere.example"))
    ensure_organisation("ours", name="Ours, by another name", site_url=site.address)

    for named in ("", "ours"):
        assert "5" in from_own_site(_list_requests(named)).summary
    with pytest.raises(JobRefused, match="ours"):
        from_own_site(_list_requests("papers"))

    assert Issue.objects.filter(organisation__slug="ours").count() == 5
    assert site.authorizations == {"Bearer t0ken"}
