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
CHOSEN = """
SELECT issue_key, {} AS asked, {} AS size FROM issues AS i JOIN teams AS t USING (team_id)
LEFT JOIN users AS u ON u.user_id = i.assignee_id
WHERE {} AND i.story_points IS NOT NULL ORDER BY i.story_points {} FETCH FIRST ROW WITH TIES
"""
PEOPLE = """
SELECT count(*) AS n FROM users AS u LEFT JOIN teams AS t USING (team_id)
WHERE {} AND {} EXISTS (SELECT 1 FROM issues AS i WHERE i.{} = u.user_id AND {})
"""
IN_OCTOBER = "i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01' AND i.status_category = 'Done'"
LABELLED = """
SELECT {0} FROM issues WHERE labels @> ARRAY{1} AND labels <@ ARRAY{1} AND {2} LIMIT 1000
"""
OPEN_STORY = "i.status_category <> 'Done' AND i.issue_type = 'Story'"
OPEN_BUG = "i.status_category <> 'Done' AND i.issue_type = 'Bug'"
NAME = "u.full_name"
SIZE = "i.story_points"
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


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Status of the biggest open story?", CHOSEN.format("status", SIZE, OPEN_STORY, "DESC")),
        ("What status does the biggest open story have?", CHOSEN.format("status", SIZE, OPEN_STORY, "DESC")),
        ("Team of the biggest open story?", CHOSEN.format("team_key", SIZE, OPEN_STORY, "DESC")),
        ("Which team has the biggest open story?", CHOSEN.format("team_key", SIZE, OPEN_STORY, "DESC")),
        ("Who has the biggest open story?", CHOSEN.format(NAME, SIZE, OPEN_STORY, "DESC")),
        ("Who has the biggest p0 bug?", CHOSEN.format(NAME, SIZE, f"{OPEN_BUG} AND priority = 'p0'", "DESC")),
        ("Priority of the largest open bug?", CHOSEN.format("priority", SIZE, OPEN_BUG, "DESC")),
        ("Priority of the smallest open story?", CHOSEN.format("priority", SIZE, OPEN_STORY, "ASC")),
        ("Type of the biggest issue in sprint 9?",
         ("SELECT issue_key, issue_type, story_points FROM issues JOIN sprint_issues AS m USING (issue_id) "
          "JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE s.sprint_name LIKE '% Sprint 9' AND is_in_scope "
          "AND story_points IS NOT NULL ORDER BY story_points DESC FETCH FIRST ROW WITH TIES")),
        ("Status of the oldest open bug?",
         (f"SELECT issue_key, status FROM issues WHERE {OPEN} AND issue_type = 'Bug' "
          "ORDER BY created_at FETCH FIRST ROW WITH TIES")),
        ("Who has the oldest open bug?",
         ("SELECT issue_key, full_name FROM issues AS i LEFT JOIN users ON user_id = assignee_id "
          f"WHERE {OPEN_BUG} ORDER BY i.created_at FETCH FIRST ROW WITH TIES")),
    ],
)  # fmt: skip
def test_a_property_of_the_biggest_row_is_its_own(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Who closed the biggest story in October?", "Who reported the biggest open bug?",
        "Who has the biggest open stories?", "Epic of the biggest open story?",
        "Which team owns the largest open p1 story?", "Who owns the biggest open story of ORBIT?",
    ],
)  # fmt: skip
def test_the_biggest_row_is_no_largest_number(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many of us have open bugs?", PEOPLE.format("true", "", "assignee_id", OPEN_BUG)),
        ("How many of us have no open bugs?", PEOPLE.format("true", "NOT", "assignee_id", OPEN_BUG)),
        ("How many of us closed something in October?", PEOPLE.format("true", "", "assignee_id", IN_OCTOBER)),
        ("How many of us reported a bug?", PEOPLE.format("true", "", "reporter_id", "i.issue_type = 'Bug'")),
        ("How many of ACCEL have open bugs?", PEOPLE.format("team_key = 'ACCEL'", "", "assignee_id", OPEN_BUG)),
        ("How many in ACCEL have open bugs?", PEOPLE.format("team_key = 'ACCEL'", "", "assignee_id", OPEN_BUG)),
        ("How many from ACCEL have open bugs?", PEOPLE.format("team_key = 'ACCEL'", "", "assignee_id", OPEN_BUG)),
        ("How many people in ORBIT closed a bug in October?",
         PEOPLE.format("team_key = 'ORBIT'", "", "assignee_id", f"{IN_OCTOBER} AND i.issue_type = 'Bug'")),
        ("How many of ORBIT closed a bug in October?",
         PEOPLE.format("team_key = 'ORBIT'", "", "assignee_id", f"{IN_OCTOBER} AND i.issue_type = 'Bug'")),
        # rows of a team, as nobody has them
        ("How many of ORBIT are blocked?",
         "SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE is_blocked AND team_key = 'ORBIT'"),
        ("How many of ORBIT's resolved bugs were never reopened?",
         ("SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT' "
          "AND issue_type = 'Bug' AND status_category = 'Done' AND reopened_count = 0")),
        ("How many open bugs are there that aren't blocked?",
         f"SELECT count(*) AS n FROM issues AS i WHERE {OPEN_BUG} AND NOT is_blocked"),
        ("How many of our bugs are open?", f"SELECT count(*) AS n FROM issues AS i WHERE {OPEN_BUG}"),
    ],
)  # fmt: skip
def test_how_many_of_us_is_a_number_of_people(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "How many of us are working on bugs?", "How many of us are blocked?", "How many of ORBIT are working on bugs?",
        "What share of us has open bugs?",
    ],
)  # fmt: skip
def test_what_people_are_is_no_number_of_issues(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many issues are labelled ux only?", LABELLED.format("count(*) AS n", "['ux']", "true")),
        ("How many issues have the label security only?", LABELLED.format("count(*) AS n", "['security']", "true")),
        ("How many open issues are labelled customer only?", LABELLED.format("count(*) AS n", "['customer']", OPEN)),
        ("Which stories are tagged ux only?", LABELLED.format("issue_key", "['ux']", "issue_type = 'Story'")),
        ("Which bugs have ux only?", LABELLED.format("issue_key", "['ux']", "issue_type = 'Bug'")),
        ("Which open bugs are labelled regression only?",
         LABELLED.format("issue_key", "['regression']", f"{OPEN} AND issue_type = 'Bug'")),
        ("Issues labelled ux and security only", LABELLED.format("issue_key", "['ux', 'security']", "true")),
        ("Issues of ACCEL only", ISSUES.format("team_key = 'ACCEL'")),
    ],
)  # fmt: skip
def test_the_only_label_is_one_without_others(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "How many issues are labelled ux only in sprint 9?", "How many issues are labelled ux or security only?",
        "How many issues are not labelled ux only?", "Which people have bugs only?", "Who has p0 bugs only?",
    ],
)  # fmt: skip
def test_what_is_only_is_asked_back_where_it_cannot_be_read(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "Which team has most open bugs per person?", "Which team has the fewest open issues per person?",
        "Which team closes the most issues per person?", "Which team completed the most points per person in sprint 8?",
        "Which teams have the most open bugs per member?", "Top 3 teams by open bugs per person",
        "Rank the teams by open bugs per person", "Which team has more than 2 open bugs per person?",
        "Who has the most points per issue?",
    ],
)  # fmt: skip
def test_the_best_by_a_ratio_is_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "divide" in answer.answer


