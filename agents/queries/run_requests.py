"""New messages, runs as their owners see them, and people's decisions about calls."""

from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from agents.contracts import CALL_CHANGED
from agents.queries.leases import append, end_run
from agents.queries.rows import digest_call
from agents.step_access import require_scope
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.contract.caller import Caller
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal
from toolbox.database.pools import Connection, work_pool, writer
from toolbox.text.redaction import REDACTED, MaskedText

MAX_WAITING = 20
MAX_TITLE = 80

_CONVERSATION = """
SELECT id, title, second_message, message_count FROM agents_conversations
WHERE id = %s AND owner_id IS NOT DISTINCT FROM %s
FOR UPDATE
"""
_LIVE = """
SELECT id FROM agents_runs WHERE conversation_id = %s AND state IN ('queued', 'running', 'awaiting_approval')
ORDER BY created_at, id LIMIT 100
"""
_SAY = """
INSERT INTO agents_messages (conversation_id, number, role, text, created_at)
VALUES (%(conversation)s, %(number)s, 'user', %(text)s, clock_timestamp())
RETURNING id
"""
_COUNT = """
UPDATE agents_conversations
SET message_count = %(number)s, updated_at = clock_timestamp(), title = %(title)s
WHERE id = %(conversation)s
"""
_RUN = """
INSERT INTO agents_runs (id, conversation_id, question_id, key_id, state, attempt, losses, worker, model, created_at,
    enqueued_at, enqueues, event_count, step_count, prompt_tokens, completion_tokens, cost, error_code, error)
VALUES (coalesce(%(run)s, gen_random_uuid()), %(conversation)s, %(question)s, %(key)s, 'queued', 0, 0, '', '',
    clock_timestamp(), clock_timestamp(), 0, 0, 0, 0, 0, 0, '', '')
RETURNING id
"""
_LOCK_CONVERSATION = """
SELECT id FROM agents_conversations WHERE id = (SELECT conversation_id FROM agents_runs WHERE id = %s) FOR KEY SHARE
"""
_AGAIN = """
INSERT INTO agents_runs (id, conversation_id, question_id, key_id, state, attempt, losses, worker, model, created_at,
    enqueued_at, enqueues, event_count, step_count, prompt_tokens, completion_tokens, cost, error_code, error)
SELECT gen_random_uuid(), conversation_id, question_id, CASE WHEN %s THEN NULL ELSE key_id END,
    'queued', 0, 0, '', '', clock_timestamp(),
    clock_timestamp(), 0, 0, 0, 0, 0, 0, '', ''
FROM agents_runs WHERE id = %s
RETURNING id
"""
_OWNED = """
SELECT run.id, run.conversation_id AS conversation, question.number AS message, run.state, run.attempt, run.model,
    run.created_at, run.started_at, run.finished_at, run.event_count AS events, run.prompt_tokens,
    run.completion_tokens, run.estimated_tokens, run.cost, run.error_code, run.error, run.step_count AS steps_done,
    (SELECT text FROM agents_messages WHERE run_id = run.id ORDER BY number LIMIT 1) AS text
FROM agents_runs AS run
JOIN agents_messages AS question ON question.id = run.question_id
JOIN agents_conversations AS conversation ON conversation.id = run.conversation_id
WHERE run.id = %s AND conversation.owner_id IS NOT DISTINCT FROM %s
  AND (%s::uuid IS NULL OR run.conversation_id = %s)
LIMIT 1
"""
_OTHERS = """
SELECT 1 FROM agents_runs
WHERE (id = %(run)s OR conversation_id = %(conversation)s) AND key_id IS DISTINCT FROM %(key)s
LIMIT 1
"""
_STEPS = """
SELECT number, kind, state, tool, left(coalesce(nullif(edited_arguments, ''), arguments), 16384) AS arguments, code,
    milliseconds, octet_length(answer) AS answer_bytes, prompt_tokens, completion_tokens, is_estimated,
    approved_by, approved_at, approved_scopes
FROM agents_steps WHERE run_id = %s ORDER BY number LIMIT 1000
"""
_STEP = "SELECT number, kind, tool, code, answer, shown FROM agents_steps WHERE run_id = %s AND number = %s LIMIT 1"
_LOCK_RUN = "SELECT state FROM agents_runs WHERE id = %s FOR UPDATE"
_WAITING = """
SELECT number, tool, arguments, edited_arguments, idempotency_key FROM agents_steps
WHERE run_id = %s AND state = 'awaiting_approval' AND (%s::int IS NULL OR number = %s)
ORDER BY number LIMIT 1
"""
_APPROVE = """
UPDATE agents_steps
SET state = 'approved', edited_arguments = %(edited_arguments)s, idempotency_key = %(idempotency_key)s,
    approval_digest = %(digest)s, approved_by = %(by)s, approved_key_id = %(key)s, approved_scopes = %(scopes)s,
    approved_at = clock_timestamp(), approval_used_at = NULL
WHERE run_id = %(run)s AND number = %(number)s
"""
_REJECT = """
UPDATE agents_steps SET state = 'rejected', word = %s, code = 'REJECTED', finished_at = clock_timestamp()
WHERE run_id = %s AND number = %s
"""
_GO_ON = "UPDATE agents_runs SET state = 'queued', enqueued_at = clock_timestamp(), enqueues = 0 WHERE id = %s"

