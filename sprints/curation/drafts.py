"""Drafts of the admin and of the console's page: a question answered with what is not saved yet, and first values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sprints.asking.drafts import draft_without_model
from sprints.asking.explanations import explain
from sprints.asking.reading import read_question
from sprints.contracts import QueryResult
from sprints.linking.name_cache import data_as_of, load_name_index
from sprints.models import VerifiedQuery
from sprints.semantics.model import shipped_model
from sprints.semantics.questions.lexicon import Lexicon, make_lexicon
from sprints.sql_sandbox.execution import try_execute
from sprints.verified import queries
from sprints.verified.library import Library, make_library
from sprints.verified.load import find_free_slug
from sprints.verified.slots import make_template
from sprints.verified.synonyms import add_synonyms, load_lexicon
from toolbox.database import event_loop
from toolbox.database.pools import reader


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedAnswer:
    """The answer to a question with a draft: its statement and rows, or the reason why there is none."""

    text: str
    sql: str = ""
    slug: str = ""
    result: QueryResult | None = None


def answer_with_query(question: str, *, query: VerifiedQuery, now: datetime) -> DraftedAnswer:
    """Answer a question as if a verified query were enabled."""

    async def answer() -> DraftedAnswer:
        rows, lexicon = await queries.load_verified_rows(reader=reader), await load_lexicon(reader=reader)
        others = [row for row in rows if row["slug"] != query.slug]
        library = make_library([*others, query.content() | {"source": query.source}], lexicon=lexicon)
        return await _answer(question, now=now, lexicon=lexicon, library=library)

    return event_loop.run(answer())


def answer_with_synonym(question: str, *, synonym: Mapping[str, Any], now: datetime) -> DraftedAnswer:
    """Answer a question as if a synonym were stored; it has a kind, a term, a form and a phrase."""

    async def answer() -> DraftedAnswer:
        stored = await queries.load_synonym_rows(reader=reader)
        lexicon = make_lexicon(add_synonyms(shipped_model(), rows=[*stored, synonym]))
        library = make_library(await queries.load_verified_rows(reader=reader), lexicon=lexicon)
        return await _answer(question, now=now, lexicon=lexicon, library=library)

    return event_loop.run(answer())


def begin_query(question: str, *, now: datetime) -> dict[str, str]:
    """Return first values of a verified query for a question: names become slots, the slug is free."""

    async def write_template() -> str:
        moment = await data_as_of(reader=reader) or now
        index = await load_name_index(reader=reader)
        return make_template(question, sql="", index=index, today=moment.date())[0]

    wording = event_loop.run(write_template())
    return {"question": wording, "slug": find_free_slug(wording), "topic": "taught"}


def find_unknown_words(question: str, *, now: datetime) -> str:
    """Return the words of a question that the grammar does not know, the first of them in a row."""
    unbound = event_loop.run(read_question(question, now=now, reader=reader)).parse.unbound
    return unbound[0].lower() if unbound else ""


async def _answer(question: str, *, now: datetime, lexicon: Lexicon, library: Library) -> DraftedAnswer:
    reading = await read_question(question, now=now, reader=reader, lexicon=lexicon, library=library)
    draft = draft_without_model(reading)
    if draft.sql is None:
        return DraftedAnswer(text=draft.clarification or "The question is not understood.")
    result = await try_execute(draft.sql)
    said = await explain(result, question=question, sql=draft.sql, model=None, assumptions=draft.statements)
    slug = draft.verified.slug if draft.verified else ""
    return DraftedAnswer(text=result.error or said.text, sql=draft.sql, slug=slug, result=result)
