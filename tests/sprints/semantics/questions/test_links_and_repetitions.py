"""What blocks an issue said from either end, how often things happened, teams inside a reference, steps in time."""

import pytest

from sprints.asking.chat import ChatAnswer, chat
from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import NOW, ask, assert_same_rows
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")

BLOCKING = """
SELECT i.issue_key, i.title, i.status, l.link_type, o.issue_key AS other, o.title AS other_title, o.status AS now
FROM issue_links AS l JOIN issues AS i ON i.issue_id = l.issue_id JOIN issues AS o ON o.issue_id = l.linked_issue_id
WHERE l.link_type = 'blocks' AND {} LIMIT 1000
"""
IN_SPRINT = """
SELECT DISTINCT i.issue_key FROM points_changes AS c JOIN issues AS i USING (issue_id) JOIN sprint_issues AS m
USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE c.from_points IS NOT NULL AND s.state = 'active'
AND c.changed_at >= greatest(s.started_at, m.added_at) AND m.removed_at IS NULL LIMIT 1000
"""


def follow(first: str, then: str) -> ChatAnswer:
    before = event_loop.run(chat(first, now=NOW, reader=reader, model=None))
    return event_loop.run(chat(then, now=NOW, reader=reader, model=None, context=before.query))


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("ACCEL-109 is blocked by what?", BLOCKING.format("o.issue_key = 'ACCEL-109'")),
        ("What is ACCEL-109 blocked by?", BLOCKING.format("o.issue_key = 'ACCEL-109'")),
        ("Which issues are blocked by ACCEL-108?", BLOCKING.format("i.issue_key = 'ACCEL-108'")),
        ("How often were tickets blocked, by team?",
         ("SELECT team_key, count(*) AS n FROM blocked_periods JOIN issues USING (issue_id) JOIN teams USING (team_id) "
          "GROUP BY team_key LIMIT 1000")),
        ("Which issues were re-estimated?",
         ("SELECT DISTINCT issue_key FROM points_changes JOIN issues USING (issue_id) WHERE from_points IS NOT NULL "
          "LIMIT 1000")),
        ("Which issues were re-estimated during the current sprint?", IN_SPRINT),
        ("How many issues were re-estimated in October?",
         ("SELECT count(DISTINCT issue_id) AS n FROM points_changes WHERE from_points IS NOT NULL "
          "AND changed_at >= '2026-10-01' AND changed_at < '2026-11-01'")),
        ("velocity of the last 3 ORBIT sprints",
         ("SELECT sprint_name, completed_points FROM sprint_summary JOIN teams USING (team_id) "
          "WHERE team_key = 'ORBIT' AND state = 'closed' ORDER BY sprint_name DESC LIMIT 3")),
        ("When does the current ACCEL sprint end?",
         ("SELECT team_key, sprint_name, state, s.started_at::date AS a, ends_at::date AS b, goal FROM sprints AS s "
          "JOIN teams AS t USING (team_id) WHERE team_key = 'ACCEL' AND state = 'active' LIMIT 9")),
        ("How many hours have gone into ORBIT tickets so far?",
         "SELECT sum(time_spent_hours) AS n FROM issues JOIN teams USING (team_id) WHERE team_key = 'ORBIT'"),
        ("Average time tickets spend in QA, per team",
         ("SELECT team_key, round(avg(extract(epoch FROM left_at - entered_at) / 86400), 2) AS n FROM ("
          "SELECT h.issue_id, h.from_status, h.changed_at AS left_at, coalesce(lag(h.changed_at) OVER (PARTITION BY "
          "h.issue_id ORDER BY h.changed_at), i.created_at) AS entered_at FROM status_changes AS h JOIN issues AS i "
          "USING (issue_id)) AS stays JOIN issues USING (issue_id) JOIN teams USING (team_id) WHERE from_status = 'QA' "
          "GROUP BY team_key LIMIT 1000")),
        ("How long do issues stay in QA?",
         ("SELECT round(avg(extract(epoch FROM left_at - entered_at) / 86400), 2) AS n FROM ("
          "SELECT h.from_status, h.changed_at AS left_at, coalesce(lag(h.changed_at) OVER (PARTITION BY h.issue_id "
          "ORDER BY h.changed_at), i.created_at) AS entered_at FROM status_changes AS h JOIN issues AS i "
          "USING (issue_id)) AS stays WHERE from_status = 'QA'")),
        ("Which stories are blocked right now and since when?",
         "SELECT issue_key, blocked_since FROM issues WHERE is_blocked AND issue_type = 'Story' LIMIT 1000"),
        ("stories that took longer than 10 days from start to done",
         "SELECT issue_key FROM issues WHERE issue_type = 'Story' AND cycle_time_days > 10 LIMIT 1000"),
        ("oldest bug thats still unresolved",
         ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done' ORDER BY created_at "
          "LIMIT 1")),
    ],
)  # fmt: skip
def test_an_answer_has_the_rows_of_an_independent_statement(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("first", "then", "begin", "end"),
    [
        ("How many bugs were closed in October?", "and the month before?", "2026-09-01", "2026-10-01"),
        ("How many bugs were closed last week?", "and the week before that?", "2026-11-02", "2026-11-09"),
        ("How many bugs were closed in September?", "and the month after?", "2026-10-01", "2026-11-01"),
    ],
)
def test_the_time_beside_that_of_the_question_before(first: str, then: str, begin: str, end: str) -> None:
    is_then = f"resolved_at >= '{begin}' AND resolved_at < '{end}'"
    gold = event_loop.run(try_execute(f"SELECT count(*) AS n FROM issues WHERE issue_type = 'Bug' AND {is_then}"))

    answer = follow(first, then)

    assert same(answer.rows, gold=gold.rows), (answer.answer, gold.rows)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("How many bugs were closed since September?", "and the month before?"),
        ("How many bugs were closed last week?", "and the month before?"),
        ("How many bugs are open?", "and the month before?"),
        ("How many bugs were closed in September?", "and the previous month?"),
    ],
)
def test_a_time_beside_none_or_another_unit_is_asked_back(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "Is ACCEL-109 blocked by ACCEL-108?",
        "Which open bugs are blocked by ACCEL-108?",
        "Which issues are not blocked by ACCEL-108?",
        "Which issues in QA are blocked by open issues?",
        "How often were issues blocked in October?",
        "what got kicked out of sprints since September?",
        "How many points were still open in ACCEL Sprint 9 at the end of last Friday?",
        "Which issues are open and since when?",
    ],
)
def test_what_has_no_place_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


def test_since_when_shows_the_moments_of_the_rows_before() -> None:
    gold = event_loop.run(try_execute("SELECT issue_key, blocked_since FROM issues WHERE is_blocked LIMIT 1000"))

    assert same(follow("Which issues are blocked?", "since when?").rows, gold=gold.rows)
    assert follow("Which issues are open?", "since when?").is_ambiguous


@pytest.mark.parametrize("question", ["Wie viele Fehler sind offen?", "Hvor mange bugs er åbne?"])
def test_words_of_another_language_are_named_as_they_were_written(question: str) -> None:
    said = ask(question).answer

    assert said.startswith("I do not know")
    assert all(f"'{word}'" in said for word in question.split()[:2])
