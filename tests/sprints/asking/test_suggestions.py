"""What is suggested is a whole question that is answered."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.sprint_answers import load_questions
from sprints.asking.chat import chat
from sprints.asking.reading import read_question
from sprints.linking.link import LinkedQuestion
from toolbox.database import event_loop
from toolbox.database.pools import reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
SETS = sorted((Path(__file__).resolve().parents[2] / "data" / "sprints").glob("questions*.jsonl"))
DANGLING = re.compile(r"^\W|\s[?.,;:]|\s$|\s\s|\b(?:of|the|a|an|per|by|with|had|than|how many)[ ?.]*$", re.IGNORECASE)
ASIDE = re.compile(r"[.!?:;\u2013\u2014]\s|\s-\s|\b(?:I|I'm|my|me)\b", re.IGNORECASE)
pytestmark = pytest.mark.usefixtures("django_db_setup")


def list_suggestions(file: Path) -> Iterator[tuple[str, str]]:
    """Return each suggestion once, with a question for which it is suggested."""
    found: dict[str, str] = {}
    for asked in load_questions(file):
        answer = event_loop.run(chat(asked["question"], now=NOW, reader=reader, model=None))
        for suggestion in answer.suggestions:
            found.setdefault(suggestion, asked["question"])
    return iter(found.items())


@pytest.mark.slow
@pytest.mark.parametrize("file", SETS, ids=lambda file: file.stem)
def test_each_suggestion_is_a_whole_question_that_is_answered(file: Path) -> None:
    suggested = list(list_suggestions(file))

    asked_back = [
        (suggestion, question)
        for suggestion, question in suggested
        if event_loop.run(chat(suggestion, now=NOW, reader=reader, model=None)).is_ambiguous
    ]

    assert len(suggested) > 20
    assert asked_back == []
    assert [one for one in suggested if DANGLING.search(one[0])] == []


@pytest.mark.slow
@pytest.mark.parametrize("file", SETS, ids=lambda file: file.stem)
def test_each_suggestion_keeps_what_the_question_names(file: Path) -> None:
    """What is said in another sentence, or of oneself, may be left out; a sprint says its team."""
    lost = []
    for question in [one["question"] for one in load_questions(file) if not ASIDE.search(one["question"])]:
        answer = event_loop.run(chat(question, now=NOW, reader=reader, model=None))
        linked = event_loop.run(read_question(question, now=NOW, reader=reader)).linked
        if answer.is_ambiguous and not linked.unclear:
            asked = [event_loop.run(chat(one, now=NOW, reader=reader, model=None)) for one in answer.suggestions]
            lost += [(question, one.question) for one in asked if one.query and list_lost(linked, query=str(one.query))]

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
