"""Issues that a question names by their title, without quotes."""

import pytest

from sprints.asking.chat import ChatAnswer
from sprints.linking.titles import find_titled_issues
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")
ISSUE = "SELECT issue_key, {} FROM issues WHERE title = '{}' LIMIT 10"


@pytest.mark.parametrize(
    ("question", "column", "title"),
    [
        ("When is Export camera as CSV due?", "due_date", "Export camera as CSV"),
        ("When is Export camera as CSV supposed to be ready?", "due_date", "Export camera as CSV"),
        ("What is the status of that slow start of widgets thing?", "status", "Slow start of widgets"),
        ('What is the status of "Slow start of widgets"?', "status", "Slow start of widgets"),
    ],
)
def test_the_only_issue_with_the_title_is_meant(question: str, column: str, title: str) -> None:
    assert_same_rows(question, truth=ISSUE.format(column, title))


def test_it_is_said_which_issue_was_taken() -> None:
    assert "Took 'slow start of widgets' as HARBOR-78." in ask("who reported slow start of widgets").assumptions


def test_of_several_with_the_title_one_is_to_be_chosen() -> None:
    answer: ChatAnswer = ask("is Crash when onboarding is empty still open")

    assert answer.is_ambiguous
    assert "ACCEL-115, ACCEL-46, ACCEL-59" in answer.answer
    assert [ask(one).is_ambiguous for one in answer.suggestions] == [False, False, False]


@pytest.mark.parametrize("question", ["", "open bugs", "which bugs of ORBIT are open", "word " * 200])
def test_a_question_without_a_title_names_no_issue(question: str) -> None:
    assert event_loop.run(find_titled_issues(question, reader=reader)) is None
