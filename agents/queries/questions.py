"""Questions without an answer: their run failed, or nothing covered them."""

from datetime import datetime
from typing import Any

from toolbox.database.pools import work_pool

Row = dict[str, Any]

_UNANSWERED = """
SELECT run.id AS run_id, run.conversation_id, run.state, run.error_code, left(run.error, 300) AS error, run.created_at,
    left(question.text, 300) AS question, owner.username AS owner
FROM (
    SELECT * FROM (
        SELECT * FROM agents_runs WHERE created_at >= %(since)s ORDER BY created_at DESC LIMIT 20000
    ) AS latest WHERE state IN ('failed', 'timed_out') ORDER BY created_at DESC LIMIT 50
) AS run
JOIN agents_messages AS question ON question.id = run.question_id
JOIN agents_conversations AS talk ON talk.id = run.conversation_id
LEFT JOIN auth_user AS owner ON owner.id = talk.owner_id
ORDER BY run.created_at DESC LIMIT 50
"""
# The details of a run's last model step have the outcome, unless a language model answered.
_UNCOVERED = """
SELECT run.conversation_id, run.created_at, talk.title, owner.username AS owner,
    left(step.details ->> 'question', 2000) AS question, coalesce(step.details ->> 'domain', '') AS domain
FROM ({runs}) AS run
JOIN agents_conversations AS talk ON talk.id = run.conversation_id
LEFT JOIN auth_user AS owner ON owner.id = talk.owner_id
CROSS JOIN LATERAL (
    SELECT last.answer::jsonb -> 'details' AS details FROM (
        SELECT answer FROM agents_steps
        WHERE run_id = run.id AND kind = 'model' AND state = 'answered' ORDER BY number DESC LIMIT 1
    ) AS last WHERE octet_length(last.answer) < 100000
) AS step
WHERE step.details ->> 'outcome' = 'not_covered' AND step.details ->> 'question' <> ''
ORDER BY run.created_at DESC LIMIT 50
"""
_LATEST_RUNS = """
    SELECT id, conversation_id, created_at FROM agents_runs
    WHERE created_at >= %(since)s AND state = 'succeeded' ORDER BY created_at DESC LIMIT 2000
"""
_RUNS_OF_OWNER = """
    SELECT latest.id, latest.conversation_id, latest.created_at FROM (
        SELECT id FROM agents_conversations WHERE owner_id = %(owner)s ORDER BY updated_at DESC LIMIT 20
    ) AS mine CROSS JOIN LATERAL (
        SELECT id, conversation_id, created_at FROM agents_runs
        WHERE conversation_id = mine.id AND state = 'succeeded' ORDER BY created_at DESC LIMIT 5
    ) AS latest
"""


async def find_unanswered(*, since: datetime) -> list[Row]:
    """Return the latest questions of everyone whose run failed or timed out; 50 of the latest 20,000 runs."""
    return (await work_pool.fetch(_UNANSWERED, {"since": since})).rows


async def find_uncovered(*, since: datetime) -> list[Row]:
    """Return the latest questions of everyone that nothing covered; 50 of the latest 2,000 answered runs."""
    return (await work_pool.fetch(_UNCOVERED.format(runs=_LATEST_RUNS), {"since": since})).rows


async def find_uncovered_of(owner_id: int) -> list[Row]:
    """Return the latest questions of a person that nothing covered, in the 20 conversations used last."""
    return (await work_pool.fetch(_UNCOVERED.format(runs=_RUNS_OF_OWNER), {"owner": owner_id})).rows
