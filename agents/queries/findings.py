"""Describe what a run found and what is missing: for partial answers, and for cancelled runs."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson

from agents.models import Step
from agents.queries.rows import StepRow
from toolbox.database.pools import Connection

MAX_LISTED = 40
_STEPS = """
SELECT number, kind, state, idempotency_key, tool, code, CASE WHEN kind = 'model' THEN answer ELSE '' END AS answer,
    octet_length(answer) AS answer_bytes
FROM agents_steps WHERE run_id = %s ORDER BY number LIMIT 1000
"""
_STREAMED = """
SELECT data ->> 'text' AS text FROM agents_events
WHERE run_id = %(run)s AND kind = 'text' AND data -> 'step' = to_jsonb(%(step)s::int)
  AND number > coalesce(
      (SELECT max(number) FROM agents_events WHERE run_id = %(run)s AND kind = 'model.retrying'), 0
  )
ORDER BY number LIMIT 5000
"""
_STATES = {
    Step.State.REFUSED: "refused",
    Step.State.REJECTED: "not approved",
    Step.State.STARTED: "begun, its outcome is not known",
}


def has_findings(steps: Sequence[StepRow]) -> bool:
    """Return whether a tool of the run has answered."""
    return any(step.state == Step.State.ANSWERED and not step.is_model for step in steps)


def list_findings(steps: Sequence[StepRow], *, answer_bytes: dict[int, int] | None = None) -> str:
    """List what was answered, without contents: readers of the conversation may lack the tools' scopes."""
    sizes = answer_bytes or {step.number: len(step.answer.encode()) for step in steps}
    lines = [
        f"- step {step.number}, {step.tool}: answered, {sizes[step.number]:,} bytes"
        for step in steps
        if not step.is_model and step.state == Step.State.ANSWERED
    ]
    return _write_list("Found, to be read in the steps of the run:", lines)


def list_missing(steps: Sequence[StepRow]) -> str:
    """List the calls that the model requested but that have no answer; "" if there are none."""
    lines = [
        f"- step {step.number}, {step.tool}: {_STATES.get(Step.State(step.state), 'not made')}"
        for step in steps
        if not step.is_model and step.state != Step.State.ANSWERED
    ]
    return _write_list("Missing:", lines)


async def describe_cancelled(connection: Connection, *, run_id: UUID) -> str:
    """Describe what a run that is being cancelled had said and found; "" if nothing."""
    rows = await (await connection.execute(_STEPS, [run_id])).fetchall()
    sizes = {row["number"]: row.pop("answer_bytes") for row in rows}
    steps = [StepRow(**row) for row in rows]
    said = [_read_text(step) for step in steps if step.is_model and step.is_over]
    if steps and steps[-1].is_model and not steps[-1].is_over:
        values: dict[str, Any] = {"run": run_id, "step": steps[-1].number}
        pieces = await (await connection.execute(_STREAMED, values)).fetchall()
        said.append("".join(row["text"] or "" for row in pieces))
    if not has_findings(steps) and not any(said):
        return ""
    parts = ["(Cancelled: this answer is partial.)", *said, list_findings(steps, answer_bytes=sizes)]
    return "\n\n".join(filter(None, (part.strip() for part in [*parts, list_missing(steps)])))


def _read_text(step: StepRow) -> str:
    return str(orjson.loads(step.answer)["text"])


def _write_list(heading: str, lines: Sequence[str]) -> str:
    more = [f"- and {len(lines) - MAX_LISTED} more"] if len(lines) > MAX_LISTED else []
    return "\n".join([heading, *lines[:MAX_LISTED], *more]) if lines else ""
