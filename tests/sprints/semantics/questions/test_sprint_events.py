"""What happened in sprints, in everyday words: dragged along, came back, slipped in, planned for the next one."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

IN = (
    "FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "WHERE s.sprint_name = '{}' AND {}"
)
LIST, COUNT = f"SELECT i.issue_key {IN} LIMIT 1000", f"SELECT count(*) AS n {IN}"
CARRIED = LIST.format("ORBIT Sprint 7", "m.was_carried_over")
DONE_SINCE = COUNT.format("ORBIT Sprint 7", "m.was_carried_over AND i.status_category = 'Done'")
LATE = LIST.format("ACCEL Sprint 9", "m.was_added_after_start")
REOPENED = LIST.format("ORBIT Sprint 9", "m.is_in_scope AND i.reopened_count > 0")
KEPT = COUNT.format("HARBOR Sprint 7", "m.was_committed AND m.was_completed")
MISSED = (
    "SELECT count(*) AS n FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
    "JOIN issues AS i USING (issue_id) WHERE s.state = 'closed' AND m.was_committed AND i.issue_type = '{}' "
    "AND NOT m.was_completed"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many tickets did the ACCEL folks drag from sprint 4 into the next one?",
         COUNT.format("ACCEL Sprint 4", "m.was_carried_over")),
        ("What did ORBIT drag along from sprint 7 into sprint 8?", CARRIED),
        ("What did ORBIT carry over from sprint 7 into sprint 8?", CARRIED),
        ("What did ORBIT carry from sprint 7 into sprint 8?", CARRIED),
        ("Of the issues that were carried over out of ORBIT Sprint 7, how many are finished by now?", DONE_SINCE),
        ("Of the issues carried over from ORBIT Sprint 7, how many are done now?", DONE_SINCE),
        ("How many of the issues carried over from ORBIT sprint 7 are done by now?", DONE_SINCE),
        ("Did anything in Orbit's running sprint come back after it was already done?", REOPENED),
        ("Which tickets in ORBIT's running sprint came back after they were done?", REOPENED),
        ("which tickets in accel's sprint slipped in after the kickoff?", LATE),
        ("which tickets came in after the kickoff in ACCEL's sprint?", LATE),
        ("How many points came in mid-sprint for ORBIT in sprint 8?",
         "SELECT added_points FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 8' LIMIT 1000"),
        ("How many points does ORBIT still have to go in their sprint?",
         "SELECT remaining_points FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 9' LIMIT 1000"),
        ("What did ORBIT complete in Sprint 8 that wasn't there when the sprint began?",
         LIST.format("ORBIT Sprint 8", "m.was_completed AND NOT m.was_committed")),
        ("Of what Harbor committed to in sprint 7, how many items did they actually finish?", KEPT),
        ("Of what HARBOR planned for sprint 7, how many tickets were completed?", KEPT),
        ("How many committed bugs were not done in their sprint?", MISSED.format("Bug")),
        ("how many committed issues were not finished in HARBOR sprint 8",
         ("SELECT count(*) AS n FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
         "WHERE s.sprint_name = 'HARBOR Sprint 8' AND m.was_committed AND NOT m.was_completed")),
        ("How many committed bugs were not completed in their sprint?", MISSED.format("Bug")),
        ("How many committed stories were not finished in their sprint?", MISSED.format("Story")),
        ("Which tickets about offline mode did we put into the next Harbor sprint?",
         LIST.format("HARBOR Sprint 10", "m.is_in_scope AND i.title ILIKE '%offline mode%'")),
        ("Which stories did we put into the next ORBIT sprint?",
         LIST.format("ORBIT Sprint 10", "m.is_in_scope AND i.issue_type = 'Story'")),
        ("How many points did we put into the next Harbor sprint?",
         "SELECT scope_points FROM sprint_summary WHERE sprint_name = 'HARBOR Sprint 10' LIMIT 1000"),
    ],
)  # fmt: skip
def test_events_of_sprints(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "What did ORBIT drag along from sprint 7 into sprint 9?",
        "What did ORBIT carry over from sprint 9 into sprint 10?",
        "What spilled over into ORBIT sprint 8?",
        "How many committed stories were not finished in the sprint?",
        "Which committed stories were not done in their sprint in ORBIT?",
        "Which tickets rolled over from sprint 7 to sprint 8 in ORBIT?",
        "What slipped into ORBIT Sprint 9 after kick-off and is it done yet?",
    ],
)
def test_what_no_sprint_tells_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
