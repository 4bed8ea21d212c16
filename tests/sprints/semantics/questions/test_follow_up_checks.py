"""What a follow-up was read as is checked: what drops, contradicts or counts what nobody said is asked back."""

import pytest

from tests.sprints.semantics.questions.test_links_and_repetitions import follow

pytestmark = pytest.mark.usefixtures("django_db_setup")

DROPPED = [
    ("How many open issues does HARBOR have?", "what percentage are bugs"),
    ("Which issues are blocked?", "what percentage are stories"),
    ("What did ORBIT finish in sprint 7?", "average cycle time"),
    ("Which issues were carried over from ACCEL Sprint 4?", "median lead time"),
    ("Which issues are blocked?", "average time blocked"),
    ("Which epics are open?", "how many issues are in them"),
    ("Which epics are open?", "how many bugs in them"),
    ("Which sprints are active?", "how many points are left"),
    ("How many open bugs does ACCEL have?", "oops, stories"),
    ("How many open bugs does Zoë have?", "the team"),
    ("How many points did Levi Walker complete last sprint?", "the whole team"),
    ("What is the status of ACCEL-103?", "who owns the epic"),
    ("What is the velocity of ACCEL?", "which issues"),
]
CONTRADICTING = [
    ("How many bugs were resolved in October?", "in September and October"),
    ("How many bugs were resolved in October?", "late ones"),
    ("How many stories were done last sprint?", "overdue"),
    ("Which bugs were reopened?", "never reopened"),
    ("Which issues have no due date?", "due this month"),
    ("Show the burndown of ACCEL", "sprint 7"),
    ("What did ORBIT finish in sprint 7?", "what did they commit to"),
    ("List the epics of ACCEL", "without bugs"),
]
OF_ONE_ISSUE = [
    ("How long has ACCEL-103 been open?", "and in review"),
    ("How long has ACCEL-103 been open?", "and in sprint 9"),
    ("How long has ACCEL-103 been open?", "which is the oldest"),
    ("Who is assigned to ORBIT-103?", "who has the most"),
    ("What is the status of ACCEL-103?", "and the epic's status"),
]
UNSAID = [
    ("Who has the most open issues?", "by points"),
    ("Open issues per person", "by points"),
    ("Which issues are overdue?", "by due date"),
    ("List open stories of ORBIT", "top 3 by priority"),
    ("List the open stories of ACCEL", "biggest per person"),
    ("How many bugs are open?", "biggest per team"),
    ("List open stories of ORBIT", "sum per assignee"),
    ("Bugs created vs resolved per month", "only resolved"),
    ("How many bugs were resolved in October?", "how many created"),
    ("How many bugs were resolved in October?", "stories minus bugs"),
    ("What share of open issues is bugs?", "and the rest"),
    ("How many points are left in ACCEL Sprint 9?", "per day"),
    ("How many points did Levi Walker complete last sprint?", "per sprint"),
    ("How many hours were spent on bugs?", "and estimated"),
    ("How many hours were spent on bugs?", "how many are remaining"),
]
OF_ANOTHER_TIME = [
    ("Which issues are due this week?", "by Friday"),
    ("How many bugs were created last week?", "two weeks ago"),
    ("How many bugs were resolved in October?", "next month"),
    ("What was carried over from ACCEL Sprint 8?", "what was their status then"),
]


@pytest.mark.parametrize(
    ("first", "then"), [*DROPPED, *CONTRADICTING, *OF_ONE_ISSUE, *UNSAID, *OF_ANOTHER_TIME]
)  # fmt: skip
def test_what_was_misread_is_asked_back(first: str, then: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous, answer.interpretation


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("How many open issues does HARBOR have?", "how many of them are bugs", '"label":"HARBOR"'),
        ("List the open bugs", "which sprints are closed", '"rows_of":"sprint"'),
        ("List all epics", "which of them are p0?", '"priority"'),
        ("Which issues are blocked?", "velocity of ORBIT", '"velocity"'),
        ("Which issues are overdue?", "by priority", '"dimension":"priority"'),
        ("How many bugs were resolved in October?", "from August to October", '"start":"2026-08-01"'),
        ("Bugs created vs resolved per month", "only ORBIT", '"label":"ORBIT"'),
        ("ACCEL-103", "is it blocked", '"is_blocked"'),
        ("ACCEL-103", "and ACCEL-104", "ACCEL-104"),
        ("Which issues are due this week?", "due by Friday", '"end":"2026-11-21"'),
        ("Which issues are overdue?", "oldest due date first", '"direction":"asc"'),
        ("Which issues are overdue?", "newest due date first", '"direction":"desc"'),
        ("How many hours were spent on bugs?", "remaining hours", "remaining_hours"),
    ],
)
def test_what_is_plain_still_changes_the_question(first: str, then: str, kept: str) -> None:
    answer = follow(first, then)

    assert answer.query is not None, answer.answer
    assert kept in answer.query.model_dump_json()


@pytest.mark.parametrize("then", ["dates", "which dates", "which dates was that"])
@pytest.mark.parametrize("first", ["open bugs", "When did sprint 8 start and end?", "bugs resolved last week"])
def test_a_noun_alone_is_not_answered_by_a_stored_query(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous
