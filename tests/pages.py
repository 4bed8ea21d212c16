"""Helpers for tests of pages: log in, parse a table, count statements."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from toolbox.database.pools import Pool, reader


def as_user(name: str) -> Client:
    """Log a person in."""
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def rows(page: bytes, *, of: str) -> list[list[str]]:
    """Read the table that follows a text."""
    text = page.decode()
    table = text[text.index(of) :]
    table = table[table.index("<tbody>") : table.index("</tbody>")]
    lines = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL) for line in table.split("<tr>")[1:]]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in line] for line in lines]


def counted(monkeypatch: pytest.MonkeyPatch, *, which: Callable[[Pool, str], bool]) -> list[str]:
    """Record the matching statements that the pools send from here on."""
    seen: list[str] = []
    usual = Pool.fetch

    async def fetch(pool: Pool, statement: str, parameters: Any = ()) -> Any:
        if which(pool, statement):
            seen.append(statement)
        return await usual(pool, statement, parameters)

    monkeypatch.setattr(Pool, "fetch", fetch)
    return seen


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record what is read through the reader role while a page is rendered."""
    return counted(monkeypatch, which=lambda pool, _: pool is reader)
