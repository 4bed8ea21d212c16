"""What Celery does for this domain; called by keyword, so that old and new workers work side by side."""

from typing import Any

from celery import shared_task

from devassist.root_causes.load import embed_waiting

MAX_AT_ONCE = 2_000


@shared_task(name="devassist.embed_root_causes", ignore_result=True, expires=300)
def embed_root_causes(**_future: Any) -> None:
    """Embed entries whose text or model changed; what is left over, the schedule takes up."""
    embed_waiting(most=MAX_AT_ONCE)
