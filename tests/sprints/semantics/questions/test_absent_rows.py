"""Owners without rows that are so: teams, people, epics and sprints, with what is said of the rows that they lack."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

CARRIED = (
    "SELECT team_key FROM teams AS t WHERE NOT EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s "
    "USING (sprint_id) WHERE s.team_id = t.team_id AND s.sprint_name LIKE '% Sprint {}' AND m.was_carried_over) "
    "LIMIT 1000"
)
LATE = CARRIED.replace("was_carried_over", "was_added_after_start")
TEAMS = "SELECT team_key FROM teams AS t WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.team_id = t.team_id AND {}) LIMIT 1000"  # noqa: E501
OLD_BUGS = TEAMS.format(
    "issue_type = 'Bug' AND status_category <> 'Done' "
    "AND created_at < (SELECT as_of FROM snapshot) - interval '60 days'"
)
EPICS = "SELECT issue_key FROM issues AS e WHERE issue_type = 'Epic' AND NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.epic_id = e.issue_id AND {}) LIMIT 1000"  # noqa: E501
STORIES = EPICS.format("i.issue_type = 'Story' AND i.status_category = 'In Progress'")
RUNNING = EPICS.format(
    "EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
    "WHERE m.issue_id = i.issue_id AND s.state = 'active' AND m.is_in_scope)"
)
PEOPLE = (
    "SELECT u.full_name FROM users AS u JOIN teams AS t USING (team_id) WHERE t.team_key = '{}' AND NOT EXISTS ("
    "SELECT 1 FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "WHERE s.sprint_name = '{} Sprint 9' AND m.is_in_scope AND i.assignee_id = u.user_id "
    "AND i.status_category <> 'Done') LIMIT 1000"
)
HOLDERS = (
    "SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = u.user_id "
    "AND i.status_category <> 'Done' AND {}) LIMIT 1000"
)
SPRINTS = "SELECT sprint_name FROM sprint_summary WHERE state = 'closed' AND carried_over_issues = 0 LIMIT 1000"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which teams had no carry-over in sprint 4?", CARRIED.format(4)),
        ("Which teams had nothing carried over in sprint 4?", CARRIED.format(4)),
        ("Which teams carried nothing over in sprint 8?", CARRIED.format(8)),
        ("Which teams did not carry anything over at the end of Sprint 8?", CARRIED.format(8)),
        ("Which teams didn't carry anything over in sprint 8?", CARRIED.format(8)),
        ("Which team didn't add anything mid-sprint in sprint 8?", LATE.format(8)),
        ("Which team doesn't have a single bug that has been open for more than 60 days?", OLD_BUGS),
        ("Which teams have no bug that has been open for more than 60 days?", OLD_BUGS),
        ("Which epics have no story that is in progress?", STORIES),
        ("Which teams have no story that is in QA?", TEAMS.format("issue_type = 'Story' AND status = 'QA'")),
        ("Which epics have no story anyone is working on right now?", STORIES),
        ("Which epics don't have a story that anybody is working on?", STORIES),
        ("Which epics don't have a single ticket in the sprints running now?", RUNNING),
        ("Which epics have no ticket in any of the running sprints?", RUNNING),
        ("Which epics have nothing in the current sprints?", RUNNING),
        ("which people have no issue that is overdue",
         ("SELECT full_name FROM users AS u WHERE NOT EXISTS (SELECT 1 FROM issues AS i WHERE i.assignee_id = "
          "u.user_id AND i.status_category <> 'Done' AND i.due_date < (SELECT as_of::date FROM snapshot)) LIMIT 1000")),
        ("who has no bugs?", HOLDERS.format("i.issue_type = 'Bug'")),
        ("which people have no stories?", HOLDERS.format("i.issue_type = 'Story'")),
        ("which team has no customer bugs?",
         TEAMS.format("issue_type = 'Bug' AND 'customer' = ANY (labels) AND status_category <> 'Done'")),
        ("which team had no p0 bugs?", TEAMS.format("issue_type = 'Bug' AND priority = 'p0'")),
        ("Which teams have no p0 open?", TEAMS.format("priority = 'p0' AND status_category <> 'Done'")),
        ("who on the harbor team has nothing left open in the current sprint?", PEOPLE.format("HARBOR", "HARBOR")),
        ("Who on ORBIT has nothing left to do in the current sprint?", PEOPLE.format("ORBIT", "ORBIT")),
        ("In which sprints so far was nothing left over at the end?", SPRINTS),
        ("Which sprints had nothing left over at the end?", SPRINTS),
        ("In which sprints was nothing carried over at the end?", SPRINTS),
    ],
)  # fmt: skip
def test_owners_lack_rows_with_all_that_is_said_of_them(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


ONLY = (
    "SELECT u.full_name FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = u.team_id WHERE t.team_key = 'ACCEL' "
    "AND s.sprint_name = 'ACCEL Sprint 9' AND m.is_in_scope AND {} GROUP BY 1 "
    "HAVING bool_and(i.issue_type = 'Bug') LIMIT 1000"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Who on ACCEL has only bugs left in the current sprint?", ONLY.format("i.status_category <> 'Done'")),
        ("Who on ACCEL has only bugs in the current sprint?", ONLY.format("true")),
        ("Who on ACCEL only has bugs left in the current sprint?", ONLY.format("i.status_category <> 'Done'")),
    ],
)
def test_owners_whose_rows_are_all_so(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "epics without stories in the current sprint",
        "Which teams had no carry-over in sprint 9?",
        "Which epics have nobody working on them right now?",
        "epics with no stories that are blocked",
        "Which epics have more than three quarters of their issues done?",
        "Which people have at least five open issues, at least one of them blocked?",
    ],
)
def test_what_may_be_said_of_owners_or_rows_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
