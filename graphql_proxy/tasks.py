"""Celery tasks of this domain."""

from datetime import UTC, datetime
from typing import Any

from celery import shared_task

from graphql_proxy.upkeep.refresh import refresh_due_schemas


@shared_task(name="graphql_proxy.refresh_schemas", ignore_result=True)
def refresh_schemas(**_future: Any) -> None:
    """Fetch the schemas that are due."""
    refresh_due_schemas(now=datetime.now(UTC))
