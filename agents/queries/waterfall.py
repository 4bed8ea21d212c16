"""The steps of a conversation's latest runs with their times, and what the models cost."""

from datetime import datetime
from typing import Any
from uuid import UUID

from toolbox.database.pools import work_pool

Row = dict[str, Any]

_STEPS = """
SELECT run.id AS run_id, run.created_at AS run_created_at, run.state AS run_state, run.cost, run.model,
    left(question.text, 300) AS question, step.number, step.kind, step.tool, step.state, step.code,
    step.created_at, step.finished_at, step.milliseconds, step.prompt_tokens, step.completion_tokens
FROM (
    SELECT * FROM agents_runs WHERE conversation_id = %s ORDER BY created_at DESC LIMIT 10
) AS run
JOIN agents_messages AS question ON question.id = run.question_id
CROSS JOIN LATERAL (
    SELECT * FROM agents_steps WHERE run_id = run.id ORDER BY number LIMIT 100
) AS step
ORDER BY run.created_at DESC, run.id, step.number LIMIT 1000
"""
_COST = """
SELECT day, sum(cost) AS cost, sum(prompt_tokens + completion_tokens)::bigint AS tokens
FROM agents_daily_usage WHERE day >= %s GROUP BY day ORDER BY day LIMIT 400
"""
_OF_CALL = """
SELECT run.conversation_id, step.run_id, step.number, step.state, step.tool, step.code, step.milliseconds,
    coalesce(nullif(step.edited_arguments, ''), step.arguments) AS arguments, left(step.answer, 2000000) AS answer
FROM agents_steps AS step JOIN agents_runs AS run ON run.id = step.run_id
WHERE step.idempotency_key = %s LIMIT 1
"""


async def find_timed_steps(conversation_id: UUID) -> list[Row]:
    """Return the steps of the latest ten runs. Does not check who may read the conversation."""
    return (await work_pool.fetch(_STEPS, [conversation_id])).rows


async def sum_cost_by_day(*, since: datetime) -> list[Row]:
    """Return the cost and tokens of the models for each day."""
    return (await work_pool.fetch(_COST, [since.date()])).rows


async def find_step_of_call(idempotency_key: str) -> Row | None:
    """
    Return the step that made a call, by the call's request id in the audit log.

    Does not check who may read the conversation.
    """
    found = await work_pool.fetch(_OF_CALL, [idempotency_key])
    return found.rows[0] if found.rows else None
