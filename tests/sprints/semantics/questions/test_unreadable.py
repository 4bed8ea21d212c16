"""Constructions of known words that no query says as a whole are asked back, not answered with a word left out."""

import pytest

from sprints.asking.chat import chat
from tests.sprints.semantics.questions.test_answers import NOW, TEAM, ask, assert_same_rows
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")


@pytest.mark.parametrize(
    "question",
    [
        "What do I have to do?",
        "Which open issues do I have?",
        "Open issues reported by Priya Raman that are assigned to her",
        "Which issues were in both ACCEL Sprint 7 and ACCEL Sprint 8?",
        "Who works for both HARBOR and ORBIT?",
        "Which issues changed priority in October?",
        "Which issues had their priority raised last week?",
        "Which sprints started in October and had carry-over?",
        "Points completed in sprints started in October",
        "Which bugs have nothing to do with security?",
        "Is there nobody with open bugs in HARBOR?",
        "The report is for October. How many bugs did ORBIT close?",
        "The p0 bugs are closed. What is left in HARBOR?",
        "Does everyone in HARBOR have at least one open issue?",
        "Is everything done in ACCEL Sprint 8?",
        "Which sprints of ACCEL completed everything they committed?",
        "Which issues does HARBOR-78 block?",
        "Which people have more than 4 open issues and no bugs?",
        "Who created ACCEL-46 and who closed it?",
        "Average points of issues finished in ACCEL Sprint 8 per type",
        "Open issues by assignee in HARBOR, sorted by name",
        "Did Priya Raman report more bugs than Levi Walker last month?",
        "Who reported more bugs, Priya Raman or Levi Walker?",
        "How many points did ACCEL carry into the current sprint?",
        "Which teammates of Priya Raman have open bugs?",
        "How many changes of the estimate were there last month?",
        "How long does it take from creation to Code Review?",
        "Which issues were reopened twice in October?",
        "Which issues did HARBOR carry over in the sprint?",
        "How often has Priya Raman reopened bugs?",
        "How many issues are opened?",
        "Which issues have been blocked the longest?",
    ],
)
def test_what_no_query_says_as_a_whole_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("How many were carried over from ACCEL Sprint 8?", "and in the next sprint?"),
        ("Show the epics of ACCEL", "with their progress"),
    ],
)
def test_a_follow_up_that_would_lose_or_contradict_its_rows_is_asked_back(first: str, then: str) -> None:
    before = ask(first)

    answer = event_loop.run(chat(then, now=NOW, reader=reader, model=None, context=before.query))

    assert not before.is_ambiguous
    assert answer.is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which bugs did ACCEL finish in the sprint?",
         ("SELECT issue_key FROM sprint_issues AS m JOIN issues AS i USING (issue_id) JOIN sprints AS s "
          f"ON s.sprint_id = m.sprint_id WHERE s.state = 'active' AND s.team_id = {TEAM.format('ACCEL')} "
          "AND removed_at IS NULL AND status_category = 'Done' AND issue_type = 'Bug' LIMIT 1000")),
        ("How long was HARBOR-29 blocked?",
         ("SELECT issue_key, round((extract(epoch FROM sum(unblocked_at - blocked_at)) / 86400)::numeric, 1) AS days "
          "FROM blocked_periods JOIN issues USING (issue_id) WHERE issue_key = 'HARBOR-29' GROUP BY issue_key")),
    ],
    ids=lambda value: value[:40],
)  # fmt: skip
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
