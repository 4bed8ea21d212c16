"""Remarks around a question, which restrict it only if the data mentions what they are of."""

import pytest

from sprints.linking.queries import find_mentioned
from tests.sprints.semantics.questions.test_answers import ask
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")
ASKED = "how many bugs of ORBIT are open?"


@pytest.mark.parametrize("noun", ["handbook", "hallway", "newsletters"])
def test_a_noun_that_no_row_mentions_is_left_aside_and_it_is_said(noun: str) -> None:
    answer = ask(f"I was reading in the {noun}, {ASKED}")

    assert answer.rows == ask(ASKED).rows
    assert f"Left aside: 'I was reading in the {noun}'. Nothing in the data mentions '{noun}'." in answer.assumptions


@pytest.mark.parametrize("noun", ["invoices", "camera", "widget"])
def test_a_noun_that_a_row_mentions_is_asked_back(noun: str) -> None:
    answer = ask(f"I was reading in the {noun}, {ASKED}")

    assert answer.is_ambiguous
    assert f"'{noun}'" in answer.answer


def test_nothing_is_presumed_of_a_question_that_a_verified_query_or_the_grammar_reads() -> None:
    assert not any("Nothing in the data" in one for one in ask(ASKED).assumptions)


@pytest.mark.parametrize("noun", ["Invoice", "invoices'"])
def test_a_noun_is_found_at_the_start_of_a_word(noun: str) -> None:
    assert event_loop.run(find_mentioned([noun], reader=reader)) == [noun]


@pytest.mark.parametrize("noun", ["oice", "c++", "("])
def test_a_noun_is_not_found_within_a_word(noun: str) -> None:
    assert event_loop.run(find_mentioned([noun], reader=reader)) == []
