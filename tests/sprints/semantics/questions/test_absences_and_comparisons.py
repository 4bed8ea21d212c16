"""Who has none of it, two sprints or people side by side, and what waits for what."""

import pytest

from sprints.evaluation.comparing import same
from sprints.semantics.questions.signs import spell_signs
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

PEOPLE = """
SELECT full_name FROM users AS u LEFT JOIN teams USING (team_id) WHERE {} AND NOT EXISTS (
 SELECT 1 FROM issues AS i JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id
 WHERE i.assignee_id = u.user_id AND m.was_completed AND s.sprint_name {}) LIMIT 1000
"""
TEAMS = """
SELECT team_key FROM teams AS t WHERE NOT EXISTS (
 SELECT 1 FROM issues AS i JOIN sprint_issues AS m USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id
 WHERE i.team_id = t.team_id AND i.issue_type = 'Bug' AND m.was_completed AND s.sprint_name {}) LIMIT 1000
"""
EACH = """
SELECT full_name, count(*) AS n FROM issues JOIN users ON user_id = assignee_id WHERE status_category <> 'Done'
AND full_name IN ('Levi Walker', 'Zoë Müller') AND {} GROUP BY 1
"""
RESULTS = """
SELECT sprint_name, completed_points, completed_issues FROM sprint_summary WHERE sprint_name IN ({}) LIMIT 1000
"""
LEFT = """
SELECT team_key, coalesce(sum(points_at_end), 0) AS n FROM sprint_issues JOIN sprints AS s USING (sprint_id)
JOIN teams USING (team_id) WHERE s.state = 'active' AND is_in_scope AND done_at IS NULL AND {} GROUP BY 1
"""
DONE = """
SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE status_category = 'Done'
AND resolved_at >= '2026-11-17' AND resolved_at < '2026-11-18' AND {} LIMIT 1000
"""
WAITING = """
SELECT issue_key FROM issues AS i WHERE status_category <> 'Done' AND {} AND EXISTS (SELECT 1 FROM issue_links AS l
JOIN issues AS o ON o.issue_id = l.issue_id WHERE l.linked_issue_id = i.issue_id AND l.link_type = 'blocks'
AND o.status_category <> 'Done') LIMIT 1000
"""
LINK = """
SELECT i.issue_key, o.issue_key AS other FROM issue_links AS l JOIN issues AS i USING (issue_id)
JOIN issues AS o ON o.issue_id = l.linked_issue_id WHERE l.link_type = 'blocks' AND {} LIMIT 1000
"""
LABELS = """
SELECT label, count(*) AS n FROM issues, unnest(labels) AS label WHERE status_category <> 'Done' GROUP BY 1
ORDER BY n DESC FETCH FIRST 2 ROWS WITH TIES
"""
LOWEST = """
SELECT sprint_name, completed_points FROM sprint_summary WHERE state = 'closed' AND sprint_name LIKE 'ACCEL%'
ORDER BY 2 FETCH FIRST 2 ROWS WITH TIES
"""
HISTORY = """
SELECT changed_at, from_status, to_status FROM status_changes JOIN issues USING (issue_id)
WHERE issue_key = 'ORBIT-12' ORDER BY changed_at LIMIT 1000
"""
DAYS = """
SELECT round((extract(epoch FROM ends_at - as_of) / 86400)::numeric, 1) AS n FROM sprints, snapshot
WHERE sprint_name = 'ACCEL Sprint 9'
"""
NEXT = """
SELECT issue_key FROM issues JOIN teams USING (team_id) WHERE status_category <> 'Done' AND due_date >= '2026-11-18'
AND {} ORDER BY due_date FETCH FIRST ROW WITH TIES
"""


def sprints(*names: str) -> str:
    return ", ".join(f"'{name}'" for name in names)


