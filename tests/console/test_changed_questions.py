"""The parts of an answered question on its page: plain forms that ask the changed question."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from tests.console.test_answers import Asker, curator, find_outcome
from toolbox.database.caches import clear_all_caches

__all__ = ["curator"]

QUESTION = "How many open bugs does ORBIT have by priority?"


def list_forms(shown: str) -> dict[str, str]:
    """Return the changed question of each button that takes a part away, by its name."""
    found = re.findall(r'name="text" value="([^"]+)" aria-label="Remove ([^"]+)"', shown)
    return {unescape(name): unescape(text) for text, name in found}


def find_select(shown: str, *, part: str) -> tuple[str, list[str]]:
    """Return the start of the question that replaces a part, and the values to choose from."""
    (block,) = [one for one in shown.split("<li>") if f"<summary>{part}</summary>" in one]
    (start,) = re.findall(r'type="hidden" name="text" value="([^"]+)"', block)
    return start, re.findall(r"<option>([^<]+)</option>", block)


def test_an_answer_shows_its_parts_with_forms_that_change_them(curator: Asker) -> None:
    shown = curator.ask(QUESTION)

    assert list(list_forms(shown)) == ["with priority", "open", "type Bug", "team ORBIT", "by priority"]
    start, values = find_select(shown, part="team ORBIT")
    assert start == f"{QUESTION}\nInstead of team ORBIT:"
    assert values == ["ACCEL", "HARBOR"]


def test_a_part_that_is_taken_away_is_a_further_answer_in_words(curator: Asker) -> None:
    first = curator.ask(QUESTION)

    curator.post({"text": list_forms(first)["team ORBIT"]})
    shown = curator.look()

    assert find_outcome(shown) == "Answered"
    assert "Taken as: open issues, with priority, type Bug, by priority, now" in shown
    assert "Without: team ORBIT" in shown
    assert list(list_forms(shown)) == ["with priority", "open", "type Bug", "by priority"]


def test_a_chosen_value_ends_the_question_and_what_follows_is_asked_of_it(curator: Asker) -> None:
    start, _ = find_select(curator.ask(QUESTION), part="team ORBIT")

    curator.post({"text": start.replace("\n", "\r\n"), "value": "HARBOR"})
    assert "Taken as: open issues, with priority, type Bug, team HARBOR, by priority, now" in curator.look()
    shown = curator.ask("only p1")

    assert "team HARBOR" in shown[shown.index("Taken as") :].splitlines()[0]
    assert "team HARBOR" in list_forms(shown)


def test_only_the_last_answer_has_parts_to_change(curator: Asker) -> None:
    curator.ask(QUESTION)
    curator.ask("What is the velocity of ACCEL?")

    page = curator.browser.get(curator.address).content.decode()

    assert page.count('aria-label="Change what was asked"') == 1
    assert "Remove team ORBIT" not in page


def test_a_question_of_another_domain_has_no_parts(curator: Asker) -> None:
    assert "Change what was asked" not in curator.ask("How did Carolina do in February 2025?")


@pytest.mark.parametrize(("scopes", "is_shown"), [(["agents:read", "sprints:read"], True), (["agents:read"], False)])
def test_the_parts_are_shown_to_who_may_use_the_tools(curator: Asker, scopes: list[str], *, is_shown: bool) -> None:
    curator.ask(QUESTION)
    owner = User.objects.get(username="curator")
    owner.is_superuser = owner.is_staff = False
    owner.save()
    owner.groups.set([Group.objects.get_or_create(name=scope)[0] for scope in scopes])
    clear_all_caches()

    page = curator.browser.get(curator.address).content.decode()

    assert ("Change what was asked" in page) is is_shown
    assert ("HARBOR</option>" in page) is is_shown


def test_a_reader_of_a_shared_conversation_changes_nothing(curator: Asker) -> None:
    curator.ask(QUESTION)
    curator.browser.post(f"{curator.address}share/", {"shared": "1"})
    bob = User.objects.create_user("visitor", is_superuser=True)
    visitor = Client()
    visitor.force_login(bob)

    page = visitor.get(curator.address)
    refused = visitor.post(f"{curator.address}say/", {"text": f"{QUESTION}\nWithout: open"})

    assert page.status_code == 200
    assert "Change what was asked" not in page.content.decode()
    assert "HARBOR</option>" not in page.content.decode()
    assert "Not sent yet" in refused.content.decode()
    assert "Without: open" not in visitor.get(curator.address).content.decode()
