"""Asking in plain language: `POST /api/sprints/chat`."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponse
from ninja import Router
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sprints.asking.flow import ChatAnswer, chat
from sprints.contracts import MAX_QUESTION, MAX_SQL
from sprints.dialect import SprintsDialect
from sprints.executing import tried
from sprints.linking.kept import data_as_of, name_index
from sprints.linking.names import NameIndex
from sprints.verified.load import NotKept, promote
from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.audit.log import KEPT_ARGUMENTS, CallRecord, audit
from toolbox.contract.caller import Caller
from toolbox.contract.encoding import encode
from toolbox.contract.errors import FORBIDDEN, KERNEL_ENVELOPE, DatabaseUnavailable, ErrorCode, Refusal, ToolError
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import read_credential, read_request_id, response_headers
from toolbox.model import configured_model
from toolbox.models import ToolCall

router = Router()
DIALECT = SprintsDialect()
Outcome = ToolCall.Outcome
NAME = "chat"
SCOPE = "sprints:read"
DESCRIPTION = """
Ask about sprints, issues, teams and people in plain language. The answer comes in words, with the SQL, its rows, what
was assumed, what to ask next, and a Vega-Lite specification where the rows make a chart. A question that can mean
several things is asked back (`isAmbiguous`). A statement that fails is mended and run once more. Needs sprints:read.
"""


class ChatQuestion(BaseModel):
    """A question in plain language."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: str = Field(description="As you would ask a colleague.", min_length=1, max_length=MAX_QUESTION)


Asked = TypeVar("Asked", bound=ChatQuestion)


class KeptAnswer(ChatQuestion):
    """A question with the SQL that answers it."""

    sql: str = Field(description="The statement, as the chat gave it.", min_length=1, max_length=MAX_SQL)
    assumptions: list[str] = Field(default=[], max_length=20, description="Sentences to say with the answer.")


PROMOTE = """
Keep a question with its SQL as a verified query. Names in both become slots. It is used once a person has enabled it
in the admin; the same question again changes nothing. Needs sprints:write.
"""
PROMOTE_OPENAPI = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": KeptAnswer.model_json_schema()}}},
    "responses": {200: {"description": "Its slug, and whether it is new."}},
    "security": [{"key": []}],
}
OPENAPI = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": ChatQuestion.model_json_schema(),
                "example": {"question": "Which issues were carried over from ACCEL's last sprint?"},
            }
        },
    },
    "responses": {
        200: {
            "description": "The answer, or what is asked back.",
            "content": {
                "application/json": {"schema": ChatAnswer.model_json_schema(by_alias=True, mode="serialization")}
            },
        }
    },
    "security": [{"key": []}],
}


@router.post("/chat", auth=None, summary="Ask in plain language", description=DESCRIPTION, operation_id="sprints_chat",
             tags=["sprints"], openapi_extra=OPENAPI, response=None)  # fmt: skip
async def ask(request: HttpRequest) -> HttpResponse:
    """Answer one question; the call is counted, limited and audited like a tool's."""
    return await _answered(request, name=NAME, work=_chat)


async def _chat(body: bytes, *, caller: Caller) -> Reply:  # noqa: ARG001 - every answer of this room takes its caller
    asked = _read(body, shape=ChatQuestion)
    answer = await chat(asked.question, now=datetime.now(UTC), reader=reader, model=configured_model())
    return Reply(body=encode(answer), rows=answer.count)


@router.post("/verified-queries", auth=None, summary="Keep an answer as a verified query", tags=["sprints"],
             description=PROMOTE, operation_id="sprints_promote", openapi_extra=PROMOTE_OPENAPI,
             response=None)  # fmt: skip
async def keep(request: HttpRequest) -> HttpResponse:
    """Make a verified query of a question and its SQL; it is used once a person has enabled it."""
    return await _answered(request, name="promote_verified_query", work=_promote, scope="sprints:write")