def each_team(*numbers: int) -> str:
    return sprints(*(f"{team} Sprint {one}" for team in ("ACCEL", "ORBIT", "HARBOR") for one in numbers))


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("who on ACCEL hasn't closed anything this sprint",
         PEOPLE.format("team_key = 'ACCEL'", "= 'ACCEL Sprint 9'")),
        ("who hasn't closed anything in sprint 9", PEOPLE.format("true", "LIKE '% Sprint 9'")),
        ("people without closed issues in ACCEL Sprint 8", PEOPLE.format("true", "= 'ACCEL Sprint 8'")),
        ("people in ORBIT with no issues completed in ORBIT Sprint 8",
         PEOPLE.format("team_key = 'ORBIT'", "= 'ORBIT Sprint 8'")),
        ("who has completed nothing in ACCEL Sprint 8", PEOPLE.format("true", "= 'ACCEL Sprint 8'")),
        ("which teams haven't closed any bugs in sprint 8", TEAMS.format("LIKE '% Sprint 8'")),
        ("how many sprints has ACCEL done",
         "SELECT count(*) AS n FROM sprints WHERE state = 'closed' AND sprint_name LIKE 'ACCEL%'"),
        ("how many sprints has HARBOR completed",
         "SELECT count(*) AS n FROM sprints WHERE state = 'closed' AND sprint_name LIKE 'HARBOR%'"),
        ("levi vs zoe, who has more open", EACH.format("true")),
        ("levi vs zoe, who has more open bugs", EACH.format("issue_type = 'Bug'")),
        ("who has more open, levi or zoe", EACH.format("true")),
        ("ACCEL vs HARBOR, which team has more open bugs",
         ("SELECT team_key, count(*) AS n FROM issues JOIN teams USING (team_id) WHERE issue_type = 'Bug' "
          "AND status_category <> 'Done' AND team_key IN ('ACCEL', 'HARBOR') GROUP BY 1")),
        ("what about the bugs in HARBOR, how many are open?",
         ("SELECT count(*) AS n FROM issues JOIN teams USING (team_id) WHERE issue_type = 'Bug' "
          "AND status_category <> 'Done' AND team_key = 'HARBOR'")),
    ],
)  # fmt: skip
def test_those_that_have_none_and_choices_of_two(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("compare HARBOR sprint 7 and sprint 8", RESULTS.format(sprints("HARBOR Sprint 7", "HARBOR Sprint 8"))),
        ("HARBOR sprint 7 vs HARBOR sprint 8", RESULTS.format(sprints("HARBOR Sprint 7", "HARBOR Sprint 8"))),
        ("compare the last two sprints", RESULTS.format(each_team(7, 8))),
        ("compare the last two sprints of ACCEL", RESULTS.format(sprints("ACCEL Sprint 7", "ACCEL Sprint 8"))),
        ("how does sprint 8 compare to sprint 7", RESULTS.format(each_team(7, 8))),
        ("how does sprint 8 compare with the one before", RESULTS.format(each_team(7, 8))),
        ("how does sprint 8 compare with the sprint before it", RESULTS.format(each_team(7, 8))),
        ("how did ACCEL do in sprint 8 compared with the sprint before",
         RESULTS.format(sprints("ACCEL Sprint 7", "ACCEL Sprint 8"))),
        ("did harbor do better in sprint 8 than in sprint 7",
         RESULTS.format(sprints("HARBOR Sprint 7", "HARBOR Sprint 8"))),
        ("did harbor do better in sprint 8 than the sprint before",
         RESULTS.format(sprints("HARBOR Sprint 7", "HARBOR Sprint 8"))),
    ],
)  # fmt: skip
def test_sprints_are_compared_by_what_was_completed(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
    assert "Compared by the points and the issues completed" in " ".join(ask(question).assumptions)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("how does sprint 8 compare with the one before?", "how does sprint 8 compare with sprint 7?"),
        ("ACCEL sprint 8 vs the sprint just before it", "ACCEL sprint 8 vs sprint 7"),
        ("what of sprint 8 was left at the end of the sprint", "what of sprint 8 was left at the end of the sprint"),
        ("compare sprint 8 with the previous sprint", "compare sprint 8 with the previous sprint"),
        ("what about the open bugs, how many are p0?", "how many of the open bugs are p0?"),
    ],
)  # fmt: skip
def test_what_a_sprint_before_another_is_called(text: str, written: str) -> None:
    assert spell_signs(text) == written


