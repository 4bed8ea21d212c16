"""A form that was sent without a session, or after another log-in, is kept, shown, and sent when its person agrees."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from console.accounts.login import login_link_path

pytestmark = pytest.mark.usefixtures("scratch_database")
WORDS = "Who leads <the> league?\nAnd why?"
PASSWORD = {"username": "curator", "password": "curator"}


@pytest.fixture
def browser() -> Client:
    """Log the curator in, in a browser that obeys Django's check of forms."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="curator"))
    return client


def read_token(page: Any) -> dict[str, str]:
    return {"csrfmiddlewaretoken": re.findall('name="csrfmiddlewaretoken" value="(.*?)"', page.content.decode())[-1]}


def read_hidden(page: Any) -> dict[str, str]:
    """Return what a page's form carries."""
    text = page.content.decode()
    carried = re.findall(r'<input type="hidden" name="(\w+)" value="(.*?)"', text)
    carried += re.findall(r'<textarea name="(\w+)" hidden>\n(.*?)</textarea>', text, re.DOTALL)
    return {name: unescape(value) for name, value in carried}


def test_a_question_outlives_the_session(browser: Client) -> None:
    sent = {"text": WORDS} | read_token(browser.get("/"))
    browser.session.flush()

    page = browser.post("/ask/", sent)
    assert "nothing was sent" in page.content.decode()
    wrong = browser.post("/login/", read_hidden(page) | PASSWORD | {"password": "guess"})
    unsent = browser.post("/login/", read_hidden(wrong) | PASSWORD)
    assert "Not sent yet" in unsent.content.decode()
    carried = read_hidden(unsent)
    asked = browser.get(browser.post("/ask/", carried)["Location"])

    assert carried["text"] == WORDS
    assert "Who leads &lt;the&gt; league?<br>And why?" in asked.content.decode()


def test_a_page_older_than_the_log_in_shows_what_it_sent(browser: Client) -> None:
    sent = {"text": WORDS} | read_token(browser.get("/"))
    browser.logout()
    browser.post("/login/", PASSWORD | read_token(browser.get("/login/")))

    refused = browser.post("/ask/", sent)
    shown = browser.post("/ask/", sent, headers={"origin": "http://testserver"})
    elsewhere = browser.post("/ask/", sent, headers={"origin": "http://evil.example"})

    assert [one.status_code for one in (refused, elsewhere)] == [403, 403]
    assert not any(WORDS[:9] in one.content.decode() for one in (refused, elsewhere))
    assert read_hidden(shown)["text"] == WORDS
    assert browser.post("/ask/", read_hidden(shown))["Location"].startswith("/c/")


def test_htmx_shows_the_log_in_in_place_of_the_page(browser: Client) -> None:
    sent = {"teamCode": "CAR"} | read_token(browser.get("/tools/query_linescore_data/"))
    browser.session.flush()
    page = browser.post("/tools/query_linescore_data/", sent, headers={"hx-request": "true"})
    assert (page.status_code, page["HX-Retarget"], page["HX-Reselect"]) == (200, "#main", "#main")
    assert "unsent" in read_hidden(page)


def test_a_forged_form_is_not_offered_and_a_password_is_not_shown(browser: Client) -> None:
    browser.logout()
    entered = browser.post("/login/", PASSWORD | {"unsent": "x:y:z"} | read_token(browser.get("/login/")))
    assert entered["Location"] == "/"
    shown = browser.post(
        "/login/", PASSWORD | {"csrfmiddlewaretoken": "x" * 64}, headers={"origin": "http://testserver"}
    )
    assert shown["Location"] == "/"
    stranger = Client(enforce_csrf_checks=True).post("/login/", PASSWORD, headers={"origin": "http://testserver"})
    assert (stranger.status_code, "Not sent yet" in stranger.content.decode()) == (403, False)


def test_a_link_that_was_clicked_twice_leads_in() -> None:
    client = Client()
    path = login_link_path(User.objects.get(username="alice"))
    assert [client.post(path)["Location"] for _ in range(2)] == ["/", "/"]


@pytest.mark.parametrize("address", ["/ask/", "/teach/save/", "/connect/key/", "/logout/"])
def test_a_form_s_address_opened_by_itself_is_a_page(browser: Client, address: str) -> None:
    page = browser.get(address)
    assert (page.status_code, "only takes what a form sends" in page.content.decode()) == (405, True)
