"""
Reservations of tokens and cost, made before each model call.

Only one transaction reserves at a time, so two runs of a key cannot reserve the same rest of a budget. A trigger
(migration 0005) ends a reservation when the call is saved or the run leaves its worker, however it leaves, and counts
what the call used.
"""

from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings

from agents.budgets import Limits, ModelCall, Price, Reservation, reserve
from toolbox.database.pools import Connection

_LOCK = "SELECT set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock(7106518212017) LIMIT 1"
_SETTLE_BROKEN = "UPDATE agents_runs SET reserved_on = NULL WHERE id = %s AND reserved_on IS NOT NULL"
_LIMITS = """
WITH asked AS (
    SELECT run.key_id, run.prompt_tokens + run.completion_tokens AS tokens, run.cost, talk.id AS conversation_id,
        talk.max_tokens, talk.max_cost, talk.max_total_tokens, talk.max_total_cost
    FROM agents_runs AS run JOIN agents_conversations AS talk ON talk.id = run.conversation_id
    WHERE run.id = %s
)
SELECT * FROM (
    SELECT 'run' AS scope, max_tokens::bigint, max_cost, tokens, cost FROM asked
    UNION ALL
    SELECT 'conversation', asked.max_total_tokens, asked.max_total_cost, used.tokens::bigint, used.cost
    FROM asked, LATERAL (
        SELECT sum(prompt_tokens + completion_tokens) AS tokens, sum(cost) AS cost FROM agents_runs
        WHERE conversation_id = asked.conversation_id
    ) AS used
    UNION ALL
    SELECT CASE WHEN budget.key_id IS NULL THEN 'server_' ELSE 'key_' END || budget.period, budget.max_tokens,
        budget.max_cost, coalesce(used.tokens, 0)::bigint, coalesce(used.cost, 0)
    FROM agents_budgets AS budget
    LEFT JOIN asked ON true
    LEFT JOIN LATERAL (
        SELECT sum(prompt_tokens + completion_tokens + reserved_tokens) AS tokens, sum(cost + reserved_cost) AS cost
        FROM agents_daily_usage AS day
        WHERE (budget.key_id IS NULL OR day.key_id = budget.key_id)
          AND (budget.period = 'total' OR day.day = (clock_timestamp() AT TIME ZONE 'UTC')::date)
    ) AS used ON true
    WHERE budget.key_id IS NULL OR budget.key_id = asked.key_id
) AS held
WHERE max_tokens IS NOT NULL OR max_cost IS NOT NULL
LIMIT 10
"""
_PRICE = """
SELECT prompt_price, completion_price FROM agents_model_prices
WHERE model IN (%s, '') AND valid_from <= (clock_timestamp() AT TIME ZONE 'UTC')::date
ORDER BY model = '', valid_from DESC
LIMIT 1
"""
_RESERVE = """
WITH reserved AS (
    UPDATE agents_runs
    SET reserved_on = (clock_timestamp() AT TIME ZONE 'UTC')::date, reserved_tokens = %(tokens)s,
        reserved_cost = %(cost)s, prompt_price = %(prompt_price)s, completion_price = %(completion_price)s,
        streamed_prompt_tokens = %(prompt_tokens)s, streamed_completion_tokens = 0, streamed_is_estimated = true
    WHERE id = %(run)s
    RETURNING reserved_on, key_id
)
INSERT INTO agents_daily_usage (day, key_id, reserved_tokens, reserved_cost)
SELECT reserved_on, coalesce(key_id, 0), %(tokens)s, %(cost)s FROM reserved
ON CONFLICT (day, key_id) DO UPDATE
SET reserved_tokens = agents_daily_usage.reserved_tokens + excluded.reserved_tokens,
    reserved_cost = agents_daily_usage.reserved_cost + excluded.reserved_cost
"""


async def reserve_tokens(connection: Connection, *, run_id: UUID, call: ModelCall) -> Reservation:
    """
    Reserve what a model call may use, in a transaction that locks the run's row; raises BudgetUsedUp.

    An earlier call of the run that broke off is counted first. Until the transaction ends, no other run can reserve.
    """
    await connection.execute(_LOCK)
    await connection.execute(_SETTLE_BROKEN, [run_id])
    rows = await (await connection.execute(_LIMITS, [run_id])).fetchall()
    reservation = reserve(
        call, limits=[Limits(**row) for row in rows], price=await _find_price(connection, model=call.model)
    )
    values: dict[str, Any] = {
        "run": run_id,
        "tokens": reservation.tokens,
        "cost": reservation.cost,
        "prompt_tokens": call.prompt_tokens,
        "prompt_price": reservation.price.prompt,
        "completion_price": reservation.price.completion,
    }
    await connection.execute(_RESERVE, values)
    return reservation


async def _find_price(connection: Connection, *, model: str) -> Price:
    """Return today's price: the model's own, the one for all models, or the environment's."""
    row = await (await connection.execute(_PRICE, [model])).fetchone()
    if row:
        return Price(prompt=row["prompt_price"], completion=row["completion_price"])
    prompt, completion = Decimal(settings.AGENT_PROMPT_PRICE), Decimal(settings.AGENT_COMPLETION_PRICE)
    return Price(prompt=prompt, completion=completion, is_known=bool(prompt or completion))
