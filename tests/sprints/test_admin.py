"""The admin: every page opens, charts are drawn from what agents see, a correction changes answers at once."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User as Account
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from sprints.models import Issue, Organisation, QuarantinedRecord, Sprint, SprintIssue, Status, Team, User

pytestmark = pytest.mark.django_db
PAGES = "/admin/sprints/"


@pytest.fixture
def curator() -> Client:
    client = Client()
    client.force_login(Account.objects.get(username="curator"))
    return client


def show(client: Client, address: str) -> str:
    reply = client.get(PAGES + address)
    assert reply.status_code == 200, address
    return str(reply.content, "utf-8")


def view(statement: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def sprint(name: str) -> Sprint:
    return Sprint.objects.get(sprint_name=name)


def table(page: str, title: str) -> list[list[str]]:
    """Parse a panel's table from the page."""
    found = page.partition(f'data-table="{title}"')[2].partition("</table>")[0].partition("<tbody>")[2]
    rows = re.findall(r"<tr.*?</tr>", found, re.DOTALL)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in rows]
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in row] for row in cells]


@pytest.mark.parametrize("model", ["organisation", "team", "user", "status", "sprint", "issue"])
def test_lists_and_forms_open(curator: Client, model: str) -> None:
    show(curator, f"{model}/")
    show(curator, f"{model}/?q=Avery")
    show(curator, f"{model}/add/")


