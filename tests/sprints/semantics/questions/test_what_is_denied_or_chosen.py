"""What a closed question denies, and one row, person or team that is chosen among many."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

ISSUES = """
SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE {} LIMIT 1000
"""
IN_SPRINT = """
SELECT issue_key FROM issues AS i JOIN sprint_issues AS m USING (issue_id)
JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE s.sprint_name LIKE '% Sprint 9' AND m.is_in_scope AND {} LIMIT 1000
"""
OPEN = "status_category <> 'Done'"
OPEN_P0 = f"{OPEN} AND priority = 'p0' AND issue_type = 'Bug'"
YESTERDAY = "created_at >= '2026-11-17' AND created_at < '2026-11-18' AND issue_type = 'Bug'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Are there no p0 bugs open?", ISSUES.format(OPEN_P0)),
        ("Is there no p0 bug open?", ISSUES.format(OPEN_P0)),
        ("Have we no p0 bugs left?", ISSUES.format(OPEN_P0)),
        ("Are there really no p0 bugs open?", ISSUES.format(OPEN_P0)),
        ("Are there no p0 bugs?", ISSUES.format(OPEN_P0)),
        ("So there are no p0 bugs open?", ISSUES.format(OPEN_P0)),
        ("There aren't any p0 bugs open, right?", ISSUES.format(OPEN_P0)),
        ("There isn't a p0 bug open, right?", ISSUES.format(OPEN_P0)),
        ("Are there not any p0 bugs open?", ISSUES.format(OPEN_P0)),
        ("Has ORBIT no p0 bugs open?", ISSUES.format(f"{OPEN_P0} AND team_key = 'ORBIT'")),
        ("In ACCEL there is no p0 bug open?", ISSUES.format(f"{OPEN_P0} AND team_key = 'ACCEL'")),
        ("Are there no p0 or p1 bugs open?",
         ISSUES.format(f"{OPEN} AND priority IN ('p0', 'p1') AND issue_type = 'Bug'")),
        ("There is no open p1 bug, right?", ISSUES.format(f"{OPEN} AND priority = 'p1' AND issue_type = 'Bug'")),
        ("Are there no blocked bugs in ORBIT?",
         ISSUES.format("is_blocked AND issue_type = 'Bug' AND team_key = 'ORBIT'")),
        ("Are there no customer bugs open?",
         ISSUES.format(f"{OPEN} AND 'customer' = ANY (labels) AND issue_type = 'Bug'")),
        ("Is there no bug labelled security open?",
         ISSUES.format(f"{OPEN} AND 'security' = ANY (labels) AND issue_type = 'Bug'")),
        ("Are there no stories in QA?", ISSUES.format("status = 'QA' AND issue_type = 'Story'")),
        ("Were there no bugs reported yesterday?", ISSUES.format(YESTERDAY)),
        ("Are there no unassigned bugs?", ISSUES.format(f"{OPEN} AND assignee_id IS NULL AND issue_type = 'Bug'")),
        ("Is there no open bug in sprint 9?", IN_SPRINT.format(f"i.{OPEN} AND i.issue_type = 'Bug'")),
        ("In sprint 9 there are no open bugs, right?", IN_SPRINT.format(f"i.{OPEN} AND i.issue_type = 'Bug'")),
        ("Are there no unestimated stories in sprint 9?",
         IN_SPRINT.format("i.story_points IS NULL AND i.issue_type = 'Story'")),
        ("Is there no unassigned story in sprint 9?",
         IN_SPRINT.format("i.assignee_id IS NULL AND i.issue_type = 'Story'")),
        ("Are there no p0 bugs nobody works on?", ISSUES.format(f"{OPEN_P0} AND assignee_id IS NULL")),
        ("Does ORBIT have no p0 bugs open?", ISSUES.format(f"{OPEN_P0} AND team_key = 'ORBIT'")),
        ("Do we have no p0 bugs?", ISSUES.format(OPEN_P0)),
        ("Are there no issues without an epic?", ISSUES.format(f"{OPEN} AND epic_id IS NULL")),
        ("Is there no sprint with a goal?", "SELECT sprint_name FROM sprints WHERE goal <> '' LIMIT 1000"),
        # negations that are no denial
        ("Which issues are no bugs?", ISSUES.format("issue_type <> 'Bug'")),
        ("Bugs with no label", ISSUES.format("issue_type = 'Bug' AND cardinality(labels) = 0")),
    ],
)  # fmt: skip
def test_whether_there_are_none_is_answered_with_those_that_there_are(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Are there no open bugs and no blocked stories?", "Are there neither p0 nor p1 bugs open?",
        "Is there nobody with open bugs?", "Which sprints were there no bugs in?", "Are there zero p0 bugs open?",
        "Why are there no p0 bugs open?", "Since when are there no p0 bugs open?",
        "Is there no one with more than 5 open issues?",
    ],
)  # fmt: skip
def test_another_denial_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
