"""What the admin's pages do with verified queries: run one, ask a question, promote the answer."""

from datetime import datetime

from sprints.asking.flow import ChatAnswer, chat
from sprints.linking.kept import data_as_of, name_index
from sprints.models import VerifiedQuery
from sprints.schema.reading import load_view_catalog
from sprints.verified.checking import Checked, check, find_refusals, wordings_astray
from sprints.verified.library import library
from sprints.verified.load import add_wording, promote
from sprints.verified.matching import Library, Verified
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.model import configured_model


def run_row(row: VerifiedQuery, *, now: datetime) -> tuple[list[Checked], list[Checked]]:
    """Run a row as it is stored, enabled or not; gives its statements, and the wordings that go astray."""
    return event_loop.run(_run(Verified.of(row.content()), now=now))


def find_refusals_of(sql: str) -> list[str]:
    """Say why the guard would refuse a statement with slots; asks the database for the views at most."""
    return find_refusals(sql, catalog=event_loop.run(load_view_catalog()))


def ask(question: str, *, now: datetime) -> ChatAnswer:
    """Answer a question as the chat does."""
    return event_loop.run(chat(question, now=now, reader=reader, model=configured_model()))


def keep_answer(answer: ChatAnswer, *, now: datetime) -> str:
    """Keep an answer: as one more wording of the verified query it came from, else as a new one; gives the slug."""
    index, moment = event_loop.run(name_index(reader=reader)), event_loop.run(data_as_of(reader=reader))
    today = (moment or now).date()
    if answer.verified_query:
        add_wording(answer.verified_query, question=answer.question, index=index, today=today)
        return answer.verified_query
    slug, _ = promote(answer.question, sql=answer.sql or "", assumptions=answer.assumptions, index=index, today=today)
    return slug


async def _run(query: Verified, *, now: datetime) -> tuple[list[Checked], list[Checked]]:
    index, held = await name_index(reader=reader), await library(reader=reader)
    today = (await data_as_of(reader=reader) or now).date()
    others = [other for other in held.queries if other.slug != query.slug]
    whole = Library.of([*others, query])
    checked = await check(query, index=index, today=today)
    return checked, wordings_astray(query, library=whole, index=index, today=today)
