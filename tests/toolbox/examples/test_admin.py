"""Examples are curated in the admin: refused where they cannot work, and tried on the data."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from toolbox.database.caches import clear_all_caches
from toolbox.models import Example

FORM = {
    "domain": "linescore",
    "name": "by-hand",
    "question": "Rows of {team}?",
    "phrasings": "How many rows has {team}?\n\n  Count   {team} ",
    "tool": "query_linescore_data",
    "arguments": '{"teamCode": "{team}"}',
    "answer": "{{ answer.data.count }} rows",
    "is_enabled": "on",
}


@pytest.fixture
def curator(scratch_database: None) -> Iterator[Client]:
    """Log the curator in, on a database for this test."""
    clear_all_caches()
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    yield client
    clear_all_caches()


def test_an_example_is_made(curator: Client) -> None:
    answer = curator.post("/admin/toolbox/example/add/", FORM)

    assert answer.status_code == 302
    made = Example.objects.get(name="by-hand")
    assert made.phrasings == ["How many rows has {team}?", "Count {team}"]
    assert made.arguments == {"teamCode": "{team}"}


@pytest.mark.parametrize(
    ("field", "given", "said"),
    [
        ("tool", "no_such_tool", "linescore has no tool no_such_tool."),
        ("question", "Rows of {club}?", "linescore has no slot club"),
        ("answer", "{% for %}", "The answer is no template"),
        ("arguments", '["{team}"]', "Arguments are a JSON object."),
    ],
)
def test_what_cannot_work_is_refused(curator: Client, field: str, given: str, said: str) -> None:
    answer = curator.post("/admin/toolbox/example/add/", FORM | {field: given})

    assert said in answer.content.decode()
    assert not Example.objects.filter(name="by-hand").exists()


def test_the_form_names_the_slots(curator: Client) -> None:
    page = curator.get("/admin/toolbox/example/add/").content.decode()

    assert "linescore has {team}, {month}, {date}, {season}" in page


def test_examples_are_tried(curator: Client) -> None:
    works = Example.objects.get(domain="linescore", name="team-month")
    broken = Example.objects.create(domain="linescore", name="broken", question="?", tool="gone", answer="x")

    answer = curator.post(
        "/admin/toolbox/example/", {"action": "try_out", "_selected_action": [works.pk, broken.pk]}, follow=True
    )

    page = answer.content.decode()
    assert "Carolina Hurricanes played 15 games" in page
    assert "linescore has no tool gone." in page
