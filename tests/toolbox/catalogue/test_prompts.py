"""Curated prompts: texts with places, and what the admin refuses."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from toolbox.catalogue.prompts import fill_template, find_problems, load_prompts
from toolbox.models import CuratedPrompt

TEAM = {"name": "team", "description": "Which."}
MONTH = {"name": "month", "description": "When.", "required": False}


def test_an_optional_part_goes_with_its_argument_and_values_are_not_read_again() -> None:
    text = "About {team}[[ in {month}]]."

    assert fill_template(text, values={"team": "CAR"}) == "About CAR."
    assert fill_template(text, values={"team": "{month}", "month": "[[{team}]]"}) == "About {month} in [[{team}]]."


@pytest.mark.parametrize(
    ("text", "arguments", "field"),
    [
        ("{team}", [TEAM], None),
        ("{team}[[ {month}]]", [TEAM, MONTH], None),
        ("{team}", [], "text"),
        ("nobody", [TEAM], "text"),
        ("{team} {month}", [TEAM, MONTH], "text"),
        ("{team}", [TEAM | {"completes": "nothing"}], "arguments"),
        ("{team}", [TEAM, TEAM], "arguments"),
        ("{team}", [{"name": "team"}], "arguments"),
        ("{team}", [TEAM | {"name": "Team!"}], "arguments"),
        ("{team}", [TEAM | {"required": "yes"}], "arguments"),
        ("{team}", {"team": "x"}, "arguments"),
        ("{team}", [[]], "arguments"),
    ],
)
def test_a_text_and_its_arguments_must_agree(text: str, arguments: Any, field: str | None) -> None:
    assert list(find_problems(text, arguments=arguments, completers={"team"}))[:1] == ([field] if field else [])


def _form(**changes: Any) -> dict[str, Any]:
    usual = {"domain": "linescore", "name": "how_is", "title": "How is it?", "description": "Asks.", "text": "Hm."}
    return usual | {"arguments": "[]", "is_enabled": "on"} | changes


@pytest.fixture
def curator(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def test_a_prompt_is_added_in_the_admin_and_its_history_is_kept(curator: Client) -> None:
    refused = curator.post("/admin/toolbox/curatedprompt/add/", _form(text="About {team}."))
    taken = curator.post("/admin/toolbox/curatedprompt/add/", _form(name="standup"))
    added = curator.post("/admin/toolbox/curatedprompt/add/", _form())

    assert refused.status_code == taken.status_code == 200
    assert "names {team}, no argument" in refused.content.decode()
    assert added.status_code == 302
    row = CuratedPrompt.objects.get(name="how_is")
    assert LogEntry.objects.filter(object_id=str(row.pk), content_type__model="curatedprompt").count() == 1


def test_shipped_prompts_are_loaded_once_and_then_left_to_curators(db: None) -> None:
    CuratedPrompt.objects.filter(name="team_form").update(title="Mine")

    loaded = load_prompts("linescore")

    assert (loaded.added, loaded.skipped) == (0, 3)
    assert CuratedPrompt.objects.get(name="team_form").title == "Mine"
