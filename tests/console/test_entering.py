"""Who gets in, and what a browser is told."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from console.entering import once_path

pytestmark = pytest.mark.django_db(transaction=False)


def test_a_stranger_is_led_to_log_in_and_comes_back() -> None:
    led = Client().get("/tools/")
    assert led["Location"] == "/login/?next=/tools/"

    entered = Client().post(led["Location"], {"username": "curator", "password": "curator", "next": "/tools/"})

    assert (entered.status_code, entered["Location"]) == (302, "/tools/")


def test_a_link_logs_in_once_and_never_by_being_looked_at() -> None:
    path = once_path(User.objects.get(username="alice"))
    looked = Client()

    assert looked.get(path).status_code == 200
    assert "_auth_user_id" not in looked.session
    assert Client().post(path)["Location"] == "/"
    assert Client().post(path).status_code == 410
    assert Client().get(path[:-2] + "x/").status_code == 410
    assert Client().get("/login/once/OTk5OTk5OTk5OTk5OTk/x-y/").status_code == 410
