"""Telling workers that something waits."""

import logging

from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def embed_soon() -> None:
    """Have a worker embed what waits; where the broker is away, the schedule does it within a minute."""
    from devassist.tasks import embed_root_causes  # noqa: PLC0415 - a task imports the model's code, pages need not

    try:
        embed_root_causes.apply_async(retry=False)
    except (OperationalError, OSError) as away:
        logger.warning("no worker could be told of a changed root cause: %s", away)