def test_the_quarantine_is_only_read(curator: Client) -> None:
    record = QuarantinedRecord.objects.create(
        organisation=Organisation.objects.get(slug="meridian"), source="s", kind="issue", name="X-1", reason="odd",
        is_warning=False, record="<script>",
    )  # fmt: skip

    page = show(curator, f"quarantinedrecord/{record.pk}/change/")

    assert "&lt;script&gt;" in page
    assert curator.post(f"{PAGES}quarantinedrecord/{record.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_sprint_s_page_draws_burndown_scope_and_carry_over(curator: Client) -> None:
    chosen = sprint("ORBIT Sprint 4")

    page = show(curator, f"sprint/{chosen.pk}/change/")

    assert page.count('data-series="Remaining"') == 1
    assert {'data-series="Scope"', 'data-series="Ideal"', 'data-series="Added"'} <= set(
        re.findall(r'data-series="\w+"', page)
    )
    days = table(page, "Burndown")
    remaining = view(
        "SELECT remaining_points FROM sprintscope.sprint_days WHERE sprint_id = %s ORDER BY day DESC LIMIT 1", chosen.pk
    )
    assert (len(days), float(days[-1][3])) == (12, float(remaining[0]))
    carried = {row[0] for row in table(page, "Carry-over")}
    assert carried == set(
        SprintIssue.objects.filter(sprint=chosen, was_carried_over=True).values_list("issue__issue_key", flat=True)
    )
    assert carried


def test_a_team_s_page_draws_velocity_and_cycle_time(curator: Client) -> None:
    team = Team.objects.get(team_key="ACCEL")

    page = show(curator, f"team/{team.pk}/change/")

    rows = table(page, "Velocity")
    assert len(rows) == 8
    completed = view("SELECT completed_points FROM sprintscope.sprint_summary WHERE sprint_name = %s", rows[0][0])
    assert float(rows[0][3]) == float(completed[0])
    begun = Issue.objects.filter(team=team, started_at__isnull=False)
    done, at_work = begun.filter(resolved_at__isnull=False), begun.filter(status__status_category="In Progress")
    assert page.count("<circle") == done.count() + at_work.count()


@pytest.mark.parametrize("name", ["ACCEL Sprint 9", "ACCEL Sprint 10"])
def test_a_sprint_that_runs_or_is_to_come_has_a_page(curator: Client, name: str) -> None:
    assert "Burndown" in show(curator, f"sprint/{sprint(name).pk}/change/")


def test_an_empty_team_and_sprint_have_pages(curator: Client) -> None:
    organisation = Organisation.objects.get(slug="meridian")
    team = Team.objects.create(organisation=organisation, team_key="NONE", team_name="None")
    empty = Sprint.objects.create(organisation=organisation, team=team, external_id="x", sprint_name="Empty")

    assert show(curator, f"team/{team.pk}/change/").count("Nothing to draw") == 3
    assert show(curator, f"sprint/{empty.pk}/change/").count("Nothing to draw") == 3


def test_hostile_titles_are_shown_as_text(curator: Client) -> None:
    stay = SprintIssue.objects.filter(was_carried_over=True).first()
    assert stay is not None
    Issue.objects.filter(pk=stay.issue_id).update(title="<img src=x onerror=alert(1)>")

    page = show(curator, f"sprint/{stay.sprint_id}/change/")

    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_the_pages_read_a_bounded_number_of_statements(curator: Client) -> None:
    with CaptureQueriesContext(connection) as few:
        show(curator, f"sprint/{sprint('ORBIT Sprint 1').pk}/change/")
    with CaptureQueriesContext(connection) as many:
        show(curator, f"sprint/{sprint('ORBIT Sprint 6').pk}/change/")

    assert len(few) == len(many)


def test_a_correction_in_the_admin_changes_what_the_views_tell(curator: Client) -> None:
    status = Status.objects.get(status_name="QA")
    in_qa = view("SELECT count(*) FROM sprintscope.issues WHERE status = 'QA'")[0]
    assert in_qa > 0

    reply = curator.post(
        f"{PAGES}status/{status.pk}/change/",
        {"organisation": str(status.organisation_id), "status_name": "Testing", "status_category": "Done"},
    )

    assert reply.status_code == 302
    told = view(
        "SELECT count(*), count(resolved_at) FROM sprintscope.issues WHERE status = 'Testing' "
        "AND status_category = 'Done'"
    )
    assert told == (in_qa, in_qa)


def test_an_issue_is_saved_with_its_history(curator: Client) -> None:
    issue = Issue.objects.filter(issue_key="ACCEL-20").get()
    page = show(curator, f"issue/{issue.pk}/change/")
    form = _form(page) | {"title": "Corrected by a person", "story_points": "0.5"}

    reply = curator.post(f"{PAGES}issue/{issue.pk}/change/", form)

    assert reply.status_code == 302, _faults(reply)
    told = view("SELECT title, story_points::text FROM sprintscope.issues WHERE issue_key = 'ACCEL-20'")
    assert told == ("Corrected by a person", "0.5")


def test_an_organisation_is_deleted_with_everything_of_it(curator: Client) -> None:
    organisation = Organisation.objects.get(slug="meridian")
    asked = str(curator.get(f"{PAGES}organisation/{organisation.pk}/delete/").content, "utf-8")
    assert "issues and their history" in asked

    curator.post(f"{PAGES}organisation/{organisation.pk}/delete/", {"post": "yes"})

    assert not Organisation.objects.filter(slug="meridian").exists()
    assert not User.objects.filter(organisation_id=organisation.pk).exists()


def _form(page: str) -> dict[str, str]:
    """Return the form as a browser would send it."""
    form = page.partition('id="issue_form"')[2] or page
    sent: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", form):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        is_box = 'type="checkbox"' in tag or 'type="submit"' in tag
        if name and not is_box and "__prefix__" not in name[1]:
            sent[name[1]] = _plain(value[1]) if value else ""
    for name, body in re.findall(r'<textarea[^>]*? name="([^"]+)"[^>]*>(.*?)</textarea>', form, re.DOTALL):
        sent[name] = _plain(body).strip()
    for name, body in re.findall(r'<select[^>]*? name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)"[^>]*selected', body)
        if "__prefix__" not in name:
            sent[name] = chosen[1] if chosen else ""
    return {name: value for name, value in sent.items() if name not in ("q", "csrfmiddlewaretoken")}


def _faults(reply: Any) -> list[Any]:
    forms = [reply.context["adminform"].form, *(form.formset for form in reply.context["inline_admin_formsets"])]
    return [form.errors for form in forms] + [form.non_form_errors() for form in forms[1:]]


def _plain(text: str) -> str:
    from html import unescape

    return unescape(text)
