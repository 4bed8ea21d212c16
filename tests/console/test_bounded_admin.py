"""No list of the admin asks much, or without a bound, whatever its table holds; nor does the dashboard or a form."""

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.pages import as_user

MOST_STATEMENTS = 12
LISTS = [f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry]
BOUNDED = re.compile(
    r"LIMIT \d|^SELECT MIN\(|DATE_TRUNC|\bIN \([^()]*\)|^(SAVEPOINT|RELEASE|INSERT|UPDATE|DELETE|BEGIN)", re.I
)
"""Cut, the ends of an index, months, or by the keys of rows that were cut before."""


@pytest.mark.django_db
@pytest.mark.parametrize("name", LISTS)
def test_a_list_asks_little_and_cuts_each_statement(name: str) -> None:
    curator: Client = as_user("curator")
    with CaptureQueriesContext(connection) as asked:
        answer = curator.get(reverse(f"admin:{name}_changelist"))

    statements = [query["sql"] for query in asked]
    assert answer.status_code in (200, 403)
    assert len(statements) <= MOST_STATEMENTS, statements
    assert [statement for statement in statements if not BOUNDED.search(statement)] == []
