"""Celery tasks of this domain. They are called by keyword, so that old and new workers run side by side."""

from typing import Any

from celery import shared_task

from devassist.code_graph.building import build_stored
from devassist.jobs import EXPIRES_SECONDS
from devassist.root_causes.endpoint_load import embed_by_endpoint
from devassist.root_causes.load import embed_waiting

MAX_AT_ONCE = 2_000


@shared_task(name="devassist.embed_root_causes", ignore_result=True, expires=EXPIRES_SECONDS)
def embed_root_causes(**_future: Any) -> None:
    """Embed entries whose text or model changed. The schedule continues what is left."""
    embed_waiting(most=MAX_AT_ONCE)
    embed_by_endpoint(most=MAX_AT_ONCE)


@shared_task(name="devassist.build_code_graph", ignore_result=True, expires=EXPIRES_SECONDS)
def build_code_graph(*, workspace_id: int, **_future: Any) -> None:
    """Bring the code graph of a workspace up to date. Does nothing if another worker builds it."""
    build_stored(workspace_id)
