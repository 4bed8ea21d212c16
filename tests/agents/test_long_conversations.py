"""A conversation of 1,000 messages costs its next answer no more statements, and little more to read."""

import re
from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from agents.queries import conversations
from agents.runs.transcript import HISTORY_BYTES
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, Script, Scripted, calls, says, work_on
from toolbox.database import event_loop
from toolbox.database.pools import Pool

MANY = 1_000
_ABOUT_CONTENT = re.compile(r"\bagents_(messages|steps)\b")
_SAID = """
WITH asked AS (
    INSERT INTO agents_messages (conversation_id, number, role, text, created_at)
    SELECT %s, 2 * n - 1, 'user', 'Question ' || n || repeat(' and more', 40), now() FROM generate_series(1, %s) AS n
    RETURNING id, number
)
INSERT INTO agents_messages (conversation_id, number, role, text, answers_id, created_at)
SELECT %s, number + 1, 'assistant', 'Answer to ' || number || repeat(' in words', 40), id, now() FROM asked
"""


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """
    Count the statements that read or write messages or steps.

    How often the others are sent depends on time: heartbeats, key checks, pieces of text, the tool's own memory.
    """
    seen: Counter[str] = Counter()
    usual = Pool.fetch

    async def fetch(self: Pool, statement: Any, *rest: Any, **options: Any) -> Any:
        if _ABOUT_CONTENT.search(str(statement)):
            seen[str(statement)] += 1
        return await usual(self, statement, *rest, **options)

    monkeypatch.setattr(Pool, "fetch", fetch)
    return seen


def fill_conversation(talk: Owner, onlooker: Observer, *, messages: int) -> UUID:
    """Create a conversation with so many messages."""
    conversation = talk.begin()
    onlooker.ask(_SAID, conversation, messages // 2, conversation)
    onlooker.ask("UPDATE agents_conversations SET message_count = %s WHERE id = %s", messages, conversation)
    return conversation


def answer_question(talk: Owner, scripted_as: Scripted, *, to: UUID) -> Script:
    """Answer one more question, with a call and text."""
    script = scripted_as(calls(FEBRUARY), says("21 periods."))
    work_on(talk.say("And Carolina?", to=to, is_told=False))
    return script


def test_an_answer_costs_the_same_statements(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted, statements: Counter[str]
) -> None:
    answer_question(quiet_talk, scripted_as, to=fill_conversation(quiet_talk, onlooker, messages=2))
    few = Counter(statements)
    statements.clear()

    answer_question(quiet_talk, scripted_as, to=fill_conversation(quiet_talk, onlooker, messages=MANY))

    assert few
    assert statements == few


def test_the_model_reads_the_latest_of_it_within_bounds(
    quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    script = answer_question(quiet_talk, scripted_as, to=fill_conversation(quiet_talk, onlooker, messages=MANY))

    told = [message.text for message in script.told[0] if message.role != "system"]
    assert sum(len(text.encode()) for text in told) < HISTORY_BYTES[0] + 10_000
    assert told[-1] == "And Carolina?"
    assert any("Answer to 999" in text for text in told)
    assert not any("Question 1 " in text for text in told)


def test_it_is_read_page_by_page_and_forked_whole(quiet_talk: Owner, onlooker: Observer) -> None:
    conversation = fill_conversation(quiet_talk, onlooker, messages=MANY)

    page = event_loop.run(conversations.find_messages(conversation, after=800))
    fork = event_loop.run(conversations.fork(conversation, owner_id=None, number=MANY, title="again"))

    assert [row["number"] for row in page] == list(range(801, 1001))
    assert fork
    assert len(event_loop.run(conversations.find_messages(fork["id"], limit=MANY))) == MANY
