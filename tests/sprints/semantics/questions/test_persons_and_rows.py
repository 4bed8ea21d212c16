"""What is said of a person and not of each of their issues, of all time and not of now; names as they are typed."""

import pytest

from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
WAS_IN = "EXISTS (SELECT 1 FROM status_periods AS p WHERE p.issue_id = i.issue_id AND p.status = '{}')"
IN_SPRINT = (
    "EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
    "WHERE m.issue_id = i.issue_id AND m.is_in_scope AND s.sprint_name = '{}')"
)
TAKEN = (
    "SELECT round(avg(extract(epoch FROM i.resolved_at - i.started_at) / 86400)::numeric, 2) FROM sprint_issues AS m "
    "JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "WHERE s.sprint_name = 'HARBOR Sprint 8' AND m.is_in_scope AND m.done_at IS NOT NULL AND i.resolved_at IS NOT NULL"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("bugs that were never in QA", LIST.format(f"i.issue_type = 'Bug' AND NOT {WAS_IN.format('QA')}")),
        ("which issues were closed without ever being in QA",
         LIST.format(f"i.status_category = 'Done' AND NOT {WAS_IN.format('QA')}")),
        ("issues in accel sprint", LIST.format(IN_SPRINT.format("ACCEL Sprint 9"))),
        ("bugs in the orbit sprint", LIST.format(f"i.issue_type = 'Bug' AND {IN_SPRINT.format('ORBIT Sprint 9')}")),
        ("accel sprint, whats not done yet",
         LIST.format(f"i.status_category <> 'Done' AND {IN_SPRINT.format('ACCEL Sprint 9')}")),
        ("what's left on pay in the app",
         LIST.format("i.status_category <> 'Done' AND i.epic_id = (SELECT e.issue_id FROM issues AS e "
                     "WHERE e.title = 'Pay in the app')")),
        ("average cycle time in HARBOR Sprint 8", TAKEN),
        ("what is priya working on before my 1:1",
         LIST.format("i.status_category = 'In Progress' AND u.full_name = 'Priya Raman'")),
        ("how many issues were finished in each sprint for HARBOR",
         ("SELECT s.sprint_name, count(*) AS n FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
          "JOIN teams AS t USING (team_id) WHERE t.team_key = 'HARBOR' AND s.state <> 'future' AND m.is_in_scope "
          "AND m.done_at IS NOT NULL GROUP BY 1")),
        ("Which epic is the biggest?", None),
        ("How many issues does ACCEL-40 still have open?", None),
        ("How many items were finished on the last day of each sprint?", None),
        ("Who has had blocked tickets most often?", None),
        ("Who has open work but nothing in progress?", None),
        ("Which tasks have never been assigned to anyone?", None),
        ('work on "Pay in the app" completed in the last 30 days', None),
        ("is anyone outside ACCEL working on ACCEL tickets", None),
        ("list of tickets of ORBIT without ORBIT", None),
    ],
)  # fmt: skip
def test_what_is_said_of_whom_and_of_when(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


def test_sprints_are_compared_if_only_the_last_one_is_said() -> None:
    rows = ask("has harbor done more points this sprint than last").rows

    assert [row["sprint"] for row in rows] == ["HARBOR Sprint 8", "HARBOR Sprint 9"]


def test_an_average_of_several_teams_is_shown_for_each() -> None:
    rows = follow("velocity for HARBOR", "what about ACCEL and ORBIT").rows

    assert {row["team"] for row in rows} == {"ACCEL", "ORBIT"}


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("bugs assigned to Sophia Gonzalez", "no, reported by her",
         ("SELECT i.issue_key FROM issues AS i JOIN users AS u ON u.user_id = i.reporter_id "
          "WHERE i.issue_type = 'Bug' AND u.full_name = 'Sophia Gonzalez'")),
        ("open bugs in HARBOR", "sorry, I meant ORBIT",
         LIST.format("i.issue_type = 'Bug' AND i.status_category <> 'Done' AND t.team_key = 'ORBIT'")),
        ("what's in QA?", "longest first", LIST.format("i.status = 'QA'")),
    ],
)  # fmt: skip
def test_a_correction_replaces_what_was_said(first: str, then: str, truth: str) -> None:
    answer = follow(first, then)

    assert not answer.is_ambiguous
    assert {row["issue"] for row in answer.rows} == {
        row["issue_key"] for row in event_loop.run(try_execute(truth)).rows
    }


def test_the_longest_in_a_status_come_first() -> None:
    days = [row["status_age_days"] for row in follow("what's in QA?", "longest first").rows]

    assert days == sorted(days, reverse=True)
