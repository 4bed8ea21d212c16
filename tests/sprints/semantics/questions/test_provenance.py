"""A follow-up is answered only if its words say each change of the question before, and each of its words is used."""

import pytest

from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop

pytestmark = pytest.mark.usefixtures("django_db_setup")

UNSAID = [
    ("cycle time per team", "the longest"),
    ("cycle time per team", "which is the longest"),
    ("average time in each status", "longest"),
    ("velocity of each team", "who is the highest"),
    ("velocity of each team", "who has the highest"),
    ("median cycle time per team", "which team is slowest"),
    ("average cycle time by type", "lead time"),
    ("average cycle time by team", "velocity"),
    ("velocity by sprint", "as a table"),
    ("open issues per person", "as a chart"),
    ("open bugs by team", "show everything"),
    ("which sprint had the highest velocity", "per team"),
    ("who closed the most issues in October", "by team"),
    ("the 5 oldest open issues", "newest"),
    ("how many open bugs in ACCEL", "any team"),
    ("velocity of ACCEL in sprint 7", "who was in it"),
    ("open bugs by team", "who in ACCEL"),
    ("open bugs in ORBIT", "anything for Levi"),
    ("velocity of HARBOR", "what's left in the sprint"),
    ("how many days was ACCEL blocked last sprint", "which issues"),
    ("open points per person", "how many blocked"),
]
CROSSING = [
    ("which bugs did ACCEL resolve in October", "list open p1 bugs in ORBIT"),
    ("which bugs were resolved last week", "what's in the backlog"),
    ("which bugs were resolved last week", "the backlog of HARBOR"),
    ("how many bugs did HARBOR close in sprint 7", "how many did they open"),
    ("open issues in the current sprint", "without sprint"),
    ("bugs resolved in October by ACCEL", "this sprint"),
    ("issues resolved in September", "last sprint"),
    ("open issues in epic ACCEL-1", "and ACCEL-2"),
    ("what blocks ACCEL-100", "and ACCEL-102"),
    ("sub-tasks of ACCEL-66", "and ACCEL-67"),
    ("issues labelled ux", "which also have security"),
    ("what was in ACCEL sprint 8", "which were also in sprint 7"),
    ("how many bugs did Levi report", "how many did he fix"),
    ("how many issues did Priya close in october", "and reported"),
    ("which issues were resolved in October", "created in September"),
    ("how many points did ACCEL complete last sprint", "how many bugs"),
    ("completed points per sprint of ACCEL", "more than 40 points"),
    ("bugs created per month", "resolved"),
    ("which bugs did ACCEL resolve in October", "show me bugs created this week"),
]


@pytest.mark.parametrize(("first", "then"), [*UNSAID, *CROSSING])
def test_what_the_words_do_not_say_is_asked_back(first: str, then: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous, answer.interpretation


POINTS = "SELECT t.team_key, sum(s.completed_points) FROM sprint_summary AS s JOIN teams AS t USING (team_id) "
OPEN = "SELECT {} AS of, count(*) AS issues FROM issues AS i {} WHERE i.status_category <> 'Done' GROUP BY 1 LIMIT 99"


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        (
            "how many points did ACCEL complete in sprint 8", "plus HARBOR",
            f"{POINTS} WHERE s.sprint_name IN ('ACCEL Sprint 8', 'HARBOR Sprint 8') GROUP BY 1 LIMIT 9",
        ),
        ("open issues per person", "per team instead", OPEN.format("t.team_key", "JOIN teams AS t USING (team_id)")),
        ("open issues by person", "by type", OPEN.format("i.issue_type", "")),
        ("open issues per team", "top 1",
         OPEN.format("t.team_key", "JOIN teams AS t USING (team_id)").replace("LIMIT 99", "ORDER BY 2 DESC LIMIT 1")),
        (
            "how many open bugs does each team have", "list them",
            "SELECT issue_key FROM issues WHERE status_category <> 'Done' AND issue_type = 'Bug' LIMIT 99",
        ),
        ("which issues are blocked", "why", "SELECT reason FROM blocked_periods WHERE unblocked_at IS NULL LIMIT 99"),
    ],
)  # fmt: skip
def test_what_the_words_say_is_answered(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), answer.rows


def test_the_refusal_names_what_is_not_said() -> None:
    answer = follow("who closed the most issues in October", "by team")

    assert "It does not say whether the rank is still meant." in answer.answer


def test_what_is_empty_because_of_the_question_before_says_what_was_kept() -> None:
    empty = follow("open bugs in ORBIT", "in HARBOR, p0")
    found = follow("open bugs in ORBIT", "in HARBOR, p1")

    assert empty.answer.startswith(
        "Not certain: Nothing is all of this. Kept from the question before: open; type Bug."
    )
    assert found.rows
    assert "Kept from" not in found.answer
