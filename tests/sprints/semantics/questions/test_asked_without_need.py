"""Questions that were asked back without need: parts of shares, orders, comparisons, and what people left behind."""

import pytest

from tests.sprints.semantics.questions.reading import parse
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

OPEN, BUG = "i.status_category <> 'Done'", "i.issue_type = 'Bug'"
ROWS = (
    "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id LEFT JOIN users AS r "
    "ON r.user_id = i.reporter_id JOIN teams AS t ON t.team_id = i.team_id"
)
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
SHARE = f"SELECT 100.0 * count(*) FILTER (WHERE {{}}) / count(*) AS share {ROWS} WHERE {{}}"
OF_TWO = f"SELECT t.team_key, count(*) AS n {ROWS} WHERE t.team_key IN ('ORBIT', 'HARBOR') AND {{}} GROUP BY 1"
VELOCITY = (
    "SELECT team_key, avg(completed_points) AS v FROM sprint_summary JOIN teams USING (team_id) "
    "WHERE state = 'closed' AND team_key <> 'HARBOR' GROUP BY 1"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("percent of issues without estimate", SHARE.format("i.story_points IS NULL", "true")),
        ("percent of bugs done", SHARE.format("i.status_category = 'Done'", BUG)),
        ("percent of open bugs blocked", SHARE.format("i.is_blocked", f"{OPEN} AND {BUG}")),
        ("percentage of issues unassigned", SHARE.format("i.assignee_id IS NULL", "true")),
        ("teams by velocity, no HARBOR", VELOCITY),
        ("teams by velocity without HARBOR", VELOCITY),
        ("does ORBIT have more to do than HARBOR", OF_TWO.format(OPEN)),
        ("does ORBIT have more left than HARBOR", OF_TWO.format(OPEN)),
        ("who has more to do, ORBIT or HARBOR", OF_TWO.format(OPEN)),
        ("who has more open bugs, ORBIT or HARBOR", OF_TWO.format(f"{OPEN} AND {BUG}")),
    ],
)
def test_numbers_are_those_that_are_meant(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("tickets of people who left", LIST.format("NOT u.is_active")),
        ("open tickets of people who have left", LIST.format(f"{OPEN} AND NOT u.is_active")),
        ("issues of inactive people", LIST.format("NOT u.is_active")),
        ("tickets assigned to people who left", LIST.format("NOT u.is_active")),
        ("which tickets belong to people who left", LIST.format("NOT u.is_active")),
        ("bugs assigned to someone who left", LIST.format(f"{BUG} AND NOT u.is_active")),
        ("bugs not assigned to people who left", LIST.format(f"{BUG} AND NOT coalesce(NOT u.is_active, false)")),
        ("bugs reported by people who left", LIST.format(f"{BUG} AND NOT r.is_active")),
    ],
)
def test_issues_of_people_who_left_are_known(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "by", "direction"),
    [
        ("open bugs by age", "age_days", "desc"),
        ("ORBIT bugs by age", "age_days", "desc"),
        ("bugs by created date", "created_at", "asc"),
        ("closed issues by cycle time", "cycle_time_days", "desc"),
    ],
)
def test_rows_are_listed_in_the_order_of_a_number_of_each(question: str, by: str, direction: str) -> None:
    query = parse(question).query

    assert query is not None
    assert query.rows_of == "issue"
    assert [(one.by, one.direction) for one in query.order] == [(by, direction)]


