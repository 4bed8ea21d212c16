"""What the form that approves a call stands for: the call that the person saw, or the one they wrote, or nothing."""

import json
import re
from html import unescape
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.queries.rows import digest_call
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, work_on

WAITING, APPROVED = "awaiting_approval", "approved"
OTHER = '{"teamCode": "TOR"}'


class ApproveForm:
    """The form that approves a run's waiting call, as a page shows it."""

    def __init__(self, scripted_as: Scripted, onlooker: Observer, *, arguments: str) -> None:
        scripted_as(calls(arguments))
        curator = User.objects.get(username="curator")
        owner = Owner("", owner_id=curator.pk)
        conversation = owner.begin(approve_tools=[LINESCORE])
        self.run_id: UUID = owner.say("How did Carolina do?", to=conversation, is_told=False)
        work_on(self.run_id)
        self._onlooker = onlooker
        self._browser = Client()
        self._browser.force_login(curator)
        self._address = f"/c/{conversation}/"
        self.page = self._browser.get(self._address).content.decode()
        self.shown = unescape(re.findall(r"<textarea[^>]*>(.*?)</textarea>", self.page, re.S)[0])
        self.hidden = {
            name: unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', self.page)
        }

    def send(self, *, arguments: str | None = None, **changed: str) -> str:
        """Press "Approve"; returns the page that follows."""
        sent = self.hidden | {"arguments": self.shown if arguments is None else arguments} | changed
        address = f"{self._address}runs/{self.run_id}/approve/"
        return unescape(self._browser.post(address, sent, headers={"HX-Request": "true"}).content.decode())

    @property
    def step(self) -> tuple[str, str]:
        """Return the state of the call, and the arguments that a person gave it."""
        step = self._onlooker.steps(self.run_id)[1]
        return step["state"], step["edited_arguments"]


@pytest.fixture
def form(scratch_database: None, scripted_as: Scripted, onlooker: Observer) -> ApproveForm:
    """Show a waiting call to a person who may decide."""
    return ApproveForm(scripted_as, onlooker, arguments=FEBRUARY)


def test_the_form_approves_the_call_that_it_shows(form: ApproveForm) -> None:
    assert form.hidden["digest"] == digest_call(LINESCORE, arguments=form.shown)

    form.send()

    assert form.step == (APPROVED, "")


@pytest.mark.parametrize("column", ["arguments", "edited_arguments"])
def test_a_call_that_changed_under_the_page_is_not_approved(form: ApproveForm, onlooker: Observer, column: str) -> None:
    onlooker.ask(f"UPDATE agents_steps SET {column} = %s WHERE run_id = %s AND kind = 'tool'", OTHER, form.run_id)

    page = form.send()

    assert form.step[0] == WAITING
    assert "not the one that was shown" in page
    assert '"teamCode": "TOR"' in page  # the page that says so shows the call as it is now


@pytest.mark.parametrize("digest", ["", "0" * 64, "0" * 5_000])
def test_a_form_that_does_not_say_what_it_showed_approves_nothing(form: ApproveForm, digest: str) -> None:
    assert "not the one that was shown" in form.send(digest=digest)

    assert form.step[0] == WAITING


def test_edited_arguments_are_approved_in_place_of_those_shown(form: ApproveForm) -> None:
    form.send(arguments=OTHER)

    assert (form.step[0], json.loads(form.step[1])) == (APPROVED, json.loads(OTHER))


@pytest.fixture
def form_with_secret(scratch_database: None, scripted_as: Scripted, onlooker: Observer) -> ApproveForm:
    """Show a call with a value that the page masks."""
    return ApproveForm(scripted_as, onlooker, arguments='{"teamCode": "CAR", "apiKey": "abc-123-def"}')


def test_a_masked_value_is_not_written_in_place_of_the_value(form_with_secret: ApproveForm) -> None:
    page = form_with_secret.send(arguments=form_with_secret.shown.replace("CAR", "TOR"))

    assert "[redacted] stands for a value that is not shown" in page
    assert form_with_secret.step == (WAITING, "")

    form_with_secret.send()
    assert form_with_secret.step == (APPROVED, "")


@pytest.mark.parametrize("written", ['{"teamCode": "TOR"', "TOR", "[]", ""])
def test_edited_text_that_is_no_object_approves_nothing(form: ApproveForm, written: str) -> None:
    page = form.send(arguments=written)

    assert form.step == (WAITING, "")
    assert "are no JSON object" in page


@pytest.mark.parametrize("arguments", [json.dumps({"note": "x" * 40_000}), '{"note": "x', '{"a": 1, "a": 2}'])
def test_arguments_that_are_long_or_no_json_are_shown_whole_and_approved_as_shown(
    scratch_database: None, scripted_as: Scripted, onlooker: Observer, arguments: str
) -> None:
    form = ApproveForm(scripted_as, onlooker, arguments=arguments)

    assert form.shown.count("x") == arguments.count("x")
    form.send()

    assert form.step == (APPROVED, "")