def test_what_better_means_is_said() -> None:
    assert "taken as better" in " ".join(ask("did harbor do better in sprint 8 than in sprint 7").assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "compare the last two sprints by mood", "compare HARBOR sprint 8", "did harbor do better",
        "compare ACCEL and sprint 7", "is sprint 6 better than sprint 7", "was HARBOR sprint 8 longer than sprint 7",
    ],
)  # fmt: skip
def test_what_is_not_two_sprints_is_not_compared(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how much is left to burn for orbit", f"SELECT n FROM ({LEFT.format('true')}) AS l WHERE team_key = 'ORBIT'"),
        ("points left to burn per team", LEFT.format("true")),
        ("which team is most behind in its current sprint", LEFT.format("team_key = 'ORBIT'")),
        ("moved to done yesterday", DONE.format("true")),
        ("issues moved to done yesterday", DONE.format("true")),
        ("HARBOR bugs moved to done yesterday", DONE.format("team_key = 'HARBOR' AND issue_type = 'Bug'")),
        ("which tickets are waiting on another ticket that isn't done", WAITING.format("true")),
        ("open bugs that are waiting for another issue", WAITING.format("issue_type = 'Bug'")),
        ("issues blocked by another issue", WAITING.format("true")),
        ("issues that are blocked by an open issue", WAITING.format("true")),
        ("what does ACCEL-109 depend on", LINK.format("o.issue_key = 'ACCEL-109'")),
        ("what depends on ACCEL-108", LINK.format("i.issue_key = 'ACCEL-108'")),
        ("which issues depend on ACCEL-108", LINK.format("i.issue_key = 'ACCEL-108'")),
        ("which two labels turn up most on open issues", LABELS),
        ("which two labels are most common on open issues", LABELS),
        ("the two closed ACCEL sprints with the lowest completed points", LOWEST),
        ("the two ACCEL sprints with the lowest velocity", LOWEST),
        ("history of ORBIT-12", HISTORY),
        ("show the history of ORBIT-12", HISTORY),
        ("how many days are left until ACCEL's sprint ends", DAYS),
        ("how many days until ACCEL's sprint ends", DAYS),
        ("next deadline for HARBOR", NEXT.format("team_key = 'HARBOR'")),
        ("what is the next due date of ORBIT", NEXT.format("team_key = 'ORBIT'")),
    ],
)  # fmt: skip
def test_what_people_say_next(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_the_trend_of_each_team_has_the_changes_since_its_sprint_before() -> None:
    answer = ask("velocity trend per team")

    assert {"team", "sprint", "velocity", "velocity_change"} <= answer.rows[0].keys()
    [second] = [row for row in answer.rows if row["sprint"] == "ORBIT Sprint 2"]
    [first] = [row for row in answer.rows if row["sprint"] == "ORBIT Sprint 1"]
    assert second["velocity_change"] == second["velocity"] - first["velocity"]


@pytest.mark.parametrize(
    "question",
    ["what did the team finish yesterday", "how many open bugs does the team have"],
)  # fmt: skip
def test_a_team_that_is_not_named_is_asked_for(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "ACCEL, HARBOR or ORBIT" in answer.answer


@pytest.mark.parametrize("first", ["velocity of HARBOR", "open bugs in HARBOR"])
def test_the_team_is_that_of_the_question_before(first: str) -> None:
    gold = event_loop.run(try_execute(DONE.format("team_key = 'HARBOR'")))

    answer = follow(first, "what did the team finish yesterday")

    assert not answer.is_ambiguous
    assert same(answer.rows, gold=gold.rows)


@pytest.mark.parametrize(
    "question",
    [
        "history of ACCEL", "what does ACCEL depend on", "issues waiting for Levi",
        "which sprint had the second best mood", "tickets blocked by another ticket that is done",
        "bugs blocked by another issue in ORBIT", "what is the history of ORBIT-12's points",
        "issues waiting on another team",
        "issues moved to done by Levi yesterday", "points of ORBIT-12 depend on what",
        "next ACCEL",
    ],
)  # fmt: skip
def test_what_is_said_of_anything_else_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
