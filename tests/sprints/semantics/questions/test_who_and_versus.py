"""Follow-ups of who has or did the rows before, of another number beside theirs, and of one thing put in its place."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import ask
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

OWNERS = """
SELECT issue_key, title, full_name FROM issues LEFT JOIN users ON user_id = {} JOIN teams AS t ON t.team_id =
issues.team_id WHERE {} LIMIT 200
"""
REPORTERS = """
SELECT full_name, count(*) AS issues FROM issues JOIN users ON user_id = reporter_id WHERE issue_type = 'Bug' AND
created_at >= '2026-11-16' AND created_at < '2026-11-23' GROUP BY 1 LIMIT 99
"""
LAST_BUG = """
SELECT issue_key, title, full_name FROM issues JOIN users ON user_id = reporter_id WHERE issue_type = 'Bug' AND
priority = 'p0' ORDER BY created_at DESC LIMIT 1
"""
BY_PERSON = """
SELECT full_name, sum(points_at_end) AS points FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues USING
(issue_id) JOIN users ON user_id = assignee_id WHERE sprint_name = 'ORBIT Sprint 8' AND was_completed GROUP BY 1
LIMIT 99
"""
COUNT = "SELECT {} AS of, count(*) AS issues FROM issues {} WHERE {} GROUP BY 1 LIMIT 99"
BUGS_CREATED = "issue_type = 'Bug' AND created_at >= '2026-09-01' AND created_at < '2026-11-01'"


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("What's in review right now?", "who is assigned?",
         OWNERS.format("assignee_id", "status IN ('In Review', 'Code Review')")),
        ("Which bugs are open?", "who's on them?",
         OWNERS.format("assignee_id", "status_category <> 'Done' AND issue_type = 'Bug'")),
        ("Which bugs are open?", "assigned to whom?",
         OWNERS.format("assignee_id", "status_category <> 'Done' AND issue_type = 'Bug'")),
        ("What is the status of ORBIT-12?", "who is assigned?", OWNERS.format("assignee_id", "issue_key = 'ORBIT-12'")),
        ("Is HARBOR-78 blocked?", "who is assigned?", OWNERS.format("assignee_id", "issue_key = 'HARBOR-78'")),
        ("bugs created this week", "by whom?",
         OWNERS.format("reporter_id", "issue_type = 'Bug' AND created_at >= '2026-11-16'")),
        ("bugs closed this week", "and who did it?",
         OWNERS.format("assignee_id", "issue_type = 'Bug' AND resolved_at >= '2026-11-16'")),
        ("When was the last p0 bug reported?", "and by whom?", LAST_BUG),
        ("How many bugs were created this week?", "by whom?", REPORTERS),
        ("how many points did ORBIT complete in sprint 8", "by whom", BY_PERSON),
    ],
)  # fmt: skip
def test_who_has_or_did_the_rows_before(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert gold.rows, gold.error
    assert same(answer.rows, gold=gold.rows), answer.interpretation


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("How many open issues has Levi Walker?", "is that more than Priya Raman",
         COUNT.format("full_name", "JOIN users ON user_id = assignee_id",
                      "status_category <> 'Done' AND full_name IN ('Levi Walker', 'Priya Raman')")),
        ("How many bugs were created in October?", "vs stories",
         COUNT.format("issue_type", "", "issue_type IN ('Bug', 'Story') AND created_at >= '2026-10-01' "
                                        "AND created_at < '2026-11-01'")),
        ("how many open bugs", "versus stories",
         COUNT.format("issue_type", "", "issue_type IN ('Bug', 'Story') AND status_category <> 'Done'")),
    ],
)  # fmt: skip
def test_a_number_beside_that_of_the_question_before(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert gold.rows, gold.error
    assert same(answer.rows, gold=gold.rows), answer.interpretation


@pytest.mark.parametrize("then", ["versus September", "compared to September", "how does that compare to September",
                                  "versus the month before"])  # fmt: skip
def test_two_times_stand_beside_each_other(then: str) -> None:
    gold = event_loop.run(try_execute(COUNT.format("to_char(created_at, 'FMMonth YYYY')", "", BUGS_CREATED)))
    answer = follow("How many bugs were created in October?", then)

    assert same(answer.rows, gold=gold.rows), answer.answer
    assert answer.interpretation == "issues, type Bug, October 2026 against September 2026"


@pytest.mark.parametrize(
    ("first", "then", "understood"),
    [
        ("velocity of ACCEL", "versus ORBIT", "velocity, team ACCEL or ORBIT, by team"),
        ("How many points did ORBIT complete in Sprint 8?", "versus Sprint 7", "ORBIT Sprint 8 or ORBIT Sprint 7"),
        ("Blocked bugs", "and blocked stories?", "list of blocked issues, type Story"),
        ("Which bugs are older than 30 days?", "and 60?", "list of open issues, type Bug, older than 60 days"),
        ("What share of our bugs is p0?", "and p1?", "issues, type Bug, share that is priority p1"),
        ("open stories", "in the next ORBIT sprint", "type Story, in ORBIT Sprint 10, team ORBIT"),
    ],
)
def test_one_thing_takes_the_place_of_another(first: str, then: str, understood: str) -> None:
    answer = follow(first, then)

    assert understood in str(answer.interpretation), answer.answer


def test_the_sprint_that_is_assumed_is_that_of_the_team_before() -> None:
    answer = follow("How many points did ORBIT complete in Sprint 8?", "versus Sprint 7")

    assert "Took 'Sprint 7' as ORBIT Sprint 7 (ORBIT)." in answer.assumptions


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("open bugs in ORBIT", "who reported her"),
        ("open bugs by team", "by whom"),
        ("velocity of ORBIT", "by whom"),
        ("which bugs are blocked", "who is blocked"),
        ("which bugs are blocked", "who blocked them"),
        ("open bugs reported by Levi Walker", "by whom"),
        ("how many open bugs in ACCEL", "is that more than last week"),
        ("open bugs", "and 8"),
        ("the 5 oldest bugs", "and 10"),
        ("What share of our bugs is p0?", "and open?"),
        ("How many points were committed in ORBIT Sprint 9?", "versus Sprint 10"),
        ("How many points were committed in ORBIT Sprint 9?", "and in Sprint 10?"),
    ],
)
def test_what_the_rows_before_do_not_say_is_asked_back(first: str, then: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous, answer.interpretation


def test_what_is_committed_to_a_sprint_ahead_is_not_set_beside_one_that_has_started() -> None:
    answer = ask("points committed in ORBIT Sprint 10 versus ORBIT Sprint 9")

    assert answer.is_ambiguous, answer.interpretation
    assert "known when it starts" in answer.answer
