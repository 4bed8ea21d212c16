"""A sprint beside another, or beside a time: what is so in both, since when, and what is the last of a sprint."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

LAST_DONE = (
    "WITH r AS (SELECT i.issue_key, rank() OVER (ORDER BY m.done_at DESC) AS at FROM sprint_issues AS m "
    "JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "WHERE m.was_completed AND s.sprint_name LIKE '{}' AND {}) SELECT issue_key FROM r WHERE at = 1"
)


@pytest.mark.parametrize(
    "question",
    [
        "How many issues from sprint 8 are in the current sprint?",
        "Which issues in sprint 9 were already in sprint 8?",
        "Which sprint 9 stories are already in sprint 10?",
        "How many issues removed from sprint 8 are in sprint 9?",
        "How many points from sprint 8 are in sprint 9?",
        "Which bugs in sprint 9 were already planned for sprint 8?",
        "How many issues in ACCEL Sprint 9 were in ACCEL Sprint 8?",
        "Which issues from sprint 8 are done in sprint 9?",
    ],
)
def test_rows_of_one_sprint_that_are_in_another_are_not_those_of_either(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "Which bugs are open since sprint 5?",
        "Which p0 bugs are open since last sprint?",
        "Which stories are in progress since last sprint?",
        "How many stories are unestimated since sprint 7?",
        "Which issues are unassigned since sprint 8?",
        "Which issues are still blocked from the last sprint?",
        "Which issues are blocked since sprint 8?",
    ],
)
def test_a_state_since_a_sprint_is_not_read_as_one_of_the_rows_in_it(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("What was the last issue closed in sprint 8?", LAST_DONE.format("%Sprint 8", "true")),
        ("What was the last story finished in sprint 8?", LAST_DONE.format("%Sprint 8", "i.issue_type = 'Story'")),
        ("Which bug was closed last in ORBIT Sprint 7?", LAST_DONE.format("ORBIT Sprint 7", "i.issue_type = 'Bug'")),
        ("Latest issue finished in sprint 6?", LAST_DONE.format("%Sprint 6", "true")),
    ],
)
def test_the_last_that_was_done_in_a_sprint_was_done_in_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question", ["Which issue was started first in sprint 9?", "Which story was started first in sprint 8?"]
)
def test_the_first_that_was_started_in_a_sprint_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "How many issues were closed in sprint 8 in its last 2 days?",
        "How many bugs were added to ORBIT Sprint 8 in its last 10 days?",
        "How many points were removed from sprint 7 within its last week?",
        "Which issues were completed in sprint 8 within the last 2 days?",
        "What was finished in sprint 8 in the last three days?",
    ],
)
def test_the_last_days_of_a_sprint_are_not_the_last_before_now(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "How many issues have been blocked since Monday?",
        "How many bugs were blocked since Monday?",
        "How many ACCEL issues have been blocked since yesterday?",
        "How many stories have been blocked since October?",
    ],
)
def test_blocked_since_a_day_is_not_blocked_in_sprints_that_started_since(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "Did the scope of sprint 9 change since Monday?",
        "How much did the scope of sprint 9 change this week?",
        "Did the scope of ORBIT's sprint 9 change this week?",
        "Did the commitment of sprint 9 change since Monday?",
        "Did the points of sprint 9 change this week?",
    ],
)
def test_a_changed_number_of_a_sprint_is_not_its_issues_that_were_changed(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("How did the scope of sprint 8 change?", "scope changes"),
        ("What was finished in the current sprint in the last three days?", "from 15 November"),
        ("Which issues are in sprint 9 but not in sprint 8?", "not"),
        ("Which issues are still open from sprint 8?", "open"),
        ("How many bugs were closed since sprint 7?", "Sprint 7|sprint 7"),
    ],
)
def test_what_is_sure_is_still_read(question: str, understood: str) -> None:
    answer = ask(question)

    assert not answer.is_ambiguous
    assert answer.interpretation is not None
    assert any(one in answer.interpretation for one in understood.split("|"))
