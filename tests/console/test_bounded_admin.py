"""No list of the admin asks much, or without a bound, whatever its table holds."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.models import Conversation, Message, Run, Step
from tests.pages import as_user
from toolbox.models import ToolCall

MAX_STATEMENTS = 12
admin.autodiscover()
LISTS = {f"{model._meta.app_label}_{model._meta.model_name}": its for model, its in admin.site._registry.items()}
BOUNDED = re.compile(
    r"LIMIT \d|^SELECT MIN\(|DATE_TRUNC|\bIN \([^()]*\)|^(SAVEPOINT|RELEASE|INSERT|UPDATE|DELETE|BEGIN)", re.I
)
"""Cut, the ends of an index, months, or by the keys of rows that were cut before."""


@pytest.fixture
def two_of_what_grows(db: None) -> None:
    """Create two calls, and two conversations with a question, a run and a step each."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for name in ("one", "two"):
        ToolCall.objects.create(called_at=at, request_id=name, status=200, rows=1, answer_bytes=1, milliseconds=1.0)
        talk = Conversation.objects.create(title=name, message_count=1)
        question = Message.objects.create(conversation=talk, number=1, role="user", text=name)
        run = Run.objects.create(conversation=talk, question=question, state="succeeded", created_at=at, finished_at=at)
        Step.objects.create(run=run, number=1, kind="model", state="answered", attempt=1, created_at=at, finished_at=at,
            idempotency_key=f"bounded-{name}")  # fmt: skip


@pytest.mark.usefixtures("two_of_what_grows")
@pytest.mark.parametrize("name", LISTS)
def test_a_list_asks_little_and_cuts_each_statement(name: str) -> None:
    curator: Client = as_user("curator")
    with CaptureQueriesContext(connection) as asked:
        answer = curator.get(reverse(f"admin:{name}_changelist"))

    statements = [query["sql"] for query in asked]
    assert answer.status_code == (200 if _is_shown(LISTS[name]) else 403)
    assert len(statements) <= MAX_STATEMENTS, statements
    assert [statement for statement in statements if not BOUNDED.search(statement)] == []


def _is_shown(its_admin: Any) -> bool:
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get(username="curator")
    return bool(its_admin.has_view_or_change_permission(request))