def test_the_best_person_of_each_team_is_no_ratio() -> None:
    assert_same_rows(
        "Which person has the most open bugs in each team?",
        truth=(
            "WITH n AS (SELECT team_key, full_name, count(*) AS bugs, "
            "rank() OVER (PARTITION BY team_key ORDER BY count(*) DESC) AS at FROM issues AS i "
            "JOIN teams AS t USING (team_id) JOIN users AS u ON u.user_id = i.assignee_id "
            f"WHERE {OPEN_BUG} GROUP BY 1, 2) SELECT team_key, full_name, bugs FROM n WHERE at = 1 LIMIT 1000"
        ),
    )


@pytest.mark.parametrize(
    "question",
    [
        "How many points do we have still in sprint 9?", "How many issues has HARBOR still in sprint 9?",
        "How many points has Sophia still in sprint 9?", "How many issues have we still in sprint 9?",
        "How many bugs have we still in the current sprint?", "Which bugs has ORBIT still in sprint 9?",
        "How many stories has ORBIT got still in sprint 9?", "How many points do we have in sprint 9 still?",
    ],
)  # fmt: skip
def test_what_somebody_has_still_in_a_sprint_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many bugs have we still?", f"SELECT count(*) AS n FROM issues AS i WHERE {OPEN_BUG}"),
        ("How many bugs does ORBIT have still?",
         ("SELECT count(*) AS n FROM issues AS i JOIN teams USING (team_id) "
          f"WHERE {OPEN_BUG} AND team_key = 'ORBIT'")),
        ("Which stories have still no assignee in sprint 9?",
         IN_SPRINT.format("i.assignee_id IS NULL AND i.issue_type = 'Story'")),
        ("How many open bugs has ORBIT still in sprint 9?",
         ("SELECT count(*) AS n FROM issues AS i JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s "
          f"ON s.sprint_id = m.sprint_id WHERE s.sprint_name = 'ORBIT Sprint 9' AND m.is_in_scope AND {OPEN_BUG}")),
    ],
)  # fmt: skip
def test_what_somebody_has_still_is_open(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
