"""Which rows a measure counts: those of an epic, of sprints that have begun, done in a sprint, of each group."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

DONE_SHARE = "round(100.0 * count(*) FILTER (WHERE i.status_category = 'Done') / count(*), 1) AS done_rate"
IN_EPIC = "FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id JOIN teams AS t ON t.team_id = i.team_id"
PROGRESS = f"SELECT e.issue_key, e.title, {DONE_SHARE} {IN_EPIC} WHERE {{}} GROUP BY 1, 2 LIMIT 1000"
PROGRESS_OF_ONE = f"SELECT {DONE_SHARE} {IN_EPIC} WHERE e.issue_key = '{{}}'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("epic progress", PROGRESS.format("true")),
        ("epic progress for ACCEL", PROGRESS.format("t.team_key = 'ACCEL'")),
        ("progress of harbor's epics", PROGRESS.format("t.team_key = 'HARBOR'")),
        ("what is the progress of our epics", PROGRESS.format("true")),
        ("how far along are the epics of orbit", PROGRESS.format("t.team_key = 'ORBIT'")),
        ("progress of ACCEL-1", PROGRESS_OF_ONE.format("ACCEL-1")),
        ("how far along is ACCEL-1", PROGRESS_OF_ONE.format("ACCEL-1")),
        ("how far are we with Works offline", PROGRESS_OF_ONE.format("HARBOR-1")),
        ("epics by progress", PROGRESS.format("true")),
        ("which epic is closest to done", PROGRESS.format("true").replace("LIMIT 1000", "ORDER BY 3 DESC LIMIT 1")),
        ("which epic is furthest behind", PROGRESS.format("true").replace("LIMIT 1000", "ORDER BY 3 LIMIT 1")),
    ],
)  # fmt: skip
def test_the_progress_of_an_epic_is_that_of_its_issues(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("before", "question"),
    [("progress of Works offline", "and for ACCEL-1"), ("status of ACCEL-1", "its progress")],
)
def test_the_next_epic_is_asked_of_by_its_key(before: str, question: str) -> None:
    [row] = follow(before, question).rows

    assert str(row["done_rate"]) == "82.1"


def test_an_issue_that_is_no_epic_has_no_progress() -> None:
    assert not any(row.get("done_rate") is not None for row in ask("progress of ACCEL-40").rows)


PLANNED = (
    "SELECT t.team_key, {} FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN teams AS t "
    "USING (team_id) WHERE s.state = 'future' AND m.is_in_scope AND {} GROUP BY 1 LIMIT 1000"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("planned points for next sprint", PLANNED.format("sum(m.points_at_end)", "true")),
        ("committed points of the next sprint", PLANNED.format("sum(m.points_at_end)", "true")),
        ("commitment of the next sprint", PLANNED.format("count(*)", "true")),
        ("how many issues are planned for the next sprint", PLANNED.format("count(*)", "true")),
    ],
)  # fmt: skip
def test_what_is_planned_for_a_future_sprint_is_what_is_in_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize("question", ["upcoming sprints", "next sprint", "summary of the next sprint"])
def test_a_future_sprint_has_no_results_but_a_plan(question: str) -> None:
    rows = ask(question).rows

    assert [row["scope_points"] for row in rows] == [47, 29, 39]
    assert {row["committed_points"] for row in rows} == {None}
    assert {row["completed_issues"] for row in rows} == {None}


COMPARED = (
    "SELECT sprint_name, {} FROM sprint_summary JOIN teams USING (team_id) WHERE state = 'closed' AND {} LIMIT 1000"
)
BOTH = "committed_points, completed_points, committed_issues, completed_issues"
LAST = "substring(sprint_name FROM '[0-9]+$')::int > {}"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("commitment vs completed for the last 4 orbit sprints",
         COMPARED.format(BOTH, f"team_key = 'ORBIT' AND {LAST.format(4)}")),
        ("committed vs completed for the last 4 orbit sprints",
         COMPARED.format(BOTH, f"team_key = 'ORBIT' AND {LAST.format(4)}")),
        ("committed vs completed in the last sprint",
         COMPARED.format(BOTH, LAST.format(7)).replace("sprint_name,", "team_key,", 1)),
        ("HARBOR Sprint 8 completed vs committed",
         ("SELECT completed_points, committed_points, completed_issues, committed_issues FROM sprint_summary "
          "WHERE sprint_name = 'HARBOR Sprint 8'")),
        ("commitment vs completion per sprint for accel", None),
        ("planned versus completed issues in the last 2 sprints",
         COMPARED.format("committed_issues, completed_issues", LAST.format(6))),
        ("committed and completed points of the last 3 sprints of accel",
         COMPARED.format("committed_points, completed_points", f"team_key = 'ACCEL' AND {LAST.format(5)}")),
    ],
)  # fmt: skip
def test_what_is_compared_over_sprints_is_shown_of_each(question: str, truth: str | None) -> None:
    if truth is None:
        assert len(ask(question).rows) != 1
    else:
        assert_same_rows(question, truth=truth)


TOOK = (
    "SELECT i.issue_key FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) JOIN issues AS i USING (issue_id) "
    "WHERE m.was_completed AND i.cycle_time_days IS NOT NULL AND {} ORDER BY i.cycle_time_days {} LIMIT 10"
)
LAST_SPRINT = "s.sprint_name LIKE '% Sprint 8'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("which stories took longest last sprint", TOOK.format(f"i.issue_type = 'Story' AND {LAST_SPRINT}", "DESC")),
        ("which bugs took longest last sprint", TOOK.format(f"i.issue_type = 'Bug' AND {LAST_SPRINT}", "DESC")),
        ("longest stories in ORBIT Sprint 7",
         TOOK.format("i.issue_type = 'Story' AND s.sprint_name = 'ORBIT Sprint 7'", "DESC")),
        ("slowest tickets of the last sprint", TOOK.format(LAST_SPRINT, "DESC")),
    ],
)  # fmt: skip
def test_what_took_longest_in_a_sprint_was_done_in_it(question: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = ask(question)

    assert {row["issue"] for row in answer.rows} == {row["issue_key"] for row in gold.rows}
    assert "Only those completed in the sprint are ranked." in answer.assumptions


BY_MONTH = (
    "SELECT date_trunc('month', i.resolved_at)::date AS month, t.team_key, {} FROM issues AS i JOIN teams AS t "
    "USING (team_id) WHERE {} GROUP BY 1, 2 LIMIT 1000"
)
CLOSED = BY_MONTH.format("count(*) AS n", "i.status_category = 'Done' AND i.resolved_at >= '2026-01-01'")
CYCLE = BY_MONTH.format("round(CAST(avg(i.cycle_time_days) AS numeric), 2) AS n", "i.cycle_time_days IS NOT NULL")


@pytest.mark.parametrize(
    ("before", "question", "truth"),
    [
        ("tickets closed per month this year", "per team", CLOSED),
        ("tickets closed per month this year", "and by team", CLOSED),
        ("average cycle time per team", "per month", CYCLE),
        ("average cycle time per team", "by month", CYCLE),
        ("open issues per team", "by priority as well",
         ("SELECT team_key, priority, count(*) AS n FROM issues JOIN teams USING (team_id) "
          "WHERE status_category <> 'Done' GROUP BY 1, 2 LIMIT 1000")),
        ("open issues per team", "break that down by priority",
         ("SELECT team_key, priority, count(*) AS n FROM issues JOIN teams USING (team_id) "
          "WHERE status_category <> 'Done' GROUP BY 1, 2 LIMIT 1000")),
        ("open issues per team", "and by priority",
         ("SELECT team_key, priority, count(*) AS n FROM issues JOIN teams USING (team_id) "
          "WHERE status_category <> 'Done' GROUP BY 1, 2 LIMIT 1000")),
    ],
)  # fmt: skip
def test_a_further_group_keeps_the_one_before(before: str, question: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    rows = follow(before, question).rows

    assert len(rows) == len(gold.rows)
    assert sorted(str(list(row.values())[-1]) for row in rows) == sorted(
        str(list(row.values())[-1]) for row in gold.rows
    )


@pytest.mark.parametrize(
    ("before", "question", "is_said"),
    [
        ("open issues per team", "by priority", True),
        ("open issues per team", "by priority instead", False),
        ("tickets closed per month this year", "per team instead", False),
        ("tickets closed per month this year", "per team instead of per month", False),
    ],
)  # fmt: skip
def test_a_group_that_replaces_the_one_before_says_so(before: str, question: str, *, is_said: bool) -> None:
    answer = follow(before, question)

    assert 0 < len(answer.rows) <= 5  # one group alone
    assert any(one.startswith("No longer by ") for one in answer.assumptions) == is_said


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many tickets were added to running sprints this quarter",
         "SELECT count(*) AS n FROM sprint_issues WHERE was_added_after_start AND added_at >= '2026-10-01'"),
        ("how many issues were added to active sprints in October",
         ("SELECT count(*) AS n FROM sprint_issues WHERE was_added_after_start AND added_at >= '2026-10-01' "
          "AND added_at < '2026-11-01'")),
        ("which issues were removed from running sprints last month",
         ("SELECT issue_key FROM sprint_issues JOIN issues USING (issue_id) WHERE was_removed "
          "AND removed_at >= '2026-10-01' AND removed_at < '2026-11-01' LIMIT 1000")),
    ],
)  # fmt: skip
def test_sprints_that_ran_at_a_time_are_not_those_that_run_now(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "hours logged this sprint", "hours Søren logged this sprint", "how many hours did we spend last sprint",
        "who logged the most hours last sprint", "how many hours did we log last week by person",
        "hours logged by Levi in October", "time logged last month per team", "hours logged per month",
        "how many hours did Priya log yesterday",
    ],
)  # fmt: skip
def test_when_hours_were_logged_is_not_known(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "not when" in answer.answer


def test_hours_of_the_issues_of_a_sprint_are_all_that_were_logged_on_them() -> None:
    assert_same_rows("hours spent on the issues of ACCEL Sprint 8", truth=(
        "SELECT sum(time_spent_hours) AS n FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues "
        "USING (issue_id) WHERE sprint_name = 'ACCEL Sprint 8' AND is_in_scope"))  # fmt: skip


def test_hours_of_people_are_those_of_the_issues_that_they_have() -> None:
    assert any("who has the issue" in one for one in ask("who logged the most hours").assumptions)


HARBOR_ENDS = "SELECT sprint_name, end_date FROM sprints WHERE sprint_name = 'HARBOR Sprint 9'"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("average time in each status",
         ("SELECT status, round(CAST(avg(extract(epoch FROM left_at - entered_at) / 86400) AS numeric), 2) AS n "
          "FROM status_periods WHERE left_at IS NOT NULL GROUP BY 1 LIMIT 1000")),
        ("when does the HARBOR sprint end", HARBOR_ENDS),
        ("when does the sprint end", "SELECT sprint_name, end_date FROM sprints WHERE state = 'active' LIMIT 1000"),
        ("end date of the harbor sprint", HARBOR_ENDS),
        ("what is the goal of the harbor sprint",
         "SELECT sprint_name, goal FROM sprints WHERE sprint_name = 'HARBOR Sprint 9'"),
        ("sprint goals of harbor",
         "SELECT sprint_name, goal FROM sprints JOIN teams USING (team_id) WHERE team_key = 'HARBOR' LIMIT 1000"),
    ],
)  # fmt: skip
def test_what_is_asked_of_each_or_of_one(question: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    columns = list(gold.rows[0])
    answer = ask(question)
    values = [[str(value) for value in row.values()] for row in answer.rows]

    assert not answer.is_ambiguous, answer.answer
    assert len(values) == len(gold.rows)
    assert all(any(all(str(row[one]) in given for one in columns) for given in values) for row in gold.rows)
    assert same(gold.rows, gold=gold.rows)
