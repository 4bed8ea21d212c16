"""Sending of Celery tasks."""

import logging

from toolbox.work.broker import BrokerAway, send_task

logger = logging.getLogger(__name__)

EXPIRES_SECONDS = 300
"""A message that no worker takes within this time is dropped: the schedule has done its work by then."""


def embed_soon() -> None:
    """Send a task that embeds what waits. Without a broker, the schedule does it within a minute."""
    try:
        send_task("devassist.embed_root_causes", expires_seconds=EXPIRES_SECONDS)
    except BrokerAway as away:
        logger.warning("no worker could be told of a changed root cause: %s", away)


def build_graph_soon(workspace_id: int) -> None:
    """Send a task that builds the code graph of a workspace. Without a broker, the next question sends it again."""
    try:
        send_task(
            "devassist.build_code_graph", arguments={"workspace_id": workspace_id}, expires_seconds=EXPIRES_SECONDS
        )
    except BrokerAway as away:
        logger.warning("no worker could be told to build a code graph: %s", away)
