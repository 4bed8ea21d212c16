"""A question of which a word is vague is asked back with what could be meant, and with questions that are answered."""

import pytest

from sprints.asking.vague_words import VagueWord, list_vague_words
from tests.sprints.semantics.questions.test_answers import ask

pytestmark = pytest.mark.usefixtures("django_db_setup")
INSTEAD = sorted({said.replace("{of_team}", of) for one in list_vague_words() for said in one.instead
                  for of in ("", " of ORBIT")})  # fmt: skip


@pytest.mark.parametrize("vague", list_vague_words(), ids=lambda one: one.example)
def test_it_asks_what_is_meant(vague: VagueWord) -> None:
    answer = ask(vague.example)

    assert answer.is_ambiguous
    assert vague.why in answer.answer
    assert answer.suggestions


def test_it_proposes_nothing_that_loses_what_the_question_names() -> None:
    assert "Which issues were updated last week?" in ask("Who left comments?").suggestions
    assert "Which issues were updated last week?" not in ask("Who left comments on ORBIT-12?").suggestions


@pytest.mark.parametrize("question", INSTEAD)
def test_what_it_proposes_is_answered(question: str) -> None:
    assert not ask(question).is_ambiguous


def test_it_proposes_what_is_of_the_named_team() -> None:
    assert "What is the velocity of ORBIT?" in ask("How is ORBIT doing?").answer


def test_a_status_that_is_none_is_asked_back_with_those_that_are() -> None:
    answer = ask("what's in testing")

    assert answer.is_ambiguous
    assert "I know no status 'testing'. Name one of the statuses: Code Review, Done, In Progress" in answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "How is HARBOR-82 doing?",
        "What changed this week?",
        "How did the last sprint of ORBIT go?",
        "What is in review?",
    ],
)
def test_what_is_read_is_answered(question: str) -> None:
    assert not ask(question).is_ambiguous


@pytest.mark.parametrize("question", ["How is the team doing?"])
def test_what_is_missing_is_asked_first(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert not any(one.why in answer.answer for one in list_vague_words())
