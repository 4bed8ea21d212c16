"""What is suggested is a whole question that is answered."""

import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from benchmarks.sprint_answers import load_questions
from sprints.asking.chat import chat
from sprints.asking.drafts import Draft, generate
from sprints.asking.reading import read_question
from sprints.linking.link import LinkedQuestion
from toolbox.database import event_loop
from toolbox.database.pools import reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
SETS = sorted((Path(__file__).resolve().parents[2] / "data" / "sprints").glob("questions*.jsonl"))
DANGLING = re.compile(r"^\W|\s[?.,;:]|\s$|\s\s|\b(?:of|the|a|an|per|by|with|had|than|how many)[ ?.]*$", re.IGNORECASE)
ASIDE = re.compile(r"[.!?:;\u2013\u2014]\s|\s-\s|\b(?:I|I'm|my|me)\b", re.IGNORECASE)
pytestmark = pytest.mark.usefixtures("django_db_setup")


@cache
def draft(question: str) -> Draft:
    """Draft the answer of a question once, since many questions have the same suggestions."""
    return event_loop.run(generate(question, now=NOW, reader=reader, model=None))


@pytest.mark.slow
@pytest.mark.parametrize("file", SETS, ids=lambda file: file.stem)
def test_each_suggestion_is_a_whole_question_that_is_answered_and_keeps_what_was_named(file: Path) -> None:
    """What is said in another sentence, or of oneself, may be left out; a sprint says its team."""
    suggested: dict[str, str] = {}
    lost = []
    for question in [one["question"] for one in load_questions(file)]:
        drafted = draft(question)
        suggested |= dict.fromkeys(drafted.suggestions, question) | suggested
        if drafted.sql is not None or ASIDE.search(question):
            continue
        linked = event_loop.run(read_question(question, now=NOW, reader=reader)).linked
        queries = {} if linked.unclear else {one: draft(one).query for one in drafted.suggestions}
        lost += [(question, one) for one, query in queries.items() if query and list_lost(linked, query=str(query))]

    assert len(suggested) > 20
    assert [one for one in suggested.items() if draft(one[0]).sql is None] == []
    assert [one for one in suggested.items() if DANGLING.search(one[0])] == []
    assert lost == []


def list_lost(linked: LinkedQuestion, *, query: str) -> list[str]:
    """Return names, issues and sprints of a question that a query does not hold, and its days if it holds none."""
    spotted = [name.value for one in linked.spotted if one.is_hard and one.is_exact for name in one.names]
    named = [*spotted, *(one.value for one in linked.sprints), *(one.said.upper() for one in linked.keys)]
    lost = [one for one in named if one not in query and one not in query.lower()]
    days = [one.said for one in linked.periods if one.said.lower() != "today"]  # of what is so now, it says nothing
    return [*lost, *(one for one in days if "TimeRange" not in query and "date" not in query)]


@pytest.mark.parametrize(
    ("question", "cut"),
    [
        ("Which weeks had widgets?", "Which weeks had?"),
        ("How many widgets do we have?", "How many do we have?"),
        ("Was the goal of ORBIT Sprint 4 reached?", "Was the goal of ORBIT Sprint 4?"),
        ("What is the velocity of team PHOENIX?", "What is the velocity of team?"),
        ("done bugs % by team", "done bugs by team"),
        ("How much of the plan did ORBIT achieve in sprint 8?", "How much of the did ORBIT achieve in sprint 8?"),
    ],
)
def test_a_question_without_the_word_that_it_needs_is_not_suggested(question: str, cut: str) -> None:
    answer = event_loop.run(chat(question, now=NOW, reader=reader, model=None))

    assert answer.is_ambiguous
    assert cut not in answer.suggestions
    assert answer.suggestions


def test_a_question_without_a_word_that_says_nothing_here_is_suggested() -> None:
    answer = event_loop.run(chat("Which bugs are completely blocked?", now=NOW, reader=reader, model=None))

    assert answer.suggestions[0] == "Which bugs are blocked?"
