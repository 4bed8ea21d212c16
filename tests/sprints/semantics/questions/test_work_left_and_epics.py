"""Work that is left, and what is in an epic that is named by its key."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

OPEN = "i.status_category <> 'Done'"
ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
COUNT = f"SELECT count(*) AS n {ROWS} WHERE {{}}"
EACH = f"SELECT u.full_name, count(*) AS n {ROWS} WHERE u.full_name IS NOT NULL AND {{}} GROUP BY 1 LIMIT 1000"
IN_EPIC = "i.epic_id = (SELECT e.issue_id FROM issues AS e WHERE e.issue_key = '{}')"
IN_SPRINT = (
    "EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) WHERE m.issue_id = i.issue_id "
    "AND s.sprint_name LIKE '{} Sprint 9' AND m.is_in_scope{})"
)
LEFT = IN_SPRINT.format("%", " AND m.done_at IS NULL")
FIRST = IN_EPIC.format("ACCEL-1")


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("who has work left", EACH.format(OPEN)),
        ("who has any work left", EACH.format(OPEN)),
        ("who still has work", EACH.format(OPEN)),
        ("who still has bugs", EACH.format(f"{OPEN} AND i.issue_type = 'Bug'")),
        ("who in ORBIT has work left", EACH.format(f"{OPEN} AND t.team_key = 'ORBIT'")),
        ("which teams have work left", f"SELECT t.team_key, count(*) AS n {ROWS} WHERE {OPEN} GROUP BY 1"),
        ("does Levi have work left", LIST.format(f"{OPEN} AND u.full_name = 'Levi Walker'")),
        ("who has no work left",
         ("SELECT full_name FROM users WHERE NOT EXISTS (SELECT 1 FROM issues AS i "
          "WHERE i.assignee_id = users.user_id AND i.status_category <> 'Done') LIMIT 1000")),
        ("who still has work in sprint 9", EACH.format(LEFT)),
        ("who still has bugs in sprint 9", EACH.format(f"i.issue_type = 'Bug' AND {LEFT}")),
        ("who in ORBIT still has work in sprint 9", EACH.format(f"t.team_key = 'ORBIT' AND {LEFT}")),
        ("who has issues in ORBIT Sprint 9", EACH.format(IN_SPRINT.format("ORBIT", ""))),
        ("who still has work in the epic ACCEL-1", EACH.format(f"{OPEN} AND {FIRST}")),
    ],
)  # fmt: skip
def test_work_that_is_left_is_open(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("what's left in the epic ACCEL-1", LIST.format(f"{OPEN} AND {FIRST}")),
        ("what is left in ACCEL-1", LIST.format(f"{OPEN} AND {FIRST}")),
        ("what is done in the epic ACCEL-1", LIST.format(f"i.status_category = 'Done' AND {FIRST}")),
        ("what is blocked in the epic ACCEL-1", LIST.format(f"i.is_blocked AND {FIRST}")),
        ("how many bugs are in ACCEL-1", COUNT.format(f"i.issue_type = 'Bug' AND {FIRST}")),
        ("stories in ACCEL-1 that are open", LIST.format(f"{OPEN} AND i.issue_type = 'Story' AND {FIRST}")),
        ("who works on ACCEL-1", EACH.format(f"i.status_category = 'In Progress' AND {FIRST}")),
        ("ACCEL-2's open bugs",
         LIST.format(f"{OPEN} AND i.issue_type = 'Bug' AND {IN_EPIC.format('ACCEL-2')}")),
        ("issues of ACCEL-2", LIST.format(IN_EPIC.format("ACCEL-2"))),
        ("how many issues does ACCEL-1 still have open", COUNT.format(f"{OPEN} AND {FIRST}")),
        ("bugs in ACCEL-1 and ACCEL-2",
         LIST.format(f"i.issue_type = 'Bug' AND ({FIRST} OR {IN_EPIC.format('ACCEL-2')})")),
        ("points of ACCEL-1", f"SELECT sum(i.story_points) AS n {ROWS} WHERE {FIRST}"),
        ("how many points does ACCEL-1 have", f"SELECT sum(i.story_points) AS n {ROWS} WHERE {FIRST}"),
        ("time spent on ACCEL-1", f"SELECT sum(i.time_spent_hours) AS n {ROWS} WHERE {FIRST}"),
        # the epic itself
        ("status of ACCEL-1", "SELECT issue_key, status FROM issues WHERE issue_key = 'ACCEL-1'"),
        ("show ACCEL-1", "SELECT issue_key FROM issues WHERE issue_key = 'ACCEL-1'"),
    ],
)  # fmt: skip
def test_what_is_in_an_epic_is_what_belongs_to_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "bugs in ACCEL-40",
        "is ACCEL-100 in ACCEL-1",
        "who still has work in sprint 8",
        "how many bugs does ACCEL-40 have",
    ],
)
def test_other_issues_have_none_in_them(question: str) -> None:
    assert ask(question).is_ambiguous


def test_the_parts_of_an_epic_may_be_named_by_its_title_before_them() -> None:
    assert_same_rows(
        "How far along is Pay in the app - how many of its tickets have shipped and how many are left?",
        truth=(
            "SELECT count(*) AS n, count(*) FILTER (WHERE i.status_category = 'Done') AS part, "
            "count(*) FILTER (WHERE i.status_category <> 'Done') AS rest, "
            "100.0 * count(*) FILTER (WHERE i.status_category = 'Done') / count(*) AS share "
            f"FROM issues AS i WHERE {IN_EPIC.format('HARBOR-2')}"
        ),
    )