DUE_UNASSIGNED = f"{OPEN} AND i.due_date NOTNULL AND i.assignee_id ISNULL"
PER_EPIC = (
    "SELECT e.issue_key, e.title, {} AS n FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id "
    "WHERE {} GROUP BY 1, 2 LIMIT 1000"
)
EACH = f"SELECT u.full_name, count(*) AS n {ROWS} WHERE u.full_name NOTNULL AND {{}} GROUP BY 1 LIMIT 1000"
STAY = (
    "SELECT avg(extract(epoch FROM p.left_at - p.entered_at) / 86400) AS days FROM status_periods AS p "
    "JOIN issues AS i USING (issue_id) JOIN teams AS t USING (team_id) "
    "WHERE p.left_at NOTNULL AND t.team_key = '{}' AND p.status = '{}'"
)
YESTERDAY = "i.resolved_at >= '2026-11-17' AND i.resolved_at < '2026-11-18'"
COUNT = f"SELECT count(*) AS n {ROWS} WHERE {{}}"
LEVI, DONE = "u.full_name = 'Levi Walker'", "i.status_category = 'Done'"
MOST = (
    "SELECT full_name, n FROM (SELECT u.full_name, count(*) AS n, rank() OVER (ORDER BY count(*) DESC) AS at "
    f"{ROWS} WHERE {OPEN} AND u.full_name NOTNULL GROUP BY 1) AS ranked WHERE at = 1"
)
CHANGES = (
    "SELECT s.sprint_name, i.issue_key, c.change, c.changed_at FROM scope_changes AS c "
    "JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) WHERE {} LIMIT 1000"
)
CARRIED = (
    "SELECT issue_key FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues USING (issue_id) "
    "WHERE s.sprint_name LIKE '% Sprint 8' AND m.was_carried_over LIMIT 1000"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("tickets with due date and no assignee", LIST.format(DUE_UNASSIGNED)),
        ("tickets with due date but no assignee", LIST.format(DUE_UNASSIGNED)),
        ("tickets with label but without epic", LIST.format("cardinality(i.labels) > 0 AND i.epic_id ISNULL")),
        ("tickets with estimate and without assignee", LIST.format("i.story_points NOTNULL AND i.assignee_id ISNULL")),
        ("progress of all epics",
         PER_EPIC.format("100.0 * count(*) FILTER (WHERE i.status_category = 'Done') / count(*)", "true")),
        ("progress of all our epics",
         PER_EPIC.format("100.0 * count(*) FILTER (WHERE i.status_category = 'Done') / count(*)", "true")),
        ("epics by number of open bugs", PER_EPIC.format("count(*)", f"{OPEN} AND {BUG}")),
        ("epics by bugs", PER_EPIC.format("count(*)", BUG)),
        ("epics by points", PER_EPIC.format("sum(i.story_points)", "true")),
        ("carry over sprint 8", CARRIED),
        ("carry over of sprint 8", CARRIED),
        ("whose tickets are blocked", EACH.format("i.is_blocked")),
        ("whose tickets are in QA", EACH.format("i.status = 'QA'")),
        ("whose p0s are open", EACH.format(f"{OPEN} AND i.priority = 'p0'")),
        ("tickets estimated at 13", LIST.format("i.story_points = 13")),
        ("how many tickets are estimated at 3",
         f"SELECT count(*) AS n {ROWS} WHERE i.story_points = 3"),
        ("what was added and removed in sprint 8", CHANGES.format("s.sprint_name LIKE '% Sprint 8'")),
        ("what did ORBIT add and remove in sprint 8", CHANGES.format("s.sprint_name = 'ORBIT Sprint 8'")),
        ("what was added and removed this week", CHANGES.format("c.changed_at >= '2026-11-16'")),
        ("which bugs has Levi", LIST.format(f"{OPEN} AND {BUG} AND {LEVI}")),
        ("what has Levi got on his plate", LIST.format(f"{OPEN} AND {LEVI}")),
        ("how many bugs has Levi", COUNT.format(f"{OPEN} AND {BUG} AND {LEVI}")),
        ("how many points has Levi", f"SELECT sum(i.story_points) AS n {ROWS} WHERE {OPEN} AND {LEVI}"),
        ("who has got the most to do", MOST),
        ("closed yesterday by person", EACH.format(f"{DONE} AND {YESTERDAY}")),
        ("bugs closed by person", EACH.format(f"{DONE} AND {BUG}")),
        ("overdue by more than 10 days", LIST.format(f"{OPEN} AND i.due_date < '2026-11-07'")),
        ("inactive users with open tickets", EACH.format(f"{OPEN} AND NOT u.is_active")),
        ("next 5 due tickets",
         ("SELECT issue_key FROM (SELECT *, rank() OVER (ORDER BY due_date) AS at FROM issues WHERE due_date >= "
          "'2026-11-18' AND status_category <> 'Done') AS i WHERE at <= 5")),
        ("bugs closed yesterday and on Monday",
         LIST.format(f"{DONE} AND {BUG} AND i.resolved_at >= '2026-11-16' AND i.resolved_at < '2026-11-18'")),
        ("issues created in September and October",
         LIST.format("i.created_at >= '2026-09-01' AND i.created_at < '2026-11-01'")),
        ("how often was ORBIT-102 moved",
         ("SELECT count(*) AS n FROM status_changes JOIN issues USING (issue_id) WHERE issue_key = 'ORBIT-102'")),
        ("how long do HARBOR tickets stay in QA", STAY.format("HARBOR", "QA")),
        ("how many days on average does a HARBOR ticket hang around in Verifying", STAY.format("HARBOR", "Verifying")),
        ("in which sprints was nothing added",
         ("SELECT sprint_name FROM sprints AS s WHERE s.state <> 'future' AND NOT EXISTS (SELECT 1 FROM sprint_issues "
          "AS m WHERE m.sprint_id = s.sprint_id AND m.was_added_after_start) LIMIT 1000")),
        ("what was removed from sprints since September",
         ("SELECT issue_key FROM sprint_issues JOIN issues USING (issue_id) WHERE removed_at >= '2026-09-01' "
          "AND was_removed LIMIT 1000")),
        ("scope changes this week", CHANGES.format("c.changed_at >= '2026-11-16'")),
        ("status changes yesterday",
         ("SELECT issue_key, changed_at FROM status_changes JOIN issues USING (issue_id) "
          "WHERE changed_at >= '2026-11-17' AND changed_at < '2026-11-18' LIMIT 1000")),
    ],
)  # fmt: skip
def test_rows_and_groups_are_those_that_are_meant(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question", ["has velocity improved", "did velocity go up", "did velocity get better", "is velocity going up"]
)
def test_what_got_better_is_shown_as_a_trend(question: str) -> None:
    query = parse(question).query

    assert query is not None
    assert (query.measures, query.trend) == (("velocity",), True)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("average bugs per sprint", "not the average of them"),
        ("how many bugs do we get per sprint on average", "not the average of them"),
        ("percent of stories completed in sprint 8", "of those committed, or of all in the sprint"),
        ("What percentage of sprint 7 was completed?", "of those committed, or of all in the sprint"),
        ("percentage of open bugs", "A share of what?"),
        ("how many bugs by age", ""),
        ("issues of people who left ORBIT", ""),
        ("did ORBIT have more to do than HARBOR", ""),
        ("did scope go up in sprint 8", "One sprint has no trend."),
        ("did velocity improve in sprint 8", "One sprint has no trend."),
        ("which team's velocity went up", ""),
        ("which team improved the most", ""),
        ("carry over ACCEL-100", "would change something"),
        ("whose tickets are not done", ""),
        ("blockages this week", ""),
        ("what did Levi do in sprint 8", ""),
        ("what did Levi do in Faster onboarding", ""),
        ("epics nobody works on", ""),
        ("epics nobody is working on", ""),
        ("velocity and completion rate by team", "'velocity' and 'completion rate' one at a time"),
        ("issues blocked in September and October", ""),
        ("does ORBIT have more work than HARBOR", ""),
    ],
)
def test_what_is_not_known_is_asked_back_with_a_sentence(question: str, said: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert said in answer.answer
