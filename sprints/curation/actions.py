"""Actions of the admin on verified queries: run a query, ask a question, promote an answer."""

from datetime import datetime

from sprints.asking.chat import ChatAnswer, chat
from sprints.linking.name_cache import data_as_of, load_name_index
from sprints.models import VerifiedQuery
from sprints.schema.reading import load_view_catalog
from sprints.verified.checking import StatementCheck, check_statements, find_refusals, find_shared_wordings
from sprints.verified.library import VerifiedStatement, load_library
from sprints.verified.load import promote
from sprints.verified.synonyms import load_lexicon
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.model import configured_model


def run_row(row: VerifiedQuery, *, now: datetime) -> tuple[list[StatementCheck], list[StatementCheck]]:
    """Run a row as stored, enabled or not. Returns its statements, and wordings shared with another query."""
    return event_loop.run(_run(row, now=now))


def find_refusals_of(sql: str) -> list[str]:
    """Return why the guard refuses a statement with slots. Asks the database for the views at most."""
    return find_refusals(sql, catalog=event_loop.run(load_view_catalog()))


def ask(question: str, *, now: datetime) -> ChatAnswer:
    """Answer a question as the chat does."""
    return event_loop.run(chat(question, now=now, reader=reader, model=configured_model()))


def promote_answer(answer: ChatAnswer, *, now: datetime) -> str:
    """Make a verified query from an answer. Returns its slug."""
    index, moment = event_loop.run(load_name_index(reader=reader)), event_loop.run(data_as_of(reader=reader))
    today = (moment or now).date()
    slug, _ = promote(answer.question, sql=answer.sql or "", assumptions=answer.assumptions, index=index, today=today)
    return slug


async def _run(row: VerifiedQuery, *, now: datetime) -> tuple[list[StatementCheck], list[StatementCheck]]:
    index, library = await load_name_index(reader=reader), await load_library(reader=reader)
    query = VerifiedStatement.from_row(row.content(), lexicon=await load_lexicon(reader=reader))
    today = (await data_as_of(reader=reader) or now).date()
    checked = await check_statements(query, index=index, today=today)
    return checked, find_shared_wordings(query, library=library)
