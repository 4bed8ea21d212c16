"""Messages to workers that something waits."""

import logging

from toolbox.work.broker import BrokerAway, send_task

logger = logging.getLogger(__name__)

EXPIRES_SECONDS = 300
"""A message that no worker takes for so long is dropped: the schedule has done its work by then."""


def embed_soon() -> None:
    """Have a worker embed what waits; where the broker is away, the schedule does it within a minute."""
    try:
        send_task("devassist.embed_root_causes", expires_seconds=EXPIRES_SECONDS)
    except BrokerAway as away:
        logger.warning("no worker could be told of a changed root cause: %s", away)


def build_graph_soon(workspace_id: int) -> None:
    """Have a worker build the code graph of a workspace; where the broker is away, the next question asks again."""
    try:
        send_task(
            "devassist.build_code_graph", arguments={"workspace_id": workspace_id}, expires_seconds=EXPIRES_SECONDS
        )
    except BrokerAway as away:
        logger.warning("no worker could be told to build a code graph: %s", away)