async def _promote(body: bytes, *, caller: Caller) -> Reply:  # noqa: ARG001 - as above
    kept = _read(body, shape=KeptAnswer)
    result = await tried(kept.sql)
    if result.error:
        raise ToolError(
            DIALECT.bad_input,
            f"The statement does not run: {result.error}",
            suggestion="Send a statement that execute_query runs.",
            field="sql",
        )
    index, moment = await name_index(reader=reader), await data_as_of(reader=reader)
    today = (moment or datetime.now(UTC)).date()
    try:
        slug, is_new = await sync_to_async(_kept, thread_sensitive=False)(kept, index=index, today=today)
    except NotKept as refused:
        suggestion = "Compare with the id that generate_sql gives, or leave the name out of the question."
        raise ToolError(DIALECT.bad_input, str(refused), suggestion=suggestion, field="sql") from refused
    return Reply(body=encode({"slug": slug, "isNew": is_new, "isEnabled": False}))


def _kept(kept: KeptAnswer, *, index: NameIndex, today: date) -> tuple[str, bool]:
    """Write on a connection of this thread's own, and let go of it."""
    try:
        return promote(kept.question, sql=kept.sql, assumptions=kept.assumptions, index=index, today=today)
    finally:
        connection.close()


Work = Callable[..., Awaitable[Reply]]


async def _answered(request: HttpRequest, *, name: str, work: Work, scope: str = SCOPE) -> HttpResponse:
    """Find out who asks, do the work at home, and leave one audit row whatever comes of it."""
    key = read_credential(request.headers.get("Authorization", ""), api_key=request.headers.get("X-API-Key", ""))
    sent_id = read_request_id(request.headers.get("X-Request-Id", ""))
    body = request.body
    reply = await event_loop.run_on_loop(
        lambda: _recorded(body, key=key, sent_id=sent_id, name=name, work=work, scope=scope)
    )
    response = HttpResponse(reply.body, status=reply.status)
    for header, value in response_headers(reply, request_id=sent_id):
        response[header] = value
    return response


async def _recorded(body: bytes, *, key: str | None, sent_id: str, name: str, work: Work, scope: str) -> Reply:
    started, called_at = reader.clock(), datetime.now(UTC)
    caller: Caller | None = None
    try:
        await audit.room()
        caller = await _permitted(key, scope=scope)
        reply, outcome = await work(body, caller=caller), Outcome.ANSWERED
    except ToolError as error:
        reply, outcome = _refusal(error), Outcome.REFUSED
    except DatabaseUnavailable:
        reply, outcome = _refusal(_away()), Outcome.FAILED
    audit.record(
        CallRecord(
            called_at=called_at, request_id=sent_id, caller=caller.name if caller else "",
            key_id=caller.key_id if caller else None, transport="rest", domain="sprints", tool=name,
            arguments=body[:KEPT_ARGUMENTS] if caller else b"", outcome=outcome, code=reply.code, status=reply.status,
            rows=reply.rows, answer_bytes=len(reply.body), milliseconds=(reader.clock() - started) * 1000,
        )
    )  # fmt: skip
    return reply


async def _permitted(key: str | None, *, scope: str) -> Caller:
    """Find out who calls and count the call. Raises Refusal."""
    caller = await identify(key)
    if not caller.has(scope):
        suggestion = f"Use a key with the scope {scope}."
        raise Refusal(FORBIDDEN, f"This key lacks the scope {scope}.", suggestion=suggestion)
    await call_limits.count(caller)
    return caller


def _read(body: bytes, *, shape: type[Asked]) -> Asked:
    try:
        asked = shape.model_validate_json(body or b"{}")
    except ValidationError as invalid:
        problem = invalid.errors(include_url=False, include_context=False)[0]
        field = ".".join(map(str, problem["loc"])) or "the body"
        raise ToolError(
            DIALECT.bad_input,
            f"{field}: {problem['msg']}.",
            suggestion='Send {"question": "What is the velocity of ACCEL?"}, at most 2,000 characters.',
            field=field,
        ) from invalid
    if "\x00" in asked.model_dump_json() or "\\u0000" in asked.model_dump_json() or not asked.question.strip():
        raise ToolError(DIALECT.bad_input, "The question holds no words.", suggestion="Send a question in words.")
    return asked


def _away() -> ToolError:
    code: ErrorCode = DIALECT.database_down
    return ToolError(code, "The database is not reachable.", suggestion="Try again in a moment.")


def _refusal(error: ToolError) -> Reply:
    envelope: Any = KERNEL_ENVELOPE if isinstance(error, Refusal) else DIALECT
    return Reply(
        body=encode(envelope.refusal(error)),
        status=error.code.status,
        code=error.code.code,
        retry_after_seconds=error.retry_after_seconds,
    )
