"""Who gets in, and what a browser is told."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from limits import RateLimitItemPerMinute

from console.accounts.login import login_link_path
from toolbox.access import login_limits
from toolbox.access.address_limits import AddressLimit
from toolbox.http.server_address import announce_address

pytestmark = pytest.mark.django_db(transaction=False)


def test_a_stranger_is_led_to_log_in_and_comes_back() -> None:
    led = Client().get("/tools/")
    assert led["Location"] == "/login/?next=/tools/"

    entered = Client().post(led["Location"], {"username": "curator", "password": "curator", "next": "/tools/"})

    assert (entered.status_code, entered["Location"]) == (302, "/tools/")


def test_a_link_logs_in_once_and_never_by_being_looked_at() -> None:
    path = login_link_path(User.objects.get(username="alice"))
    looked = Client()

    assert looked.get(path).status_code == 200
    assert "_auth_user_id" not in looked.session
    assert Client().post(path)["Location"] == "/"
    assert Client().post(path).status_code == 410
    assert Client().get(path[:-2] + "x/").status_code == 410
    assert Client().get("/login/once/OTk5OTk5OTk5OTk5OTk/x-y/").status_code == 410


@pytest.fixture
def two_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_limits, "WINDOW", RateLimitItemPerMinute(2, 7))


def attempt(name: str, password: str, *, at: str = "/login/") -> tuple[int, str]:
    answer = Client().post(at, {"username": name, "password": password})
    return answer.status_code, answer.content.decode()


def test_too_many_wrong_passwords_for_a_name_are_refused_at_both_doors(two_attempts: None) -> None:
    wrong = [attempt("mallory", "guess")[0], attempt("Mallory", "guess", at="/admin/login/")[0]]

    status, page = attempt("mallory", "guess")

    assert (wrong, status, "Too many wrong passwords" in page) == ([200, 200], 429, True)
    assert "Too many wrong passwords" in attempt("mallory", "guess", at="/admin/login/")[1]


def test_log_ins_from_one_address_are_limited_whatever_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = AddressLimit(name="logins-test", window=RateLimitItemPerMinute(2))
    monkeypatch.setattr(login_limits, "ADDRESS_LIMIT", limit)

    seen = [attempt(name, "guess") for name in ("mallory-1", "mallory-2", "mallory-3")]
    elsewhere = Client(REMOTE_ADDR="192.0.2.7").post("/login/", {"username": "curator", "password": "curator"})

    assert [status for status, _ in seen] == [200, 200, 429]
    assert "Too many log-ins from this address. Wait 1 minute" in seen[2][1]
    assert elsewhere.status_code == 302


def test_a_password_that_fits_begins_the_count_anew_and_is_refused_when_it_comes_too_late(two_attempts: None) -> None:
    seen = [attempt("curator", password)[0] for password in ("wrong", "curator", "wrong", "wrong", "curator")]

    assert seen == [200, 302, 200, 200, 429]


@pytest.fixture
def own_settings(settings: Any, tmp_path: Path) -> Any:
    settings.TOOLROOM_VAR, settings.TOOLROOM_URL = tmp_path, ""
    return settings


def test_the_command_prints_where_quickstart_serves(own_settings: Any) -> None:
    def print_link(*arguments: str) -> str:
        printed = StringIO()
        call_command("login_link", "alice", *arguments, stdout=printed)
        return printed.getvalue().partition("/login/once/")[0]

    assert print_link() == "http://127.0.0.1:8000"
    with announce_address("http://127.0.0.1:8017"):
        assert print_link() == "http://127.0.0.1:8017"
        assert print_link("--at", "https://tools.example.org/") == "https://tools.example.org"
    assert print_link() == "http://127.0.0.1:8000"
    own_settings.TOOLROOM_URL = "https://tools.example.org"
    assert print_link() == "https://tools.example.org"
