"""Words that say which rows come first, and that one side has more or less: worst first, best to worst, second best."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

ROWS = "FROM issues AS i JOIN teams AS t USING (team_id) LEFT JOIN users AS u ON u.user_id = i.assignee_id"
BUGS = f"SELECT t.team_key, count(*) AS n {ROWS} WHERE i.issue_type = 'Bug' AND i.status_category <> 'Done' GROUP BY 1 ORDER BY n DESC, 1 LIMIT 1000"  # noqa: E501
SUMMARY = "FROM sprint_summary AS s JOIN teams AS t USING (team_id) WHERE s.state = 'closed'"
CARRIED = f"SELECT t.team_key, sum(s.carried_over_points) AS n {SUMMARY} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 1000"
VELOCITY = f"SELECT t.team_key, avg(s.completed_points) AS n {SUMMARY} GROUP BY 1 ORDER BY n {{}}, 1 LIMIT 1000"
EPICS = ("SELECT e.issue_key, e.title, count(*) AS n FROM issues AS i JOIN issues AS e ON e.issue_id = i.epic_id "
         "WHERE i.status_category <> 'Done' GROUP BY 1, 2 ORDER BY n DESC, 1 LIMIT 1000")  # fmt: skip
LABELS = ("SELECT l, avg(i.lead_time_days) AS n FROM issues AS i, unnest(i.labels) AS l "
          "WHERE i.lead_time_days IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 LIMIT 1000")  # fmt: skip
OVERDUE = f"SELECT t.team_key, count(*) AS n {ROWS} WHERE i.status_category <> 'Done' AND i.due_date < '2026-11-18' GROUP BY 1 ORDER BY n DESC, 1 LIMIT 1000"  # noqa: E501


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Rank the teams by open bugs, worst first", BUGS),
        ("Put the teams in order by how many open bugs they have, worst first.", BUGS),
        ("Order the teams by how many open bugs they've got, most at the top", BUGS),
        ("Teams by open bugs, from worst to best", BUGS),
        ("Rank the teams by open bugs, worst at the top", BUGS),
        ("Rank the teams by how many points they have carried over in total, worst first", CARRIED),
        ("Rank the teams by carried-over points, worst first", CARRIED),
        ("Teams by carried-over points, most first", CARRIED),
        ("Rank the teams by velocity, worst first", VELOCITY.format("ASC")),
        ("Teams by velocity, best to worst", VELOCITY.format("DESC")),
        ("Rank the teams by velocity, from best to worst", VELOCITY.format("DESC")),
        ("Show me the epics by how many open issues are left in each, most first.", EPICS),
        ("List the epics by open issues, most at the top", EPICS),
        ("Rank the labels by average lead time, slowest at the top", LABELS),
        ("Order the teams by number of overdue tickets, worst on top", OVERDUE),
    ],
)
def test_rows_are_in_the_order_that_the_words_say(question: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = ask(question)

    assert answer.source == "layer", answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.sql, answer.rows[:5], gold.rows[:5])
    numbers = [next(value for value in reversed(row.values()) if value is not None) for row in answer.rows]
    is_falling = float(str(gold.rows[0]["n"])) >= float(str(gold.rows[-1]["n"]))
    assert numbers == sorted(numbers, reverse=is_falling), numbers


@pytest.mark.parametrize(
    "question",
    ["Rank the teams by issues, worst first", "Teams by stories, best first"],
)
def test_the_worst_of_what_is_neither_good_nor_bad_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous, question


LIST = f"WITH r AS (SELECT u.full_name AS who, count(*) AS n, rank() OVER (ORDER BY count(*) DESC) AS at {ROWS} WHERE i.status_category <> 'Done' AND u.full_name IS NOT NULL AND {{}} GROUP BY 1) SELECT who, n FROM r WHERE at = 1"  # noqa: E501
POINTS = ("SELECT e.issue_key, e.title, sum(i.story_points) AS n FROM issues AS i JOIN issues AS e "
          "ON e.issue_id = i.epic_id WHERE i.status_category <> 'Done' GROUP BY 1, 2 ORDER BY n DESC LIMIT 1"
         )  # fmt: skip
LABEL = ("SELECT l, count(*) AS n FROM issues AS i, unnest(i.labels) AS l WHERE i.issue_type = 'Bug' "
         "AND i.status_category = 'Done' GROUP BY 1 ORDER BY 2 DESC FETCH FIRST 1 ROW WITH TIES")  # fmt: skip
STATUS = ("SELECT status, avg(extract(epoch FROM coalesce(left_at, (SELECT as_of FROM snapshot)) - entered_at) / 86400)"
          " AS n FROM status_periods GROUP BY 1 ORDER BY 2 DESC LIMIT 1")  # fmt: skip
HOURS = (f"SELECT u.full_name, sum(i.time_spent_hours) AS n {ROWS} WHERE i.issue_type = 'Bug' "
         "AND i.time_spent_hours IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1")  # fmt: skip


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Whose open ticket list is the longest?", LIST.format("true")),
        ("Whose list of open tickets is the longest?", LIST.format("true")),
        ("Whose backlog of open bugs is the biggest?", LIST.format("i.issue_type = 'Bug'")),
        ("Whose plate is the fullest, counted in open tickets?", LIST.format("true")),
        ("Who has the longest list of open tickets?", LIST.format("true")),
        ("which epic has the most points still to go?", POINTS),
        ("Which epic has the most unfinished points?", POINTS),
        ("which label do you see most often on the bugs we closed?", LABEL),
        ("Which label turns up most often on the bugs we closed?", LABEL),
        ("Who has put the most hours into bugs?", HOURS),
    ],
)
def test_a_list_is_as_long_as_it_has_rows(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question", ["Whose plate is the fullest?", "Whose pile is the biggest?", "Which team's queue is the longest?"]
)
def test_a_list_of_what_is_not_said_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous, question


CLOSED = "FROM sprint_summary AS s JOIN teams AS t USING (team_id) WHERE s.state = 'closed' AND {}"
SHORTFALL = f"SELECT s.sprint_name, s.committed_points - s.completed_points AS n {CLOSED} ORDER BY 2 DESC LIMIT 1"
PERCENT = "round(100.0 * s.completed_points / s.committed_points, 1) AS n"
HIT = f"SELECT s.sprint_name, {PERCENT} {CLOSED} ORDER BY n LIMIT {{}}"
OF_ACCEL, OF_HARBOR = CLOSED.format("t.team_key = 'ACCEL'"), CLOSED.format("t.team_key = 'HARBOR'")
BEST = f"SELECT s.sprint_name, s.completed_points AS n {OF_ACCEL} ORDER BY 2 DESC LIMIT 1"
FIRST = (f"SELECT i.issue_key {ROWS} WHERE i.resolved_at IS NOT NULL AND {{}} ORDER BY i.resolved_at "
         "FETCH FIRST {} ROWS WITH TIES")  # fmt: skip
OVERRUN = ("SELECT issue_key, time_spent_hours - original_estimate_hours AS n FROM issues WHERE time_spent_hours "
           "IS NOT NULL AND original_estimate_hours IS NOT NULL ORDER BY n DESC FETCH FIRST 1 ROW WITH TIES"
           )  # fmt: skip
COMPLETED = "SELECT sprint_name, completed_issues FROM sprint_summary WHERE sprint_name IN ({}) LIMIT 1000"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which sprint of HARBOR fell furthest short of the points it had committed to?",
         SHORTFALL.format("t.team_key = 'HARBOR'")),
        ("Which sprint fell furthest short of its commitment?", SHORTFALL.format("true")),
        ("The three sprints with the worst hit rate, finished against committed points", HIT.format("true", 3)),
        ("Which closed sprint delivered the smallest part of the points it had committed to?", HIT.format("true", 1)),
        ("Which sprint of ORBIT has the lowest hit rate?", HIT.format("t.team_key = 'ORBIT'", 1)),
        ("Which team fell short of what it had promised for sprint 8?",
         ("SELECT t.team_key, s.completed_points, s.committed_points FROM sprint_summary AS s JOIN teams AS t "
          "USING (team_id) WHERE s.sprint_name LIKE '% Sprint 8' AND s.completed_points < s.committed_points LIMIT 9")),
        ("Which sprints of HARBOR fell short of their commitment?",
         (f"SELECT s.sprint_name, s.completed_points, s.committed_points {OF_HARBOR} "
          "AND s.completed_points < s.committed_points LIMIT 99")),
        ("Which ticket overran its hour estimate the worst?", OVERRUN),
        ("what was the best sprint ACCEL ever had, in points delivered?", BEST),
        ("ACCEL's best sprint by completed points", BEST),
        ("what was the very first issue ORBIT ever resolved?", FIRST.format("t.team_key = 'ORBIT'", 1)),
        ("What was the first bug HARBOR ever fixed?", FIRST.format("t.team_key = 'HARBOR' AND issue_type = 'Bug'", 1)),
        ("What's the latest bug?",
         f"SELECT i.issue_key {ROWS} WHERE issue_type = 'Bug' ORDER BY created_at DESC FETCH FIRST 1 ROW WITH TIES"),
        ("Has accel finished more tickets in this sprint so far than in the one before?",
         COMPLETED.format("'ACCEL Sprint 8', 'ACCEL Sprint 9'")),
        ("Did HARBOR finish fewer tickets in its last sprint than in the one before that?",
         COMPLETED.format("'HARBOR Sprint 7', 'HARBOR Sprint 8'")),
        ("Compare the three teams: how many open bugs does each of them have?", BUGS),
        ("compare the three teams: how many issues did each of them sneak into sprints after the start",
         ("SELECT t.team_key, count(*) AS n FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
          "JOIN teams AS t ON t.team_id = s.team_id WHERE m.was_added_after_start GROUP BY 1 LIMIT 99")),
    ],
)  # fmt: skip
def test_ratios_differences_and_firsts(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_a_rank_by_a_share_is_asked_back() -> None:
    assert ask("In which sprint did ACCEL deliver the smallest share of what it had committed to?").is_ambiguous
