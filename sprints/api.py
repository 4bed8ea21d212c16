"""Asking in plain language: `POST /api/sprints/chat`."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Annotated

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponse
from ninja import Router
from pydantic import ConfigDict, Field, TypeAdapter, field_validator
from pydantic.alias_generators import to_camel

from sprints.asking.chat import ChatAnswer, Context, chat, read_context
from sprints.contracts import MAX_PREVIOUS, MAX_QUESTION, MAX_SQL
from sprints.envelopes import SprintsEnvelope
from sprints.linking.name_cache import data_as_of, load_name_index
from sprints.linking.names import NameIndex
from sprints.semantics.compile import compile_query
from sprints.semantics.describe import Chip, describe_query
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import shipped_model
from sprints.semantics.query import SentQuery
from sprints.sql_sandbox.execution import try_execute
from sprints.verified.load import PromotionError, promote
from toolbox.contract.encoding import encode
from toolbox.contract.errors import ToolError
from toolbox.contract.json_schema import make_output_schema
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.database.pools import reader
from toolbox.dispatch.entry import Operation, Reply, perform
from toolbox.dispatch.request_body import Form, address_openapi
from toolbox.http.django_requests import read_body, read_request, to_response
from toolbox.model import configured_model

router = Router()
ENVELOPE = SprintsEnvelope()
CHAT = Operation(name="chat", domain="sprints", scope="sprints:read", envelope=ENVELOPE, deadline_seconds=120)
PROMOTE = Operation(
    name="promote_verified_query", domain="sprints", scope="sprints:write", envelope=ENVELOPE, writes=True
)
DESCRIPTION = """
Ask about sprints, issues, teams and people in plain language. The answer comes in words, with the SQL, its rows, what
was assumed, what to ask next, and a Vega-Lite specification where the rows make a chart. A question that can mean
several things is asked back (`isAmbiguous`). `interpretation` says what was understood; sent back as `context`, `query`
lets the next question change it ("only bugs"). Where an answer has no `query`, send the questions as `previous`, and
the next one is not taken for complete. A statement that fails is repaired and run once more. Needs
sprints:read.
"""


class ChatQuestion(ToolInput):
    """A question in plain language."""

    question: str = Field(description="As you would ask a colleague.", min_length=1, max_length=MAX_QUESTION)

    @field_validator("question")
    @classmethod
    def _says_something(cls, question: str) -> str:
        if not question.strip():
            raise ValueError("it has no words")
        return question


class FollowUpQuestion(ChatQuestion):
    """A question, with what the one before it meant."""

    context: SentQuery | None = Field(
        None, description="The query of the answer before, so that 'and for HARBOR?' or 'only bugs' changes it."
    )
    previous: list[Annotated[str, Field(max_length=MAX_QUESTION)]] = Field(
        [], max_length=MAX_PREVIOUS,
        description="In place of `context`, the questions asked before, oldest first: the last answer has no query.",
    )  # fmt: skip
    without: list[int] = Field(
        default=[], max_length=40, description="Positions of filters of the context to take away; it is asked again."
    )


class KeptAnswer(ChatQuestion):
    """A question with the SQL that answers it."""

    sql: str = Field(description="The statement, as the chat gave it.", min_length=1, max_length=MAX_SQL)
    assumptions: list[str] = Field(default=[], max_length=20, description="Sentences to say with the answer.")


class KeptQuery(ToolOutput):
    """A verified query that was made of an answer."""

    model_config = ConfigDict(alias_generator=to_camel)

    slug: str
    is_new: bool = Field(description="False if the same question and statement were kept before.")
    is_enabled: bool = Field(default=False, description="A person enables it in the admin.")


PROMOTE_DESCRIPTION = """
Keep a question with its SQL as a verified query. Names in both become slots. It is used once a person has enabled it
in the admin; the same question again changes nothing. Needs sprints:write.
"""
CHAT_FORM = Form(
    question=FollowUpQuestion, envelope=ENVELOPE,
    example=FollowUpQuestion(question="Which issues were carried over from ACCEL's last sprint?"),
)  # fmt: skip
PROMOTE_FORM = Form(
    question=KeptAnswer, envelope=ENVELOPE,
    example=KeptAnswer(question="How many people are there?", sql="SELECT count(*) AS people FROM users"),
)  # fmt: skip
OPENAPI = address_openapi(form=CHAT_FORM, answers={200: make_output_schema(TypeAdapter(ChatAnswer))})
PROMOTE_OPENAPI = address_openapi(form=PROMOTE_FORM, answers={200: make_output_schema(TypeAdapter(KeptQuery))})


@router.post("/chat", auth=None, summary="Ask in plain language", description=DESCRIPTION, operation_id="sprints_chat",
             tags=["sprints"], openapi_extra=OPENAPI, response=None)  # fmt: skip
async def ask(request: HttpRequest) -> HttpResponse:
    """Answer one question."""
    return await _perform(request, CHAT, work=_chat)


async def _chat(body: bytes | None) -> Reply:
    asked = CHAT_FORM.parse(body)
    _refuse_meaningless(asked)
    now, before = datetime.now(UTC), Context(asked.context)
    if before.query is None:
        before = await read_context(asked.previous, now=now, reader=reader)
    answer = await chat(
        asked.question, now=now, reader=reader, model=configured_model(), context=before.query,
        lost=before.lost, without=asked.without,
    )  # fmt: skip
    return Reply(body=encode(answer), rows=answer.count)


def _refuse_meaningless(asked: FollowUpQuestion) -> None:
    """
    Refuse a context with terms that do not exist or do not fit: a follow-up of it would answer something else.

    So would a query without parts that it does not have.
    """
    context = asked.context
    chips: tuple[Chip, ...] = ()
    try:
        if context is not None:
            compile_query(context, model=shipped_model())
            chips = describe_query(context, model=shipped_model()).chips
    except SemanticError as wrong:
        raise ToolError(
            ENVELOPE.bad_input,
            f"context: {wrong.message}",
            suggestion=wrong.suggestion or "Send the query of the answer before, as it came.",
            field="context",
        ) from wrong
    unknown = [position for position in asked.without if not 0 <= position < len(chips)]
    if unknown:
        known = ", ".join(f"{chip.position} ({chip.text})" for chip in chips)
        raise ToolError(
            ENVELOPE.bad_input,
            f"without: the context has no filter {unknown[0]}.",
            suggestion=f"Give positions of its filters: {known}." if known else "Leave without out.",
            field="without",
        )


@router.post("/verified-queries", auth=None, summary="Keep an answer as a verified query", tags=["sprints"],
             description=PROMOTE_DESCRIPTION, operation_id="sprints_promote", openapi_extra=PROMOTE_OPENAPI,
             response=None)  # fmt: skip
async def keep(request: HttpRequest) -> HttpResponse:
    """Make a verified query of a question and its SQL; it is used once a person has enabled it."""
    return await _perform(request, PROMOTE, work=_promote)


async def _promote(body: bytes | None) -> Reply:
    kept = PROMOTE_FORM.parse(body)
    result = await try_execute(kept.sql)
    if result.error:
        raise ToolError(
            ENVELOPE.bad_input,
            f"The statement does not run: {result.error}",
            suggestion="Send a statement that execute_query runs.",
            field="sql",
        )
    index, moment = await load_name_index(reader=reader), await data_as_of(reader=reader)
    today = (moment or datetime.now(UTC)).date()
    try:
        slug, is_new = await sync_to_async(_store_promotion, thread_sensitive=False)(kept, index=index, today=today)
    except PromotionError as refused:
        suggestion = "Compare with the id that generate_sql gives, or leave the name out of the question."
        raise ToolError(ENVELOPE.bad_input, str(refused), suggestion=suggestion, field="sql") from refused
    return Reply(body=encode(KeptQuery(slug=slug, is_new=is_new)))


def _store_promotion(kept: KeptAnswer, *, index: NameIndex, today: date) -> tuple[str, bool]:
    """Store the promoted query on a connection of this thread, and close it."""
    try:
        return promote(kept.question, sql=kept.sql, assumptions=kept.assumptions, index=index, today=today)
    finally:
        connection.close()


async def _perform(
    http_request: HttpRequest, operation: Operation, *, work: Callable[[bytes | None], Awaitable[Reply]]
) -> HttpResponse:
    body = read_body(http_request)
    request = read_request(http_request, arguments=body)
    reply = await perform(operation, request=request, work=lambda _: work(body))
    return to_response(reply, request=http_request, request_id=request.request_id)
