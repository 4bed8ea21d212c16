"""Statements of the layer on the shipped organisation."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sprints.semantics.query import MetricQuery
from tests.sprints.semantics.running import Answer


@pytest.fixture
def ask(django_db_setup: None, django_db_blocker: Any) -> Iterator[Callable[..., Answer]]:
    """Compile a query, pass it through the guard and return its rows."""
    with django_db_blocker.unblock():
        yield lambda **query: Answer.of(MetricQuery.model_validate(query))