Row = dict[str, Any]
NotPosted = Literal["unknown", "busy", "full"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedMessage:
    """An accepted message, and the run that will answer it."""

    run_id: UUID
    number: int


async def post_message(
    conversation_id: UUID, *, owner_id: int | None, key_id: int | None, text: str, run_id: UUID | None = None
) -> PostedMessage | NotPosted:
    """
    Store a message and queue its run as the conversation's policy says; the row exists before any broker message.

    Secrets are masked: the model sees them no more than a reader does. The run gets the id `run_id` if one is given.
    """

    async def take(connection: Connection) -> PostedMessage | NotPosted:
        async with connection.transaction():
            found = await (await connection.execute(_CONVERSATION, [conversation_id, owner_id])).fetchone()
            if found is None:
                return "unknown"
            live = [row["id"] for row in await (await connection.execute(_LIVE, [conversation_id])).fetchall()]
            if live and found["second_message"] == "refuse":
                return "busy"
            if found["second_message"] == "replace":
                for earlier in live:
                    await end_run(connection, run_id=earlier, state="cancelled")
            elif len(live) >= MAX_WAITING:
                return "full"
            return await _store_message(connection, found, key_id=key_id, text=masked, run_id=run_id)

    masked = MaskedText(text)
    return await writer.run(take)


async def run_again(run_id: UUID, *, by_owner: bool = False) -> UUID | None:
    """
    Queue a new run of the same question, with the rights of the same key or, with `by_owner`, of the owner.

    Return None if the run is gone. The conversation is locked first: its deletion may be at work.
    """

    async def repeat(connection: Connection) -> UUID | None:
        async with connection.transaction():
            await connection.execute(_LOCK_CONVERSATION, [run_id])
            made = await (await connection.execute(_AGAIN, [by_owner, run_id])).fetchone()
            if made is None:
                return None
            again: UUID = made["id"]
            await append(connection, run_id=again, kind="run.queued", data={"again": str(run_id)})
            return again

    return await writer.run(repeat)


async def owned_run(run_id: UUID, *, owner_id: int | None, conversation_id: UUID | None = None) -> Row | None:
    """Return a run of the owner (and of that conversation, if given), or None."""
    found = await work_pool.fetch(_OWNED, [run_id, owner_id, conversation_id, conversation_id])
    return found.rows[0] if found.rows else None


async def has_others(key_id: int | None, *, run_id: UUID | None = None, conversation_id: UUID | None = None) -> bool:
    """Return whether another key, or a person without one, asked for the run or for one of the conversation's."""
    found = await work_pool.fetch(_OTHERS, {"run": run_id, "conversation": conversation_id, "key": key_id})
    return bool(found.rows)


async def find_steps(run_id: UUID) -> list[Row]:
    """Return a run's steps without their answers. Does not check the owner."""
    return (await work_pool.fetch(_STEPS, [run_id])).rows


async def find_step(run_id: UUID, *, number: int) -> Row | None:
    """Return one step with its whole answer. Does not check the owner."""
    found = await work_pool.fetch(_STEP, [run_id, number])
    return found.rows[0] if found.rows else None


async def approve(
    run_id: UUID, *, number: int | None, caller: Caller, arguments: str = "", digest: str = ""
) -> int | None:
    """
    Approve the waiting step, with other arguments if some are given; None if no step waits.

    The approval holds for this tool with these arguments, once. Other arguments make another call, with an idempotency
    key of its own. Raises ScopeMissing if the caller could not make the call themselves, and Refusal if `digest` is
    given and differs from the waiting call's, or if the arguments contain the mask of a hidden value.
    """

    async def decide(connection: Connection, waiting: Row) -> None:
        tool, step = waiting["tool"], waiting["number"]
        require_scope(caller, tool=tool, right="write")
        before = waiting["edited_arguments"] or waiting["arguments"]
        if digest and digest != digest_call(tool, arguments=before):
            raise Refusal(
                CALL_CHANGED,
                "The call that waits is not the one that was shown.",
                suggestion="Read the run's latest approval.needed event, and decide about that call.",
            )
        if REDACTED in arguments and REDACTED not in before:
            raise Refusal(
                KERNEL_ENVELOPE.bad_input,
                f"{REDACTED} stands for a value that is not shown; the call would be made with these letters.",
                suggestion="Write the value itself, or approve the call without changing its arguments.",
            )
        approved = digest_call(tool, arguments=arguments or before)
        values = {
            "run": run_id,
            "number": step,
            "edited_arguments": arguments or waiting["edited_arguments"],
            "idempotency_key": f"{run_id.hex}-{step}-{approved[:8]}" if arguments else waiting["idempotency_key"],
            "digest": approved,
            "by": caller.name[:200],
            "key": caller.key_id,
            "scopes": " ".join(sorted(caller.scopes)),
        }
        await connection.execute(_APPROVE, values)
        data = {"step": step, "edited": bool(arguments), "by": caller.name, "digest": approved}
        await append(connection, run_id=run_id, kind="approval.given", data=data)

    return await _decide(run_id, number=number, decide=decide)


async def reject(run_id: UUID, *, number: int | None, word: str = "") -> int | None:
    """Reject the waiting step; the model is told so, with the person's `word`. None if no step waits."""

    async def decide(connection: Connection, waiting: Row) -> None:
        step = waiting["number"]
        await connection.execute(_REJECT, [masked, run_id, step])
        await append(connection, run_id=run_id, kind="approval.refused", data={"step": step, "word": masked})

    masked = MaskedText(word)
    return await _decide(run_id, number=number, decide=decide)


async def _decide(run_id: UUID, *, number: int | None, decide: Any) -> int | None:
    await dynamic_tools.wait_until_loaded()

    async def settle(connection: Connection) -> int | None:
        async with connection.transaction():
            run = await (await connection.execute(_LOCK_RUN, [run_id])).fetchone()
            waiting = await (await connection.execute(_WAITING, [run_id, number, number])).fetchone()
            if run is None or run["state"] != "awaiting_approval" or waiting is None:
                return None
            await decide(connection, waiting)
            await connection.execute(_GO_ON, [run_id])
            decided: int = waiting["number"]
            return decided

    return await work_pool.run(settle)


async def _store_message(
    connection: Connection, found: Row, *, key_id: int | None, text: str, run_id: UUID | None
) -> PostedMessage:
    number = found["message_count"] + 1
    told = {"conversation": found["id"], "number": number, "text": text, "key": key_id}
    title = found["title"] or " ".join(text.split())[:MAX_TITLE]
    said = await (await connection.execute(_SAY, told)).fetchone()
    await connection.execute(_COUNT, told | {"title": title})
    begun = told | {"question": said["id"] if said else None, "run": run_id}
    run = await (await connection.execute(_RUN, begun)).fetchone()
    made: UUID = run["id"] if run else UUID(int=0)
    await append(connection, run_id=made, kind="run.queued", data={"message": number})
    return PostedMessage(run_id=made, number=number)
