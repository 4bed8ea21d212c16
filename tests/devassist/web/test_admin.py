"""The admin's pages of documents, kept answers and sources."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from devassist.models import DocPage, WebAnswer, WebSource

pytestmark = pytest.mark.django_db


@pytest.fixture
def curator(client: Client) -> Client:
    """Log the curator in."""
    client.force_login(User.objects.get(username="curator"))
    return client


def test_documents_are_shown_with_their_sections(curator: Client) -> None:
    page = DocPage.objects.get(path="kotlin-null-safety.md")

    listed = curator.get("/admin/devassist/docpage/?q=null").content.decode()
    shown = curator.get(f"/admin/devassist/docpage/{page.pk}/change/").content.decode()

    assert "Kotlin: where null comes from" in listed
    assert "UninitializedPropertyAccessException" in shown


def test_a_kept_answer_is_read_and_deleted_and_a_pause_is_ended(curator: Client) -> None:
    now = timezone.now()
    kept = WebAnswer.objects.create(
        source="mdn", digest="d", words="a crash", hits=[["<b>t</b>", "u", "x"]], fetched_at=now
    )
    source = WebSource.objects.create(name="mdn", paused_until=now, state="it wants fewer requests")

    shown = curator.get(f"/admin/devassist/webanswer/{kept.pk}/change/").content.decode()
    curator.post(f"/admin/devassist/webanswer/{kept.pk}/delete/", {"post": "yes"})
    curator.post(f"/admin/devassist/websource/{source.pk}/change/", {"paused_until_0": "", "paused_until_1": ""})

    assert "<b>t</b>" not in shown
    assert not WebAnswer.objects.filter(pk=kept.pk).exists()
    source.refresh_from_db()
    assert (source.paused_until, source.state) == (None, "it wants fewer requests")
    assert curator.get("/admin/devassist/websource/add/").status_code == 403
